//! Operations on half-open byte spans `[start, end)`, stored as two slices of equal length.
//!
//! Adjacent spans merge. An empty span `[a, a)` covers nothing and is removed. A set of spans is
//! *canonical* if its spans are sorted and non-empty, and neither overlap nor touch; every result
//! is.

mod batched;
mod bitmap;
mod buckets;
mod canonical;
mod combine;
mod order;
mod sink;
mod survey;

pub use batched::{
    Batch, Rows, difference_batched, intersection_batched, measure_batched, union_batched,
};
use canonical::SLACK;
use sink::{Filled, Sink, Total};
use survey::Survey;

use crate::Result;

const SPAN: &str = "span";
const OTHER: &str = "other span";

/// A set of spans.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Spans {
    /// First byte of each span.
    pub start: Vec<i64>,
    /// The byte after the last of each span.
    pub end: Vec<i64>,
}

impl Spans {
    /// Returns the spans that `fill` writes, at most `count`.
    fn filled(count: usize, fill: impl FnOnce(&mut Filled)) -> Self {
        // Zeroed memory is not touched before it is written.
        let (mut start, mut end) = (vec![0; count], vec![0; count]);
        let mut filled = Filled::new(&mut start, &mut end);
        fill(&mut filled);
        let len = filled.len();
        start.truncate(len);
        end.truncate(len);
        if len < count / 2 {
            start.shrink_to_fit();
            end.shrink_to_fit();
        }
        Self { start, end }
    }
}

impl FromIterator<(i64, i64)> for Spans {
    fn from_iter<I: IntoIterator<Item = (i64, i64)>>(spans: I) -> Self {
        let (start, end) = spans.into_iter().unzip();
        Self { start, end }
    }
}

/// Borrowed spans.
#[derive(Clone, Copy)]
struct Set<'a> {
    start: &'a [i64],
    end: &'a [i64],
}

impl<'a> Set<'a> {
    fn new(start: &'a [i64], end: &'a [i64]) -> Self {
        Self { start, end }
    }

    fn len(self) -> usize {
        self.start.len()
    }

    fn iter(self) -> impl Iterator<Item = (i64, i64)> + use<'a> {
        self.start.iter().copied().zip(self.end.iter().copied())
    }

    /// Returns whether the spans already are a canonical set.
    fn is_canonical(self) -> bool {
        self.iter().all(|(start, end)| start < end)
            && self
                .start
                .iter()
                .skip(1)
                .zip(self.end)
                .all(|(next, end)| next > end)
    }
}

/// Number of bytes that at least one span covers.
///
/// # Errors
///
/// [`Error::NegativeSpan`](crate::Error::NegativeSpan) or
/// [`Error::ReversedSpan`](crate::Error::ReversedSpan), for the first bad span.
pub fn measure(start: &[i64], end: &[i64]) -> Result<i64> {
    let spans = Set::new(start, end);
    let survey = Survey::of(SPAN, 0, spans)?;
    let mut total = Total::default();
    canonical::merge(&survey, spans, &mut total);
    Ok(total.result())
}

/// The canonical set that covers the same bytes.
///
/// # Errors
///
/// As [`measure`].
pub fn union(start: &[i64], end: &[i64]) -> Result<Spans> {
    let spans = Set::new(start, end);
    let survey = Survey::of(SPAN, 0, spans)?;
    Ok(Spans::filled(spans.len() + SLACK, |merged| {
        canonical::merge(&survey, spans, merged);
    }))
}

/// The canonical set of the bytes that both sets cover.
///
/// # Errors
///
/// As [`measure`]; a bad span of the first set comes before one of the other.
pub fn intersection(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
) -> Result<Spans> {
    let (spans, others) = (Set::new(start, end), Set::new(other_start, other_end));
    combine::checked(spans, others, |spans, others| {
        Spans::filled(spans.len() + others.len(), |shared| {
            combine::overlap(spans, others, shared);
        })
    })
}

/// The canonical set of the bytes that the first set covers and the other does not.
///
/// # Errors
///
/// As [`intersection`].
pub fn difference(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
) -> Result<Spans> {
    let (spans, others) = (Set::new(start, end), Set::new(other_start, other_end));
    combine::checked(spans, others, |spans, others| {
        Spans::filled(spans.len() + others.len() + 1, |left| {
            combine::without(spans, others, left);
        })
    })
}

/// Refuses the first span that is negative or reversed.
///
/// `what` names the spans in the message, and `base` is the index of the first of them in the
/// caller's arrays.
///
/// # Errors
///
/// [`Error::NegativeSpan`](crate::Error::NegativeSpan) or
/// [`Error::ReversedSpan`](crate::Error::ReversedSpan).
pub fn check(what: &'static str, base: usize, start: &[i64], end: &[i64]) -> Result<()> {
    Survey::of(what, base, Set::new(start, end)).map(|_| ())
}
