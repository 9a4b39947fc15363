//! The state of a trajectory that is still running.

use super::sweep::Sweep;
use super::union::Union;
use super::{FinalSizes, GRANULARITIES, Gold, Rules, Sizes, StepSizes, Tally, Views, sizes};
use crate::Result;

/// The union of the steps so far.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    unions: [Union; GRANULARITIES],
    steps: i64,
    has_range: bool,
    tally: Tally,
    /// The views of the open step.
    open: Views,
    is_open: bool,
}

impl Tracker {
    /// Measures all steps of `views` at once; no further steps can be added.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`](crate::Error::Overflow) if a sum of sizes exceeds an `i64`.
    pub(super) fn measured(gold: &[Gold; GRANULARITIES], views: &Views) -> Result<Self> {
        let mut tracker = Self::default();
        tracker.count(views);
        for (index, union) in tracker.unions.iter_mut().enumerate() {
            *union = Union::measured(&gold[index], &views.spans[index], &views.ends[index], index)?;
        }
        Ok(tracker)
    }

    /// Removes all steps, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.unions.iter_mut().for_each(Union::clear);
        self.tally.clear();
        self.open.clear();
        (self.steps, self.has_range, self.is_open) = (0, false, false);
    }

    /// Adds the steps of `views`; sorts the spans of each.
    pub fn add(&mut self, gold: &[Gold; GRANULARITIES], views: &mut Views) {
        self.count(views);
        let columns = views.spans.iter_mut().zip(&views.ends);
        for ((union, gold), (spans, ends)) in self.unions.iter_mut().zip(gold).zip(columns) {
            let mut begin = 0;
            for &end in ends {
                union.add(gold, &mut spans[begin..end as usize]);
                begin = end as usize;
            }
        }
    }

    /// Adds the steps of `views` to a trajectory without steps; same result as [`Self::add`].
    pub(super) fn add_all(
        &mut self,
        gold: &[Gold; GRANULARITIES],
        views: &mut Views,
        sweep: &mut Sweep,
    ) {
        self.count(views);
        let columns = views.spans.iter_mut().zip(&views.ends);
        for ((union, gold), (spans, ends)) in self.unions.iter_mut().zip(gold).zip(columns) {
            union.add_all(gold, spans, ends, sweep);
        }
    }

    /// Adds views to the open step, or opens one; `views` has no finished step.
    pub fn view(&mut self, gold: &[Gold; GRANULARITIES], rules: Rules, views: &Views) {
        self.is_open = true;
        self.open.absorb(views);
        let columns = views.certain(rules);
        for ((union, gold), spans) in self.unions.iter_mut().zip(gold).zip(columns) {
            for spans in spans {
                union.look(gold, spans);
            }
        }
    }

    /// Ends the open step; if none is open, adds an empty step.
    pub fn close_step(&mut self, gold: &[Gold; GRANULARITIES], rules: Rules) {
        let mut open = std::mem::take(&mut self.open);
        open.end_step(rules);
        self.count(&open);
        let columns = open.spans.iter_mut().zip(&mut self.unions).zip(gold);
        for ((spans, union), gold) in columns {
            // Spans that were uncertain before; the others have been added already.
            union.look(gold, spans);
            union.close(gold, spans);
        }
        open.clear();
        (self.open, self.is_open) = (open, false);
    }

    /// Whether a step is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Number of steps so far, including an open one.
    #[must_use]
    pub fn steps(&self) -> i64 {
        self.steps + i64::from(self.is_open)
    }

    /// Share of gold seen so far at each granularity, including the open step; `None` without gold
    /// or steps.
    #[must_use]
    pub fn coverage(&self, gold: &[Gold; GRANULARITIES]) -> [Option<f64>; GRANULARITIES] {
        if self.steps() == 0 {
            return [None; GRANULARITIES];
        }
        std::array::from_fn(|index| self.unions[index].coverage(&gold[index]))
    }

    /// Total size of the finished steps, and how much of it an earlier step had shown, at each
    /// granularity.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`](crate::Error::Overflow) if a sum of sizes exceeds an `i64`.
    pub fn viewed(&self) -> Result<[(i64, i64); GRANULARITIES]> {
        let sums = self.unions.each_ref().map(Union::viewed);
        sizes::check(sums.iter().map(|sum| sum.0), sizes::STEP_SIZES)?;
        Ok(sums.map(|(viewed, repeated)| (viewed as i64, repeated as i64)))
    }

    /// Sizes of the finished steps and of the final context: `last`, a single step, or their union.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`](crate::Error::Overflow) if a sum of sizes exceeds an `i64`.
    pub fn sizes(
        &self,
        gold: &[Gold; GRANULARITIES],
        rules: Rules,
        last: Option<&mut Views>,
    ) -> Result<Sizes> {
        self.sizes_with(
            gold,
            rules,
            last,
            &mut Self::default(),
            &mut Sweep::default(),
        )
    }

    /// Like [`Self::sizes`], using `alone`, which has no steps, to measure the final context.
    pub(super) fn sizes_with(
        &self,
        gold: &[Gold; GRANULARITIES],
        rules: Rules,
        last: Option<&mut Views>,
        alone: &mut Self,
        sweep: &mut Sweep,
    ) -> Result<Sizes> {
        let Some(views) = last else {
            return sizes::checked(Sizes {
                num_steps: self.steps,
                has_final_context: self.has_range || self.unions[0].last(&gold[0]).predicted > 0,
                tally: self.tally.clone(),
                last: self.last(gold),
                steps: self.by_step(gold),
            });
        };
        alone.add_all(gold, views, sweep);
        let mut tally = self.tally.clone();
        tally.add(&alone.tally);
        // With `AsWritten`, the final context is the only step of a trajectory without steps.
        let stands_in = rules == Rules::AsWritten && self.steps == 0;
        let stepped = if stands_in { &*alone } else { self };
        sizes::checked(Sizes {
            num_steps: stepped.steps,
            has_final_context: alone.has_range || alone.unions[0].last(&gold[0]).predicted > 0,
            tally,
            last: alone.last(gold),
            steps: stepped.by_step(gold),
        })
    }

    fn count(&mut self, views: &Views) {
        self.steps += views.steps() as i64;
        self.has_range |= views.has_range;
        self.tally.add(&views.tally);
    }

    fn last(&self, gold: &[Gold; GRANULARITIES]) -> [FinalSizes; GRANULARITIES] {
        std::array::from_fn(|index| self.unions[index].last(&gold[index]))
    }

    fn by_step(&self, gold: &[Gold; GRANULARITIES]) -> [StepSizes; GRANULARITIES] {
        std::array::from_fn(|index| self.unions[index].steps(&gold[index]))
    }
}
