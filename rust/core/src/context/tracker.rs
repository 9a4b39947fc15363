//! The state of a trajectory that is still running.

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
}

impl Tracker {
    /// The steps of `views`, measured all at once; it takes no further steps.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`](crate::Error::Overflow) if sizes add up to more than an `i64`.
    pub(super) fn measured(gold: &[Gold; GRANULARITIES], views: &Views) -> Result<Self> {
        let mut tracker = Self::default();
        tracker.count(views);
        for (index, union) in tracker.unions.iter_mut().enumerate() {
            *union = Union::measured(&gold[index], &views.spans[index], &views.ends[index], index)?;
        }
        Ok(tracker)
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

    /// Number of steps so far.
    #[must_use]
    pub fn steps(&self) -> i64 {
        self.steps
    }

    /// Share of gold seen so far at each granularity; `None` without gold or steps.
    #[must_use]
    pub fn coverage(&self) -> [Option<f64>; GRANULARITIES] {
        self.unions.each_ref().map(Union::coverage)
    }

    /// Sizes of the steps so far, and of the final context: `last`, a single step, or their union.
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
        let Some(views) = last else {
            return sizes::checked(Sizes {
                num_steps: self.steps,
                has_final_context: self.has_range || self.unions[0].last(&gold[0]).predicted > 0,
                tally: self.tally.clone(),
                last: self.last(gold),
                steps: self.by_step(gold),
            });
        };
        let mut alone = Self::default();
        alone.add(gold, views);
        let mut tally = self.tally.clone();
        tally.add(&alone.tally);
        // As written, the final context is the one step of a trajectory without steps.
        let stands_in = rules == Rules::AsWritten && self.steps == 0;
        let stepped = if stands_in { &alone } else { self };
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
