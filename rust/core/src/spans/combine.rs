//! Two canonical sets made into one.

use std::iter;

use super::Sink;

/// Gives what both canonical sets cover.
pub fn overlap(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
    sink: &mut impl Sink,
) {
    let (mut span, mut other) = (0, 0);
    sink.take_apart(iter::from_fn(|| {
        if span == start.len() || other == other_start.len() {
            return None;
        }
        let low = start[span].max(other_start[other]);
        let (high, other_high) = (end[span], other_end[other]);
        // Whichever ends first overlaps nothing further.
        span += usize::from(high <= other_high);
        other += usize::from(other_high <= high);
        Some((low, high.min(other_high)))
    }));
}

/// Gives what the first canonical set covers and the other does not.
///
/// That is what it shares with the gaps of the other, each from an end to the next start.
pub fn without(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
    sink: &mut impl Sink,
) {
    let gap_start: Vec<_> = iter::once(0).chain(other_end.iter().copied()).collect();
    let gap_end: Vec<_> = other_start.iter().copied().chain([i64::MAX]).collect();
    overlap(start, end, &gap_start, &gap_end, sink);
}
