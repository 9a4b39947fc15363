//! One look at all spans, which checks them and shows how to merge them.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::Set;
use crate::{Error, Result, pool};

/// Spans of one piece of work; from two pieces on, they are looked at in parallel.
const PIECE: usize = 1 << 17;

/// What is known of spans that have been checked.
#[derive(Debug, Clone, Copy)]
pub struct Survey {
    /// The starts never fall.
    pub sorted: bool,
    /// The least start; the greatest integer without spans.
    pub low: i64,
    /// The greatest start; 0 without spans.
    pub high: i64,
}

impl Survey {
    /// Surveys spans, and refuses the first that is negative or reversed.
    ///
    /// `what` names the spans in the message, and `base` is the place of the first of them in the
    /// arrays that the caller of the kernel knows.
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

/// Spans to look at, and the start after the last of them, if there is one.
struct Look<'a> {
    starts: &'a [i64],
    ends: &'a [i64],
}

/// What a look shows; the first two by their signs, so that the loop has no way out.
#[derive(Clone, Copy)]
struct Glance {
    /// Negative if a start, an end or their difference is. The difference overflows only where one
    /// of the two is negative.
    bad: i64,
    /// Negative if a start is followed by a lesser one.
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
            // Whether the starts fall from one piece to the next is a question as well.
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

    #[allow(clippy::inline_always)] // `dispatch` compiles for the CPU only what is inlined into it
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

/// The refusal of spans of which at least one is bad.
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
