//! Fuzzes the trajectory kernel against a count of single bytes.
//!
//! Multiplying every byte position by a factor multiplies every size by it, and repeating a step
//! adds nothing. So the expected sizes of long lines and of long trajectories are known too.

#![no_main]

use std::collections::HashSet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use trajmeter_core::trajectory::{Batch, KeyedSpans, Sizes, trajectory};

/// Key, start and length.
type Span = (u8, u8, u8);

#[derive(Debug, Arbitrary)]
struct Input {
    steps: Vec<Vec<Span>>,
    gold: Vec<Span>,
    /// Keys are multiplied by 2 to the power of this value modulo 48.
    key_shift: u8,
    /// Bytes are multiplied by 2 to the power of this value modulo 36.
    byte_shift: u8,
    /// Number of times that the steps are repeated.
    repeats: u8,
}

fn bytes(spans: &[Span]) -> HashSet<(u8, i64)> {
    let of = |&(key, start, length): &Span| {
        let start = i64::from(start);
        (start..start + i64::from(length)).map(move |byte| (key, byte))
    };
    spans.iter().flat_map(of).collect()
}

fn columns<'a>(spans: impl Iterator<Item = &'a Span>, input: &Input) -> [Vec<i64>; 3] {
    let (key_shift, byte_shift) = (input.key_shift % 48, input.byte_shift % 36);
    let mut columns = [vec![], vec![], vec![]];
    for &(key, start, length) in spans {
        columns[0].push(i64::from(key) << key_shift);
        columns[1].push(i64::from(start) << byte_shift);
        columns[2].push((i64::from(start) + i64::from(length)) << byte_shift);
    }
    columns
}

fuzz_target!(|input: Input| {
    let spans: usize = input.steps.iter().map(Vec::len).sum();
    let repeats = 1 + usize::from(input.repeats).min(20_000 / (spans + input.steps.len() + 1));
    let all: Vec<&Vec<Span>> = (0..repeats).flat_map(|_| &input.steps).collect();

    let [key, start, end] = columns(all.iter().copied().flatten(), &input);
    let [gold_key, gold_start, gold_end] = columns(input.gold.iter(), &input);
    let mut step_offsets = vec![0];
    for step in &all {
        step_offsets.push(step_offsets[step_offsets.len() - 1] + step.len() as i64);
    }
    let mut size = vec![0; all.len()];
    let mut added = vec![0; all.len()];
    let mut gold_added = vec![0; all.len()];
    let mut gold_size = [0];
    let batch = Batch {
        spans: KeyedSpans {
            key: &key,
            start: &start,
            end: &end,
        },
        step_offsets: &step_offsets,
        trajectory_offsets: &[0, all.len() as i64],
        gold: KeyedSpans {
            key: &gold_key,
            start: &gold_start,
            end: &gold_end,
        },
        gold_offsets: &[0, input.gold.len() as i64],
    };
    let out = Sizes {
        size: &mut size,
        added: &mut added,
        gold_added: &mut gold_added,
        gold_size: &mut gold_size,
    };
    assert_eq!(trajectory(&batch, out), Ok(()));

    let stretched = |count: usize| (count as i64) << (input.byte_shift % 36);
    let gold = bytes(&input.gold);
    assert_eq!(gold_size[0], stretched(gold.len()));
    let mut seen = HashSet::new();
    for (index, step) in all.iter().enumerate() {
        if index < input.steps.len() {
            let own = bytes(step);
            let fresh: HashSet<_> = own.difference(&seen).copied().collect();
            assert_eq!(size[index], stretched(own.len()), "size of step {index}");
            assert_eq!(
                added[index],
                stretched(fresh.len()),
                "added by step {index}"
            );
            let golden = fresh.intersection(&gold).count();
            assert_eq!(gold_added[index], stretched(golden), "gold of step {index}");
            seen.extend(fresh);
        } else {
            assert_eq!(size[index], size[index - input.steps.len()]);
            assert_eq!((added[index], gold_added[index]), (0, 0));
        }
    }
});
