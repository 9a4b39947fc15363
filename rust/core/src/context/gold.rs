//! Gold at one granularity.

use super::{Range, Span, place};
use crate::{Error, Result};

/// Disjoint spans in order, with the amount of gold before each.
#[derive(Debug, Clone, Default)]
pub struct Gold {
    spans: Vec<Span>,
    before: Vec<i64>,
    size: i64,
    /// One bit per key, possibly shared, as a quick filter: most ranges lie in files without gold.
    keys: u64,
}

impl Gold {
    /// Computes the union of `spans`, none of which is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] with `index`, that of the granularity, if the size exceeds an `i64`.
    pub fn new(mut spans: Vec<Span>, index: usize) -> Result<Self> {
        spans.sort_unstable();
        let mut gold = Self::default();
        merge(&spans, |span| gold.spans.push(span));
        for span in &gold.spans {
            gold.before.push(gold.size);
            gold.keys |= bit(span.key);
            gold.size = gold
                .size
                .checked_add(span.end - span.start)
                .ok_or(Error::Overflow {
                    what: "gold size of granularity",
                    index,
                })?;
        }
        Ok(gold)
    }

    /// Size of the gold.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.size
    }

    /// The spans, disjoint and in order.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Size of the gold within a range of `key`.
    ///
    /// Most ranges overlap at most one span of gold, which a single search finds.
    pub(super) fn within(&self, key: i64, (start, end): Range) -> i64 {
        if self.keys & bit(key) == 0 {
            return 0;
        }
        let behind = |span: &Span| place(span.key, span.end) <= place(key, start);
        let first = self.spans.partition_point(behind);
        let met = |span: &&Span| span.key == key && span.start < end;
        let Some(span) = self.spans.get(first).filter(met) else {
            return 0;
        };
        let next = first + 1;
        if !self.spans.get(next).is_some_and(|span| met(&span)) {
            return span.end.min(end) - span.start.max(start);
        }
        let met = |span: &Span| place(span.key, span.start) < place(key, end);
        let last = next + self.spans[next..].partition_point(met) - 1;
        let span_end = self.spans[last].end.min(end);
        let size = self.before[last] + span_end - self.spans[last].start;
        size - self.before[first] - (start - span.start).max(0)
    }
}

fn bit(key: i64) -> u64 {
    1 << (key & 63)
}

/// Calls `found` with the union of spans in order, none of them empty.
pub(super) fn merge(sorted: &[Span], mut found: impl FnMut(Span)) {
    let mut rest = sorted.iter();
    let Some(&(mut open)) = rest.next() else {
        return;
    };
    for &span in rest {
        if span.key != open.key || span.start > open.end {
            found(open);
            open = span;
        } else if span.end > open.end {
            open.end = span.end;
        }
    }
    found(open);
}
