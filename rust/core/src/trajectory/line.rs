//! A line on which all files of a trajectory are laid out end to end, and the spans on it.

use std::collections::HashMap;

use super::input::{KeyedSpans, Trajectory};

/// Layout of the files: the lowest start of each follows the highest end of the one before.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// By key, lowest start and highest end of the file.
    extents: Vec<(i64, i64)>,
    /// By key, the position of the file's byte 0 on the line; modulo 2^64, as it may be before 0.
    origins: Vec<u64>,
    pub length: u64,
}

impl Line {
    /// Lays out the files of a trajectory; `None` if their total length exceeds an `i64`.
    pub fn lay(&mut self, trajectory: &Trajectory<'_>) -> Option<()> {
        self.extents.clear();
        self.extents.resize(1 << trajectory.key_bits, (i64::MAX, 0));
        for (key, start, end) in trajectory.spans.iter().chain(trajectory.gold.iter()) {
            let (low, high) = &mut self.extents[key as usize];
            *low = start.min(*low);
            *high = end.max(*high);
        }
        self.origins.clear();
        let mut length: i64 = 0;
        for &(low, high) in &self.extents {
            self.origins.push(length.wrapping_sub(low) as u64);
            length = length.checked_add(high.saturating_sub(low).max(0))?;
        }
        self.length = length as u64;
        Some(())
    }

    /// Returns the position of a byte.
    #[inline]
    pub fn at(&self, key: i64, byte: i64) -> u64 {
        self.origins[key as usize].wrapping_add(byte as u64)
    }

    /// Returns the position of a span.
    #[inline]
    pub fn place(&self, (key, start, end): (i64, i64, i64)) -> (u64, u64) {
        let origin = self.origins[key as usize];
        (
            origin.wrapping_add(start as u64),
            origin.wrapping_add(end as u64),
        )
    }

    /// Returns the bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<(i64, i64)>() * self.extents.capacity()
            + size_of::<u64>() * self.origins.capacity()
    }
}

/// Renumbers the keys from 0, in the order of first appearance, for tables indexed by sparse codes.
pub(super) fn number_keys<'a>(
    spans: &KeyedSpans<'a>,
    gold: &KeyedSpans<'a>,
) -> (Vec<i64>, Vec<i64>, usize) {
    let mut numbers = HashMap::new();
    let mut number = |&key: &i64| {
        let next = numbers.len() as i64;
        *numbers.entry(key).or_insert(next)
    };
    let keys = spans.key.iter().map(&mut number).collect();
    let gold_keys = gold.key.iter().map(&mut number).collect();
    (keys, gold_keys, numbers.len())
}

/// Sorts spans, merges those that overlap or touch, and returns their total length.
///
/// The length saturates above the range of an `i64`.
pub(super) fn merge(spans: &mut Vec<(u64, u64)>) -> u64 {
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let joined = next.0 <= last.1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
    spans
        .iter()
        .fold(0, |sum: u64, (start, end)| sum.saturating_add(end - start))
}
