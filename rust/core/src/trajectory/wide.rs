//! Trajectories whose numbers are too large to be packed, sorted and swept file by file.
//!
//! Slow, but rarely needed: only for files of terabytes.

use std::collections::BTreeMap;

use super::input::Trajectory;
use super::line::merge;
use super::step::Step;
use super::sweep::{Sweep, Waiting};

/// Spans of one file.
#[derive(Debug, Default)]
struct File {
    /// Start, end and step.
    spans: Vec<(u64, u64, usize)>,
    gold: Vec<(u64, u64)>,
}

/// Fills `steps`, and returns the size of the gold.
pub(super) fn score(trajectory: &Trajectory<'_>, steps: &mut [Step]) -> u64 {
    let mut files: BTreeMap<i64, File> = BTreeMap::new();
    for (key, start, end) in trajectory.gold.iter() {
        let file = files.entry(key).or_default();
        file.gold.push((start as u64, end as u64));
    }
    for step in 0..steps.len() {
        for (key, start, end) in trajectory.step(step).iter() {
            let file = files.entry(key).or_default();
            file.spans.push((start as u64, end as u64, step));
        }
    }
    let mut waiting = Waiting::new();
    let mut reaches = vec![0; steps.len()];
    let mut gold_size: u64 = 0;
    for file in files.values_mut() {
        gold_size = gold_size.saturating_add(merge(&mut file.gold));
        file.spans.sort_unstable();
        let mut sweep = Sweep::new(steps, &file.gold, &mut waiting);
        for &(start, end, step) in &file.spans {
            // A step's own spans are sorted too, so their greatest end shows what each one adds.
            let reach: &mut u64 = &mut reaches[step];
            if end > *reach {
                let size = &mut sweep.ledger[step].size;
                *size = size.saturating_add(end - start.max(*reach));
                *reach = end;
            }
            sweep.push(start, end, step as u64);
        }
        sweep.finish();
        for &(_, _, step) in &file.spans {
            reaches[step] = 0;
        }
    }
    gold_size
}
