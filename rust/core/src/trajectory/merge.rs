//! Spans on a line, merged: for gold and for a step's own size.

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
