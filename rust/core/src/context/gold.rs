//! Gold at one granularity.

use super::{Range, Span};
use crate::{Error, Result};

/// Disjoint spans in order, and how much gold lies before each.
#[derive(Debug, Clone, Default)]
pub struct Gold {
    spans: Vec<Span>,
    before: Vec<i64>,
    size: i64,
}

impl Gold {
    /// Unites `spans`, none of which is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if the size exceeds an `i64`; `index` is that of the granularity.
    pub fn new(mut spans: Vec<Span>, index: usize) -> Result<Self> {
        spans.sort_unstable();
        let mut gold = Self::default();
        merge(&spans, |span| gold.spans.push(span));
        for span in &gold.spans {
            gold.before.push(gold.size);
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

    /// Its spans, disjoint and in order.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Size of the gold within a range of `key`.
    pub(super) fn within(&self, key: i64, (start, end): Range) -> i64 {
        self.before(key, end) - self.before(key, start)
    }

    /// Size of the gold before a place, that of smaller keys included.
    fn before(&self, key: i64, place: i64) -> i64 {
        let behind = self
            .spans
            .partition_point(|span| (span.key, span.start) <= (key, place));
        let Some(index) = behind.checked_sub(1) else {
            return 0;
        };
        let span = self.spans[index];
        let end = if span.key < key {
            span.end
        } else {
            span.end.min(place)
        };
        self.before[index] + end - span.start
    }
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
