//! Fuzzes shell commands and their outputs: any text. Nothing panics, lines are in order, and
//! hidden lines are never shown.
//!
//! Which lines are shown is compared with the rules in the Python tests.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use trajmeter_core::shell::{Executed, shell_views};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    command: &'a str,
    output: Option<&'a str>,
    code: Option<i8>,
    folder: Option<&'a str>,
    hidden: Option<(u8, u8)>,
}

fuzz_target!(|input: Input<'_>| {
    let hidden = input.hidden.map(|(low, high)| (low.into(), high.into()));
    let executed = Executed {
        command: input.command,
        output: input.output,
        code: input.code.map(i64::from),
        folder: input.folder,
        hidden: hidden.filter(|&(low, high): &(usize, usize)| {
            let is_border = |at| {
                input
                    .output
                    .is_some_and(|output| output.is_char_boundary(at))
            };
            low < high && is_border(low) && is_border(high)
        }),
    };
    let first = shell_views(&executed);
    assert_eq!(first, shell_views(&executed));
    if let Ok(shown) = first {
        assert!(shown.leaks.is_empty() || !input.command.is_empty());
        for view in shown.views {
            assert!(!view.path.starts_with("/tmp/"));
        }
    }
});
