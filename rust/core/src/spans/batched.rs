//! The span operations on many sets at once, as rows of a ragged batch.

use std::ops::Range;

use super::canonical;
use super::canonical::SLACK;
use super::combine::Room;
use super::sink::{Filled, Sink, Total};
use super::{OTHER, SPAN, Set, Spans, check, combine};
use crate::{Result, pool};

/// Many sets of spans: row i is `offsets[i]..offsets[i + 1]` of the spans.
///
/// There are n + 1 offsets for n rows. They never decrease, and stay within the spans.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// First byte of each span.
    pub start: &'a [i64],
    /// The byte after the last of each span.
    pub end: &'a [i64],
    /// Start of each row, followed by the end of the last.
    pub offsets: &'a [i64],
}

/// Many canonical sets of spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The spans, row after row.
    pub spans: Spans,
    /// Start of each row, from 0, followed by the end of the last.
    pub offsets: Vec<i64>,
}

impl<'a> Rows<'a> {
    /// Returns the number of rows and of spans.
    #[must_use]
    pub fn size(&self) -> usize {
        self.offsets.len() + self.start.len()
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn check(&self, what: &'static str) -> Result<()> {
        let (begin, end) = (self.offsets[0] as usize, self.offsets[self.len()] as usize);
        check(what, begin, &self.start[begin..end], &self.end[begin..end])
    }

    fn row(&self, row: usize) -> Set<'a> {
        let spans = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        Set::new(&self.start[spans.clone()], &self.end[spans])
    }
}

/// Number of bytes that each row covers.
///
/// # Errors
///
/// [`Error::NegativeSpan`](crate::Error::NegativeSpan) or
/// [`Error::ReversedSpan`](crate::Error::ReversedSpan), for the first bad span of any row.
pub fn measure_batched(rows: Rows) -> Result<Vec<i64>> {
    rows.check(SPAN)?;
    let mut measures = vec![0; rows.len()];
    pool::fill_rows(rows.offsets, &mut measures, |range, out| {
        for (slot, row) in out.iter_mut().zip(range) {
            let mut total = Total::default();
            canonical::merge_row(rows.row(row), &mut total);
            *slot = total.result();
        }
        Ok(())
    })?;
    Ok(measures)
}

/// Canonical set of each row.
///
/// # Errors
///
/// As [`measure_batched`].
pub fn union_batched(rows: Rows) -> Result<Batch> {
    rows.check(SPAN)?;
    let pieces = pool::map_rows(rows.offsets, |range| {
        Ok(Batch::of(range, |row, room| {
            let spans = rows.row(row);
            room.fill(spans.len() + SLACK, |merged| {
                canonical::merge_row(spans, merged);
            })
        }))
    })?;
    Ok(Batch::concat(pieces))
}

/// Intersection of each row with its partner in `others`, which has as many rows.
///
/// # Errors
///
/// As [`measure_batched`]; a bad span of `rows` comes before one of `others`.
pub fn intersection_batched(rows: Rows, others: Rows) -> Result<Batch> {
    combine_batched(rows, others, |spans, others, out| {
        combine::overlap(spans, others, out);
    })
}

/// Difference of each row and its partner in `others`.
///
/// # Errors
///
/// As [`intersection_batched`].
pub fn difference_batched(rows: Rows, others: Rows) -> Result<Batch> {
    combine_batched(rows, others, |spans, others, out| {
        combine::without(spans, others, out);
    })
}

fn combine_batched(
    rows: Rows,
    others: Rows,
    operation: impl Fn(Set, Set, &mut Filled) + Send + Sync,
) -> Result<Batch> {
    rows.check(SPAN)?;
    others.check(OTHER)?;
    let pieces = pool::map_rows(&weights(rows, others), |range| {
        let mut rooms = Default::default();
        Ok(Batch::of(range, |row, room| {
            combine::rows(
                rows.row(row),
                others.row(row),
                &mut rooms,
                |spans, others| {
                    let most = spans.len() + others.len() + 1;
                    room.fill(most, |out| operation(spans, others, out))
                },
            )
        }))
    })?;
    Ok(Batch::concat(pieces))
}

/// Returns offsets by which a row weighs as much as both of its sides together.
fn weights(rows: Rows, others: Rows) -> Vec<i64> {
    rows.offsets
        .iter()
        .zip(others.offsets)
        .map(|(offset, other)| offset + other)
        .collect()
}

impl Batch {
    /// Collects the sets that `fill` writes for the rows.
    fn of(
        rows: Range<usize>,
        mut fill: impl for<'a> FnMut(usize, &'a mut Room) -> Set<'a>,
    ) -> Self {
        let (mut spans, mut room) = (Spans::default(), Room::default());
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        offsets.push(0);
        for row in rows {
            let set = fill(row, &mut room);
            spans.start.extend_from_slice(set.start);
            spans.end.extend_from_slice(set.end);
            offsets.push(spans.start.len() as i64);
        }
        Self { spans, offsets }
    }

    fn concat(pieces: Vec<Self>) -> Self {
        let mut pieces = pieces.into_iter();
        let mut whole = pieces.next().unwrap_or(Self {
            spans: Spans::default(),
            offsets: vec![0],
        });
        for piece in pieces {
            let base = whole.spans.start.len() as i64;
            whole
                .offsets
                .extend(piece.offsets[1..].iter().map(|offset| base + offset));
            whole.spans.start.extend(piece.spans.start);
            whole.spans.end.extend(piece.spans.end);
        }
        whole
    }
}
