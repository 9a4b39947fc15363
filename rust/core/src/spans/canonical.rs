//! Merging spans into a canonical set, by the method that suits them.

use super::{Result, Sink, check};

/// What one look at all spans tells about them.
pub struct Survey {
    /// The starts never fall.
    pub sorted: bool,
    /// The spans are a canonical set as they are.
    pub canonical: bool,
}

impl Survey {
    /// Checks spans and surveys them.
    pub fn of(what: &'static str, start: &[i64], end: &[i64]) -> Result<Self> {
        check(what, 0, start, end)?;
        Ok(Self::of_checked(start, end))
    }

    /// Surveys spans that have been checked.
    pub fn of_checked(start: &[i64], end: &[i64]) -> Self {
        let sorted = start.is_sorted();
        let canonical = sorted
            && start.iter().zip(end).all(|(start, end)| start < end)
            && start.iter().skip(1).zip(end).all(|(next, end)| next > end);
        Self { sorted, canonical }
    }
}

/// Memory that merging needs, kept from one set to the next.
#[derive(Default)]
pub struct Scratch {
    pairs: Vec<(i64, i64)>,
}

/// Pushes the canonical set of checked spans into `sink`.
pub fn merge(
    survey: &Survey,
    start: &[i64],
    end: &[i64],
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) {
    let spans = start.iter().copied().zip(end.iter().copied());
    let mut sweep = Sweep::new(sink);
    if survey.sorted {
        for (start, end) in spans {
            sweep.add(start, end);
        }
    } else {
        let pairs = &mut scratch.pairs;
        pairs.clear();
        pairs.extend(spans);
        pairs.sort_unstable_by_key(|&(start, _)| start);
        for &(start, end) in pairs.iter() {
            sweep.add(start, end);
        }
    }
    sweep.finish();
}

/// Merges spans that come in the order of their starts.
struct Sweep<'a, S> {
    start: i64,
    reach: i64,
    sink: &'a mut S,
}

impl<'a, S: Sink> Sweep<'a, S> {
    fn new(sink: &'a mut S) -> Self {
        Self {
            start: 0,
            reach: 0,
            sink,
        }
    }

    fn add(&mut self, start: i64, end: i64) {
        if start > self.reach {
            self.flush();
            (self.start, self.reach) = (start, end);
        } else {
            self.reach = self.reach.max(end);
        }
    }

    fn flush(&mut self) {
        if self.reach > self.start {
            self.sink.push(self.start, self.reach);
        }
    }

    fn finish(mut self) {
        self.flush();
    }
}
