//! A single pass over all spans that checks them and determines how to merge them.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::Set;
use crate::{Error, Result, pool};

/// Spans per piece of work; two pieces or more are surveyed in parallel.
const PIECE: usize = 1 << 17;

/// Facts about checked spans.
#[derive(Debug, Clone, Copy)]
pub struct Survey {
    /// Whether the starts never decrease.
    pub sorted: bool,
    /// The least start; the greatest integer if there are no spans.
    pub low: i64,
    /// The greatest start; 0 if there are no spans.
    pub high: i64,
}

impl Survey {
    /// Surveys spans, and refuses the first that is negative or reversed.
    ///
    /// `what` names the spans in the message, and `base` is the index of the first of them in the
    /// caller's arrays.
    pub fn of(what: &'static str, base: usize, spans: Set) -> Result<Self> {
        let glance = Glance::at(spans);
        if glance.bad < 0 {
            return Err(first_bad(what, base, spans));
        }
        Ok(glance.survey())
    }

    /// Surveys spans that have been checked before.
    pub fn of_checked(spans: Set) -> Self {
        Glance::at(spans).survey()
    }
}

/// Spans to survey, and the start after the last of them, if there is one.
struct Look<'a> {
    starts: &'a [i64],
    ends: &'a [i64],
}

/// The result of a pass; the first two by sign, so that the loop has no early exit.
#[derive(Clone, Copy)]
struct Glance {
    /// Negative if a start, an end or their difference is. The difference overflows only if one of
    /// the two is negative.
    bad: i64,
    /// Negative if a start is followed by a smaller one.
    falls: i64,
    low: i64,
    high: i64,
}

impl Glance {
    const EMPTY: Self = Self {
        bad: 0,
        falls: 0,
        low: i64::MAX,
        high: 0,
    };

    fn at(spans: Set) -> Self {
        let look = |piece: Range<usize>| {
            // The order of starts also has to be checked across the border of two pieces.
            let after = spans.len().min(piece.end + 1);
            let (starts, ends) = (&spans.start[piece.start..after], &spans.end[piece]);
            Arch::new().dispatch(Look { starts, ends })
        };
        if spans.len() <= PIECE {
            return look(0..spans.len());
        }
        let glances = pool::map(pool::chunks(spans.len(), PIECE), look);
        glances.into_iter().fold(Self::EMPTY, Self::with)
    }

    fn survey(self) -> Survey {
        Survey {
            sorted: self.falls >= 0,
            low: self.low,
            high: self.high,
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            bad: self.bad | other.bad,
            falls: self.falls | other.falls,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
}

impl WithSimd for Look<'_> {
    type Output = Glance;

    #[expect(
        clippy::inline_always,
        reason = "`dispatch` compiles for the CPU only what is inlined into it"
    )]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Glance {
        let mut all = Glance::EMPTY;
        for (&start, &end) in self.starts.iter().zip(self.ends) {
            all.bad |= start | end | end.wrapping_sub(start);
            all.low = all.low.min(start);
            all.high = all.high.max(start);
        }
        for (&start, &next) in self.starts.iter().zip(self.starts.iter().skip(1)) {
            all.falls |= next.wrapping_sub(start);
        }
        all
    }
}

/// Returns the error for spans of which at least one is bad.
fn first_bad(what: &'static str, base: usize, spans: Set) -> Error {
    let mut spans = spans.iter().enumerate();
    let bad = spans.find(|&(_, (start, end))| start < 0 || end < start);
    let (index, (start, end)) = bad.unwrap_or_default();
    let index = base + index;
    if start < 0 {
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
    }
}
