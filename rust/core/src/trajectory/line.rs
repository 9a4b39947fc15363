//! All files of a trajectory, laid end to end on one line, and the spans on it.

use std::collections::HashMap;

use super::input::{KeyedSpans, Trajectory};

/// Where each file lies: its lowest start follows the highest end of the file before.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// By key, lowest start and highest end of the file.
    extents: Vec<(i64, i64)>,
    /// By key, the place of the file's byte 0; modulo 2^64, for it may lie before the line begins.
    origins: Vec<u64>,
    pub length: u64,
}

impl Line {
    /// Lays out the files of a trajectory; `None` if together they are longer than an `i64` holds.
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

    /// Place of a byte.
    #[inline]
    pub fn at(&self, key: i64, byte: i64) -> u64 {
        self.origins[key as usize].wrapping_add(byte as u64)
    }

    /// Place of a span.
    #[inline]
    pub fn place(&self, (key, start, end): (i64, i64, i64)) -> (u64, u64) {
        let origin = self.origins[key as usize];
        (
            origin.wrapping_add(start as u64),
            origin.wrapping_add(end as u64),
        )
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<(i64, i64)>() * self.extents.capacity()
            + size_of::<u64>() * self.origins.capacity()
    }
}

/// Numbers the keys from 0 on, in the order in which they come: for tables where codes are sparse.
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

/// Sorts spans, merges those that overlap or touch, and gives the length of the rest.
///
/// The length saturates above what an `i64` holds.
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
