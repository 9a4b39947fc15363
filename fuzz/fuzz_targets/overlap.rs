//! The overlap join against a look at every pair.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use trajmeter_core::overlap::{Definitions, overlap_join};

#[derive(Debug, Arbitrary)]
struct Input {
    /// Start and length of each definition, file by file.
    files: Vec<Vec<(u8, u8)>>,
    /// File, start and length of each span.
    spans: Vec<(u8, u8, u8)>,
    /// Whether the definitions come by start.
    sorted: bool,
    /// Bytes are multiplied by 2 to this power, modulo 54.
    shift: u8,
}

fuzz_target!(|input: Input| {
    let shift = input.shift % 54;
    let bounds = |start: u8, length: u8| {
        let (start, length) = (i64::from(start), i64::from(length));
        (start << shift, (start + length) << shift)
    };
    let mut files = input.files;
    if files.is_empty() {
        return;
    }
    if input.sorted {
        files.iter_mut().for_each(|file| file.sort_unstable());
    }
    let (start, end): (Vec<_>, Vec<_>) = files
        .iter()
        .flatten()
        .map(|&(start, length)| bounds(start, length))
        .unzip();
    let mut offsets = vec![0];
    for file in &files {
        offsets.push(offsets[offsets.len() - 1] + file.len() as i64);
    }
    let file: Vec<_> = input
        .spans
        .iter()
        .map(|span| i64::from(span.0) % files.len() as i64)
        .collect();
    let (span_start, span_end): (Vec<_>, Vec<_>) = input
        .spans
        .iter()
        .map(|&(_, start, length)| bounds(start, length))
        .unzip();

    let definitions = Definitions {
        start: &start,
        end: &end,
        offsets: &offsets,
    };
    let Ok(join) = overlap_join(&file, &span_start, &span_end, definitions) else {
        unreachable!("every span is good");
    };
    assert_eq!(join.offsets.len(), file.len() + 1);
    for (span, row) in join.offsets.windows(2).enumerate() {
        let of_file = offsets[file[span] as usize]..offsets[file[span] as usize + 1];
        let expected: Vec<_> = of_file
            .filter(|&definition| {
                let definition = definition as usize;
                start[definition].max(span_start[span]) < end[definition].min(span_end[span])
            })
            .collect();
        let found = &join.definitions[row[0] as usize..row[1] as usize];
        assert_eq!(found, expected, "span {span}");
    }
});
