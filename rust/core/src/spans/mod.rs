//! Operations on half-open byte spans `[start, end)`, held as two slices of one length.
//!
//! Adjacent spans merge, and an empty span `[a, a)` covers nothing and disappears. A set of spans is
//! *canonical* when its spans are sorted, not empty, and neither overlap nor touch; every result is.

mod batched;
mod bitmap;
mod buckets;
mod canonical;
mod combine;
mod sink;

use std::borrow::Cow;

pub use batched::{
    Batch, Rows, difference_batched, intersection_batched, intersection_measure_batched,
    measure_batched, union_batched,
};
use canonical::Survey;
use sink::{Sink, Total};

use crate::{Error, Fault, Result};

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
    /// Room for so many spans; memory that stays unused is never touched.
    fn with_capacity(count: usize) -> Self {
        let (start, end) = (Vec::with_capacity(count), Vec::with_capacity(count));
        Self { start, end }
    }

    /// Gives back the room that most of stayed unused.
    fn shrink(&mut self) {
        if self.start.len() < self.start.capacity() / 2 {
            self.start.shrink_to_fit();
            self.end.shrink_to_fit();
        }
    }
}

impl FromIterator<(i64, i64)> for Spans {
    fn from_iter<I: IntoIterator<Item = (i64, i64)>>(spans: I) -> Self {
        let (start, end) = spans.into_iter().unzip();
        Self { start, end }
    }
}

/// A set of spans, borrowed where the caller's was canonical already.
struct Canonical<'a> {
    start: Cow<'a, [i64]>,
    end: Cow<'a, [i64]>,
}

impl<'a> Canonical<'a> {
    fn of(what: &'static str, start: &'a [i64], end: &'a [i64]) -> Result<Self> {
        let survey = Survey::of(what, start, end)?;
        if survey.canonical {
            let (start, end) = (Cow::Borrowed(start), Cow::Borrowed(end));
            return Ok(Self { start, end });
        }
        let mut merged = Spans::with_capacity(start.len());
        canonical::merge(&survey, start, end, &mut merged);
        let (start, end) = (Cow::Owned(merged.start), Cow::Owned(merged.end));
        Ok(Self { start, end })
    }
}

/// Number of bytes that lie in at least one span.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`], for the first bad span.
pub fn measure(start: &[i64], end: &[i64]) -> Result<i64> {
    let survey = Survey::of(SPAN, start, end)?;
    let mut total = Total::default();
    canonical::merge(&survey, start, end, &mut total);
    Ok(total.bytes)
}

/// The canonical set that covers the same bytes.
///
/// # Errors
///
/// As [`measure`].
pub fn union(start: &[i64], end: &[i64]) -> Result<Spans> {
    let survey = Survey::of(SPAN, start, end)?;
    let mut merged = Spans::with_capacity(start.len());
    canonical::merge(&survey, start, end, &mut merged);
    merged.shrink();
    Ok(merged)
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
    let spans = Canonical::of(SPAN, start, end)?;
    let others = Canonical::of(OTHER, other_start, other_end)?;
    let mut shared = Spans::default();
    combine::overlap(
        &spans.start,
        &spans.end,
        &others.start,
        &others.end,
        &mut shared,
    );
    Ok(shared)
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
    let spans = Canonical::of(SPAN, start, end)?;
    let others = Canonical::of(OTHER, other_start, other_end)?;
    let mut left = Spans::default();
    combine::without(
        &spans.start,
        &spans.end,
        &others.start,
        &others.end,
        &mut left,
    );
    Ok(left)
}

/// Number of bytes that both sets cover.
///
/// # Errors
///
/// As [`intersection`].
pub fn intersection_measure(
    start: &[i64],
    end: &[i64],
    other_start: &[i64],
    other_end: &[i64],
) -> Result<i64> {
    let spans = Canonical::of(SPAN, start, end)?;
    let others = Canonical::of(OTHER, other_start, other_end)?;
    let mut total = Total::default();
    combine::overlap(
        &spans.start,
        &spans.end,
        &others.start,
        &others.end,
        &mut total,
    );
    Ok(total.bytes)
}

/// Every span that the other operations would refuse: its index, rising, and why.
#[must_use]
pub fn check_spans(start: &[i64], end: &[i64]) -> (Vec<i64>, Vec<Fault>) {
    let fault = |(index, (&start, &end)): (usize, (&i64, &i64))| {
        let fault = if start < 0 {
            Fault::Negative
        } else if end < start {
            Fault::Reversed
        } else {
            return None;
        };
        Some((index as i64, fault))
    };
    start.iter().zip(end).enumerate().filter_map(fault).unzip()
}

/// Refuses the first span that is negative or reversed.
///
/// `what` names the spans in the message, and `base` is the place of the first of them in the arrays
/// that the caller of the kernel knows.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`].
pub fn check(what: &'static str, base: usize, start: &[i64], end: &[i64]) -> Result<()> {
    // A bad span sets the sign of its start, of its end, or of their difference, which overflows only
    // where one of them is negative. Without a way out of the loop, the compiler makes it a fast one.
    let spans = || start.iter().copied().zip(end.iter().copied());
    let signs = spans().fold(0, |signs, (start, end)| {
        signs | start | end | end.wrapping_sub(start)
    });
    if signs >= 0 {
        return Ok(());
    }
    let bad = spans()
        .enumerate()
        .find(|&(_, (start, end))| start < 0 || end < start);
    match bad {
        None => Ok(()),
        Some((index, (start, end))) => {
            let index = base + index;
            Err(if start < 0 {
                Error::NegativeSpan {
                    what,
                    index,
                    start,
                    end,
                }
            } else {
                Error::ReversedSpan {
                    what,
                    index,
                    start,
                    end,
                }
            })
        }
    }
}
