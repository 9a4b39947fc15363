//! The union of steps at one granularity, and the gold that each step found.

use std::mem::take;

use super::gold::{Gold, merge};
use super::pieces::Pieces;
use super::sizes::STEP_SIZES;
use super::sweep::{Group, Sweep};
use super::{FinalSizes, Span, StepSizes, place};
use crate::trajectory::{Batch, KeyedSpans, Sizes, trajectory};
use crate::{Error, Result};

/// Sizes are kept in 128 bits; whether they fit in 64 is checked when they are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Union {
    pieces: Pieces,
    size: i128,
    covered: i64,
    viewed_size: i128,
    covered_sum: i128,
    coverage: Vec<f64>,
    /// `size` and `covered` at the end of the last step.
    ended: (i128, i64),
}

impl Union {
    /// Measures all steps that end at `ends` in `spans` at once; no further steps can be added.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] with `index`, that of the granularity, if the sum of the steps' sizes
    /// exceeds an `i64`.
    pub fn measured(gold: &Gold, spans: &[Span], ends: &[i64], index: usize) -> Result<Self> {
        let columns = Columns::new(spans);
        let gold_columns = Columns::new(gold.spans());
        let step_offsets: Vec<i64> = std::iter::once(0).chain(ends.iter().copied()).collect();
        let mut sizes = vec![0; 3 * ends.len()];
        let (size, rest) = sizes.split_at_mut(ends.len());
        let (added, gold_added) = rest.split_at_mut(ends.len());
        let batch = Batch {
            spans: columns.keyed(),
            step_offsets: &step_offsets,
            trajectory_offsets: &[0, ends.len() as i64],
            gold: gold_columns.keyed(),
            gold_offsets: &[0, gold.spans().len() as i64],
        };
        let out = Sizes {
            size,
            added,
            gold_added,
            gold_size: &mut [0],
        };
        trajectory(&batch, out).map_err(|error| match error {
            Error::Overflow { .. } => Error::Overflow {
                what: STEP_SIZES,
                index,
            },
            other => other,
        })?;
        let mut union = Self::default();
        for ((&size, &added), &gold_added) in size.iter().zip(&*added).zip(&*gold_added) {
            union.viewed_size += i128::from(size);
            union.size += i128::from(added);
            union.covered += gold_added;
            union.end_step(gold);
        }
        Ok(union)
    }

    /// Removes all steps, but keeps the memory.
    pub fn clear(&mut self) {
        let (mut pieces, mut coverage) = (take(&mut self.pieces), take(&mut self.coverage));
        pieces.clear();
        coverage.clear();
        *self = Self {
            pieces,
            coverage,
            ..Self::default()
        };
    }

    /// Adds the steps that end at `ends` in `spans` to a union without steps.
    pub fn add_all(&mut self, gold: &Gold, spans: &mut [Span], ends: &[i64], sweep: &mut Sweep) {
        if !sweep.sort(spans, ends) {
            let mut begin = 0;
            for &end in ends {
                self.add(gold, &mut spans[begin..end as usize]);
                begin = end as usize;
            }
            return;
        }
        sweep.groups(spans, |group, found| match group {
            Group::Alike(span, step, steps) => {
                let size = i128::from(span.end - span.start);
                self.size += size;
                self.viewed_size += size * i128::from(steps);
                found[step] += gold.within(span.key, (span.start, span.end));
            }
            Group::Step(spans, step) => {
                self.covered = 0;
                self.see(gold, spans);
                found[step] += self.covered;
            }
            Group::End => self.pieces.clear(),
        });
        self.covered = 0;
        for &found in &sweep.found {
            self.covered += found;
            self.end_step(gold);
        }
    }

    /// Adds one step; sorts its spans.
    pub fn add(&mut self, gold: &Gold, step: &mut [Span]) {
        self.see(gold, step);
        self.end_step(gold);
    }

    fn see(&mut self, gold: &Gold, step: &mut [Span]) {
        if step.len() > 1 {
            step.sort_unstable_by_key(|span| place(span.key, span.start));
        }
        merge(step, |span| {
            self.viewed_size += i128::from(span.end - span.start);
            self.pieces.add(span, |(start, end)| {
                self.size += i128::from(end - start);
                self.covered += gold.within(span.key, (start, end));
            });
        });
    }

    /// Adds spans of the open step, in any order.
    pub fn look(&mut self, gold: &Gold, spans: &[Span]) {
        for &span in spans {
            self.pieces.add(span, |(start, end)| {
                self.size += i128::from(end - start);
                self.covered += gold.within(span.key, (start, end));
            });
        }
    }

    /// Ends a step whose spans were all added; sorts them.
    pub fn close(&mut self, gold: &Gold, step: &mut [Span]) {
        step.sort_unstable();
        merge(step, |span| {
            self.viewed_size += i128::from(span.end - span.start);
        });
        self.end_step(gold);
    }

    fn end_step(&mut self, gold: &Gold) {
        self.ended = (self.size, self.covered);
        self.covered_sum += i128::from(self.covered);
        if gold.size() > 0 {
            self.coverage.push(self.covered as f64 / gold.size() as f64);
        }
    }

    /// Share of gold seen so far, including the open step; `None` without gold.
    pub fn coverage(&self, gold: &Gold) -> Option<f64> {
        (gold.size() > 0).then(|| self.covered as f64 / gold.size() as f64)
    }

    /// Total size of the finished steps, and how much of it an earlier step had shown.
    pub fn viewed(&self) -> (i128, i128) {
        (self.viewed_size, self.viewed_size - self.ended.0)
    }

    /// The union of the finished steps as a final context.
    pub fn last(&self, gold: &Gold) -> FinalSizes {
        let (predicted, intersection) = self.ended;
        FinalSizes {
            intersection,
            gold: gold.size(),
            predicted,
        }
    }

    /// The finished steps.
    pub fn steps(&self, gold: &Gold) -> StepSizes {
        StepSizes {
            coverage: (gold.size() > 0).then(|| self.coverage.clone()),
            covered_sum: self.covered_sum,
            viewed: self.viewed_size,
            union: self.ended.0,
        }
    }
}

/// Spans in the form that the trajectory kernel takes.
struct Columns {
    key: Vec<i64>,
    start: Vec<i64>,
    end: Vec<i64>,
}

impl Columns {
    fn new(spans: &[Span]) -> Self {
        Self {
            key: spans.iter().map(|span| span.key).collect(),
            start: spans.iter().map(|span| span.start).collect(),
            end: spans.iter().map(|span| span.end).collect(),
        }
    }

    fn keyed(&self) -> KeyedSpans<'_> {
        KeyedSpans {
            key: &self.key,
            start: &self.start,
            end: &self.end,
        }
    }
}
