//! Sizes of a trajectory's steps and final context, computed in one of two ways.

use super::sweep::Sweep;
use super::{GRANULARITIES, Gold, Rules, Tracker, Views};
use crate::{Error, Result};

/// From this number of spans at all granularities, the trajectory kernel is used, whose cost does
/// not depend on the number of overlaps; below it, a sweep is faster.
const LONG: usize = 2048;

pub(super) const STEP_SIZES: &str = "sum of step sizes of granularity";

/// The final context at one granularity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinalSizes {
    /// Size of its intersection with gold.
    pub intersection: i64,
    /// Size of gold.
    pub gold: i64,
    /// Its own size.
    pub predicted: i128,
}

/// The steps at one granularity.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSizes {
    /// Share of gold seen after each step; `None` without gold.
    pub coverage: Option<Vec<f64>>,
    /// Size of the gold seen after each step, summed over the steps.
    pub covered_sum: i128,
    /// Size of each step, summed over the steps.
    pub viewed: i128,
    /// Size of their union.
    pub union: i128,
}

/// How the views were resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Views.
    pub views: i64,
    /// Numbers of the paths that refer to no file, one per view.
    pub unresolved: Vec<u64>,
    /// Views with an empty range: reversed, or outside the file.
    pub empty_ranges: i64,
    /// Views of a patch of the benchmark.
    pub leaked_views: i64,
}

/// All sizes of one trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// Number of steps.
    pub num_steps: i64,
    /// Whether the final context contains a file or a span that was resolved.
    pub has_final_context: bool,
    /// How the views were resolved, including those of the final context.
    pub tally: Tally,
    /// The final context, by granularity.
    pub last: [FinalSizes; GRANULARITIES],
    /// The steps, by granularity.
    pub steps: [StepSizes; GRANULARITIES],
}

impl Tally {
    /// Number of distinct paths that refer to no file.
    #[must_use]
    pub fn unresolved_paths(&self) -> i64 {
        let mut numbers = self.unresolved.clone();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len() as i64
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.views += other.views;
        self.unresolved.extend_from_slice(&other.unresolved);
        self.empty_ranges += other.empty_ranges;
        self.leaked_views += other.leaked_views;
    }

    pub(super) fn clear(&mut self) {
        self.unresolved.clear();
        (self.views, self.empty_ranges, self.leaked_views) = (0, 0, 0);
    }
}

/// Scores trajectories one after another, reusing memory.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    steps: Tracker,
    last: Tracker,
    sweep: Sweep,
}

impl Scorer {
    /// Scores a whole trajectory with the steps of `views`; its final context is `last`, a single
    /// step, or else the union of the steps.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if a sum of sizes exceeds an `i64`.
    pub fn score(
        &mut self,
        gold: &[Gold; GRANULARITIES],
        rules: Rules,
        views: &mut Views,
        last: Option<&mut Views>,
    ) -> Result<Sizes> {
        self.last.clear();
        if views.len() < LONG {
            self.steps.clear();
            self.steps.add_all(gold, views, &mut self.sweep);
        } else {
            self.steps = Tracker::measured(gold, views)?;
        }
        self.steps
            .sizes_with(gold, rules, last, &mut self.last, &mut self.sweep)
    }
}

/// Rejects sizes that do not fit in an `i64`.
pub(super) fn checked(sizes: Sizes) -> Result<Sizes> {
    let viewed = sizes.steps.iter().map(|steps| steps.viewed);
    let covered = sizes.steps.iter().map(|steps| steps.covered_sum);
    let predicted = sizes.last.iter().map(|last| last.predicted);
    check(viewed, STEP_SIZES)?;
    check(covered, "sum of covered sizes of granularity")?;
    check(predicted, "size of the final context of granularity")?;
    Ok(sizes)
}

pub(super) fn check(sums: impl Iterator<Item = i128>, what: &'static str) -> Result<()> {
    let mut sums = sums.enumerate();
    let too_large = sums.find(|&(_, sum)| sum > i128::from(i64::MAX));
    too_large.map_or(Ok(()), |(index, _)| Err(Error::Overflow { what, index }))
}
