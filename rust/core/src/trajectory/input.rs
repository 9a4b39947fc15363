//! Input of the kernel: a batch of trajectories, and a single one of it.

use std::ops::Range;

use crate::{Error, Result, spans};

/// Spans of several files: three slices of one length.
#[derive(Debug, Clone, Copy)]
pub struct KeyedSpans<'a> {
    /// Code of the file, 0 or more. Codes need not be dense.
    pub key: &'a [i64],
    /// First byte.
    pub start: &'a [i64],
    /// The byte after the last.
    pub end: &'a [i64],
}

/// Many trajectories and the gold of each.
///
/// For n rows there are n + 1 non-decreasing offsets, which may begin above 0. The kernel panics if
/// they are out of range: they are checked where arrays enter the program.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Spans of all steps.
    pub spans: KeyedSpans<'a>,
    /// Step i holds the spans `[step_offsets[i], step_offsets[i + 1])`.
    pub step_offsets: &'a [i64],
    /// Trajectory i holds the steps `[trajectory_offsets[i], trajectory_offsets[i + 1])`.
    pub trajectory_offsets: &'a [i64],
    /// Gold of all trajectories; it may overlap.
    pub gold: KeyedSpans<'a>,
    /// Trajectory i has the gold `[gold_offsets[i], gold_offsets[i + 1])`.
    pub gold_offsets: &'a [i64],
}

/// One trajectory of a batch, whose spans and gold were checked.
pub(super) struct Trajectory<'a> {
    pub spans: KeyedSpans<'a>,
    pub gold: KeyedSpans<'a>,
    /// Every key, of a span or of gold, is below 2 to the power of this.
    pub key_bits: u32,
    /// Every end is below 2 to the power of this.
    pub end_bits: u32,
    /// Every span is shorter than 2 to the power of this.
    pub length_bits: u32,
    /// Offsets of the steps, relative to `first`.
    bounds: &'a [i64],
    first: i64,
}

impl<'a> KeyedSpans<'a> {
    pub(super) fn len(&self) -> usize {
        self.start.len()
    }

    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        Self {
            key: &self.key[range.clone()],
            start: &self.start[range.clone()],
            end: &self.end[range],
        }
    }

    /// Returns the key, start and end of each span.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, i64, i64)> + use<'a> {
        let bounds = self.start.iter().zip(self.end);
        self.key
            .iter()
            .zip(bounds)
            .map(|(&key, (&start, &end))| (key, start, end))
    }

    /// Returns the bitwise or of all keys, of all ends and of all lengths; `None` if a span is
    /// invalid.
    ///
    /// The compiler vectorizes this pass; the invalid span is searched for only if there is one.
    fn survey(&self) -> Option<(u64, u64, u64)> {
        let (mut keys, mut starts, mut ends, mut lengths) = (0, 0, 0, 0);
        for (key, start, end) in self.iter() {
            keys |= key;
            starts |= start;
            ends |= end;
            lengths |= end.wrapping_sub(start);
        }
        (keys | starts | ends | lengths >= 0).then_some((keys as u64, ends as u64, lengths as u64))
    }

    fn check(&self, what: &'static str, range: Range<usize>) -> Result<()> {
        let within = self.slice(range.clone());
        if within.survey().is_some() {
            return Ok(());
        }
        spans::check(what, range.start, within.start, within.end)?;
        match within.key.iter().position(|&key| key < 0) {
            None => Ok(()),
            Some(place) => Err(Error::NegativeKey {
                what,
                index: range.start + place,
                key: within.key[place],
            }),
        }
    }
}

impl Batch<'_> {
    /// Returns the number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trajectory_offsets.len() - 1
    }

    /// Returns the range of the steps of consecutive trajectories.
    pub(super) fn steps_of(&self, rows: &Range<usize>) -> Range<usize> {
        range(self.trajectory_offsets, rows)
    }

    fn spans_of(&self, rows: &Range<usize>) -> Range<usize> {
        range(self.step_offsets, &self.steps_of(rows))
    }

    fn gold_of(&self, rows: &Range<usize>) -> Range<usize> {
        range(self.gold_offsets, rows)
    }

    /// Returns whether there are no trajectories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of steps of all trajectories.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps_of(&(0..self.len())).len()
    }

    /// Returns the amount of work in the batch: its spans, steps and trajectories.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.weight_of(&(0..self.len())) + self.len()
    }

    /// Returns the amount of work before each trajectory, and before the end.
    pub(super) fn weights(&self) -> Vec<i64> {
        (0..=self.len())
            .map(|row| self.weight_of(&(0..row)) as i64)
            .collect()
    }

    fn weight_of(&self, rows: &Range<usize>) -> usize {
        self.spans_of(rows).len() + self.steps_of(rows).len() + self.gold_of(rows).len()
    }

    /// Refuses the first bad span, key, gold span or gold key, in this order.
    pub(super) fn check(&self) -> Result<()> {
        let rows = 0..self.len();
        self.spans.check("span", self.spans_of(&rows))?;
        self.gold.check("gold span", self.gold_of(&rows))
    }
}

impl<'a> Trajectory<'a> {
    /// Creates the trajectory `row`; `None` if a span, a key or gold of it is bad.
    pub fn new(batch: &Batch<'a>, row: usize) -> Option<Self> {
        let rows = row..row + 1;
        let steps = batch.steps_of(&rows);
        let spans = batch.spans.slice(batch.spans_of(&rows));
        let gold = batch.gold.slice(batch.gold_of(&rows));
        let (keys, ends, lengths) = spans.survey()?;
        let (gold_keys, gold_ends, _) = gold.survey()?;
        let bounds = &batch.step_offsets[steps.start..=steps.end];
        Some(Self {
            spans,
            gold,
            key_bits: bits(keys | gold_keys),
            end_bits: bits(ends | gold_ends),
            length_bits: bits(lengths),
            bounds,
            first: bounds[0],
        })
    }

    /// Returns the same trajectory with other keys, which are below 2 to the power of `key_bits`.
    pub fn with_keys<'b>(
        &'b self,
        keys: &'b [i64],
        gold_keys: &'b [i64],
        key_bits: u32,
    ) -> Trajectory<'b> {
        Trajectory {
            spans: KeyedSpans {
                key: keys,
                ..self.spans
            },
            gold: KeyedSpans {
                key: gold_keys,
                ..self.gold
            },
            key_bits,
            ..*self
        }
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the range of the spans of step `index`.
    pub fn range(&self, index: usize) -> Range<usize> {
        (self.bounds[index] - self.first) as usize..(self.bounds[index + 1] - self.first) as usize
    }

    /// Returns the spans of step `index`.
    pub fn step(&self, index: usize) -> KeyedSpans<'a> {
        self.spans.slice(self.range(index))
    }
}

/// Returns the number of bits of `value`.
pub(super) fn bits(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// Returns the range of the items of consecutive rows.
fn range(offsets: &[i64], rows: &Range<usize>) -> Range<usize> {
    offsets[rows.start] as usize..offsets[rows.end] as usize
}
