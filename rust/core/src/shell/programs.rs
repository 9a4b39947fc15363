//! The program that a command runs.

use super::syntax::Word;

const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
/// Longest chain of programs that run each other.
const MOST_WRAPPERS: usize = 8;

/// Skips programs that only run another; returns the program and its arguments.
pub(super) fn program_of<'a, 'b>(words: &'b [Word<'a>]) -> Option<(&'b str, &'b [Word<'a>])> {
    let mut words = words;
    for _ in 0..MOST_WRAPPERS {
        let (first, arguments) = words.split_first()?;
        let name = first.text.rsplit('/').next().unwrap_or(&first.text);
        let Some(valued) = wrapper(name) else {
            return Some((name, arguments));
        };
        let mut place = 1;
        while let Some(option) = words.get(place) {
            let option = &*option.text;
            if !option.starts_with('-') && !option.contains('=') {
                break;
            }
            let mut letters = option.chars().skip(1);
            let is_valued = letters.next().is_some_and(|letter| valued.contains(letter));
            place += 1 + usize::from(is_valued && letters.next().is_none());
        }
        words = words.get(place + usize::from(name == "timeout")..)?;
    }
    let (first, arguments) = words.split_first()?;
    Some((&first.text, arguments))
}

/// Returns the letters of the options with a value, for a program that runs another.
fn wrapper(name: &str) -> Option<&'static str> {
    Some(match name {
        "sudo" => "ugp",
        "timeout" => "ks",
        "nice" => "n",
        "env" => "uC",
        "stdbuf" => "ioe",
        "command" | "builtin" | "nohup" | "exec" | "time" | "xvfb-run" => "",
        _ => return None,
    })
}

/// Returns the script that a command passes to another shell, as `bash -c` does.
pub(super) fn script_of<'b>(words: &'b [Word<'_>]) -> Option<&'b str> {
    let (name, arguments) = program_of(words)?;
    if !SHELLS.contains(&name) {
        return None;
    }
    arguments.windows(2).find_map(|pair| {
        let option = &*pair[0].text;
        let takes_script =
            option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
        takes_script.then(|| pair[1].is_known.then_some(&*pair[1].text))
    })?
}
