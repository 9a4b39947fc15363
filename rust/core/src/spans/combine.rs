//! Two canonical sets made into one.

use super::Sink;

/// Pushes what both canonical sets cover.
pub fn overlap(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
    sink: &mut impl Sink,
) {
    let (mut span, mut other) = (0, 0);
    while span < start.len() && other < other_start.len() {
        let low = start[span].max(other_start[other]);
        let high = end[span].min(other_end[other]);
        if low < high {
            sink.push(low, high);
        }
        // Whichever ends here overlaps nothing further.
        let (ends, other_ends) = (end[span] == high, other_end[other] == high);
        span += usize::from(ends);
        other += usize::from(other_ends);
    }
}

/// Pushes what the first canonical set covers and the other does not.
///
/// That is what it shares with the gaps of the other, each from an end to the next start.
pub fn without(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
    sink: &mut impl Sink,
) {
    let gap_start: Vec<_> = std::iter::once(0)
        .chain(other_end.iter().copied())
        .collect();
    let gap_end: Vec<_> = other_start.iter().copied().chain([i64::MAX]).collect();
    overlap(start, end, &gap_start, &gap_end, sink);
}
