//! Processes the views of attempts one after another.

use super::batch::{ATTEMPT_COUNTS, Rows, SIZE_COUNTS, Targets, Task, ViewColumns};
use super::written::WrittenLines;
use super::{Cover, Extent, GRANULARITIES, Rules, Scorer, Sizes, View, Views};
use crate::{Error, Result};

/// Index of the line granularity.
const LINE: usize = GRANULARITIES - 1;

/// Processes the views of one row after another, reusing memory.
pub(super) struct Walk<'a> {
    rows: &'a Rows<'a>,
    views: &'a ViewColumns<'a>,
    targets: &'a Targets<'a>,
    steps: Views,
    last: Views,
    covers: Vec<Cover>,
    scorer: Scorer,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        rows: &'a Rows<'a>,
        views: &'a ViewColumns<'a>,
        targets: &'a Targets<'a>,
    ) -> Self {
        Self {
            rows,
            views,
            targets,
            steps: Views::default(),
            last: Views::default(),
            covers: Vec::new(),
            scorer: Scorer::default(),
        }
    }

    /// Fills in the results of a row.
    pub(super) fn fill(
        &mut self,
        tasks: &[Task<'_>],
        row: usize,
        counts: &mut [i64],
        coverage: &mut [f64],
    ) -> Result<()> {
        let Some(task) = self.rows.task_of(tasks, row) else {
            counts[0] = self.rows.steps(row).len() as i64;
            return Ok(());
        };
        let sizes = self.score(task, row)?;
        fill(&sizes, counts, coverage);
        if task.rules == Rules::AsWritten && sizes.tally.empty_ranges > 0 {
            self.count_written(row, counts)?;
        }
        Ok(())
    }

    fn score(&mut self, task: Task<'_>, row: usize) -> Result<Sizes> {
        let mut steps = std::mem::take(&mut self.steps);
        let mut last = std::mem::take(&mut self.last);
        steps.clear();
        last.clear();
        let row_steps = self.rows.steps(row);
        let first = self.rows.step_offsets[row_steps.start] as usize;
        self.cover(first..self.rows.step_offsets[row_steps.end] as usize);
        for step in row_steps {
            self.add(task.rules, &mut steps, self.rows.step_views(step), first);
        }
        let has_final = self.rows.has_final[row];
        if has_final {
            let views = self.rows.final_views(row);
            self.cover(views.clone());
            self.add(task.rules, &mut last, views.clone(), views.start);
        }
        let declared = has_final.then_some(&mut last);
        let sizes = self
            .scorer
            .score(task.gold, task.rules, &mut steps, declared);
        (self.steps, self.last) = (steps, last);
        sizes
    }

    /// Finds what views cover before the result is needed: the tables are not in the cache, and the
    /// processor can fetch memory for several views at a time.
    fn cover(&mut self, range: std::ops::Range<usize>) {
        let mut covers = std::mem::take(&mut self.covers);
        covers.clear();
        covers.extend(range.map(|index| {
            let target = &self.targets.targets[self.targets.of_view[index] as usize];
            let view = self.view(index);
            target.file.map_or_else(Cover::default, |file| {
                file.cover(view.extent, view.start, view.end)
            })
        }));
        self.covers = covers;
    }

    /// Adds a step; `first` is the first view whose cover was found.
    fn add(&self, rules: Rules, step: &mut Views, range: std::ops::Range<usize>, first: usize) {
        for index in range {
            let number = self.targets.of_view[index];
            let target = &self.targets.targets[number as usize];
            let Some(file) = target.file else {
                step.add_unresolved(self.views.path[index] as u64, target.leak);
                continue;
            };
            let names = self.views.symbol_offsets[index]..self.views.symbol_offsets[index + 1];
            for name in names {
                step.add_named(file, self.targets.named[name as usize].iter().copied());
            }
            let cover = &self.covers[index - first];
            step.add_covered(rules, file, target.leak, self.view(index), cover);
        }
        step.end_step(rules);
    }

    fn view(&self, index: usize) -> View {
        let views = self.views;
        View {
            extent: Extent::ALL[views.extent[index] as usize],
            start: views.has_start[index].then_some(views.start[index]),
            end: views.has_end[index].then_some(views.end[index]),
            listed: views.listed[index],
        }
    }

    /// Counts lines again, including reversed ranges.
    fn count_written(&self, row: usize, counts: &mut [i64]) -> Result<()> {
        let lines = &mut counts[ATTEMPT_COUNTS + LINE * SIZE_COUNTS..];
        let last = self.written(self.rows.final_views(row));
        let mut all = WrittenLines::default();
        let mut viewed = 0;
        for step in self.rows.steps(row) {
            let mut ranges = self.written(self.rows.step_views(step));
            all.extend(&ranges);
            viewed += ranges.size();
        }
        let predicted = last.clone().size();
        if self.rows.steps(row).is_empty() {
            viewed = predicted;
            all = last;
        }
        for (slot, size) in [(2, predicted), (4, viewed), (5, all.size())] {
            lines[slot] = i64::try_from(size).map_err(|_| Error::Overflow {
                what: "lines as written of granularity",
                index: LINE,
            })?;
        }
        Ok(())
    }

    fn written(&self, range: std::ops::Range<usize>) -> WrittenLines {
        let mut lines = WrittenLines::default();
        for index in range {
            let number = self.targets.of_view[index];
            if let Some(file) = self.targets.targets[number as usize].file {
                lines.add(file, &self.view(index));
            }
        }
        lines
    }
}

fn fill(sizes: &Sizes, counts: &mut [i64], coverage: &mut [f64]) {
    let (attempt, by_granularity) = counts.split_at_mut(ATTEMPT_COUNTS);
    attempt.copy_from_slice(&[
        sizes.num_steps,
        i64::from(sizes.has_final_context),
        sizes.tally.views,
        sizes.tally.unresolved_paths(),
        sizes.tally.empty_ranges,
        sizes.tally.leaked_views,
    ]);
    let columns = sizes.last.iter().zip(&sizes.steps).enumerate();
    for ((index, (last, steps)), counts) in
        columns.zip(by_granularity.chunks_exact_mut(SIZE_COUNTS))
    {
        counts.copy_from_slice(&[
            last.intersection,
            last.gold,
            last.predicted as i64,
            steps.covered_sum as i64,
            steps.viewed as i64,
            steps.union as i64,
        ]);
        for (step, &share) in steps.coverage.iter().flatten().enumerate() {
            coverage[step * GRANULARITIES + index] = share;
        }
    }
}
