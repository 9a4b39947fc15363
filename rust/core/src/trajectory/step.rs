//! The sizes of one step, and the union of its own spans.

use super::input::KeyedSpans;
use super::line::merge;
use super::sweep::Ledger;

/// The results of a step. Sums saturate above the range of an `i64`, so that they can be refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Bytes of the step's own union.
    pub size: u64,
    /// Bytes that no earlier step covers.
    pub added: u64,
    /// Those of them that are gold.
    pub gold_added: u64,
}

/// Owners are steps.
impl Ledger for [Step] {
    #[inline]
    fn give(&mut self, owner: u64, length: u64, gold: u64) {
        let step = &mut self[owner as usize];
        step.added = step.added.saturating_add(length);
        step.gold_added = step.gold_added.saturating_add(gold);
    }
}

/// Up to this many spans, overlaps in a step are found pair by pair; longer steps are sorted.
const PAIRS: usize = 8;

/// Returns the size of a step with these spans, which `place` maps to the line; `sorted` is a
/// buffer for sorting.
#[inline]
pub(super) fn size(
    spans: &KeyedSpans<'_>,
    sorted: &mut Vec<(u64, u64)>,
    place: impl Fn((i64, i64, i64)) -> (u64, u64),
) -> u64 {
    if spans.len() <= PAIRS {
        let mut placed = [(0, 0); PAIRS];
        let mut sum: u64 = 0;
        let mut disjoint = true;
        for (index, span) in spans.iter().enumerate() {
            let (start, end) = place(span);
            for &(other_start, other_end) in &placed[..index] {
                disjoint &= start >= other_end || other_start >= end;
            }
            placed[index] = (start, end);
            sum = sum.saturating_add(end - start);
        }
        if disjoint {
            return sum;
        }
    }
    sorted.clear();
    sorted.extend(spans.iter().map(place));
    merge(sorted)
}
