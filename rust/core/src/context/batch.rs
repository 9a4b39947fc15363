//! The views of many attempts, each beside the gold of its task.
//!
//! [`pairs`](super::pairs()) has numbered what their paths lead to; [`score_rows`] scores pieces of
//! rows on all threads.

use super::written::WrittenLines;
use super::{Extent, File, GRANULARITIES, Gold, Rules, Scorer, Sizes, View, Views};
use crate::{Error, Result, pool};

/// Numbers of an attempt that are not those of a granularity.
const ATTEMPT_COUNTS: usize = 6;
/// Numbers of an attempt at each granularity.
const SIZE_COUNTS: usize = 6;
/// Numbers of an attempt, in the order that the twin states.
pub const COUNTS: usize = ATTEMPT_COUNTS + GRANULARITIES * SIZE_COUNTS;

/// Rows that a thread takes at a time: about 100 µs of work.
const PIECE: usize = 32;
/// The granularity of lines.
const LINE: usize = GRANULARITIES - 1;

/// Views of many attempts, a column for each of their properties.
#[derive(Debug, Clone, Copy)]
pub struct ViewColumns<'a> {
    /// Code of each view's path.
    pub path: &'a [i64],
    /// What the numbers of each view count: the place in [`Extent::ALL`].
    pub extent: &'a [i64],
    /// First line or byte, where there is one.
    pub start: &'a [i64],
    /// Last line, or the byte after the last, where there is one.
    pub end: &'a [i64],
    /// Whether there is a start.
    pub has_start: &'a [bool],
    /// Whether there is an end.
    pub has_end: &'a [bool],
    /// Whether the file was listed as seen.
    pub listed: &'a [bool],
    /// Codes of the names that views ask for, view by view.
    pub symbol: &'a [i64],
    /// View i asks for the names `[symbol_offsets[i], symbol_offsets[i + 1])`.
    pub symbol_offsets: &'a [i64],
}

/// Where the attempts, their steps and their final contexts lie among the views.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Number of each attempt's task, or -1 for one without a task.
    pub task: &'a [i64],
    /// Step i has the views `[step_offsets[i], step_offsets[i + 1])`.
    pub step_offsets: &'a [i64],
    /// Attempt i has the steps `[row_offsets[i], row_offsets[i + 1])`.
    pub row_offsets: &'a [i64],
    /// The final context of attempt i has the views `[final_offsets[i], final_offsets[i + 1])`.
    pub final_offsets: &'a [i64],
    /// Whether each attempt declares a final context.
    pub has_final: &'a [bool],
}

/// What the attempts at a task are scored against.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Gold by granularity.
    pub gold: &'a [Gold; GRANULARITIES],
    /// What ranges and names mean.
    pub rules: Rules,
}

/// Where a path leads.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The file, if it leads to one.
    pub file: Option<&'a File>,
    /// Whether it names a patch of the benchmark.
    pub leak: bool,
}

/// What the views of the rows lead to.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// Number of each view's pair of repository and path.
    pub of_view: &'a [u32],
    /// Where each pair leads.
    pub targets: &'a [Target<'a>],
    /// Definitions of each name that a view asks for, view by view.
    pub named: &'a [Vec<i64>],
}

/// Sizes of many attempts.
#[derive(Debug, Default)]
pub struct BatchSizes {
    /// [`COUNTS`] numbers of each attempt.
    pub counts: Vec<i64>,
    /// Share of gold seen after each step, at each granularity; NaN without gold.
    pub coverage: Vec<f64>,
    /// Where the steps of each attempt begin in `coverage`, and where the last ones end.
    pub offsets: Vec<i64>,
}

impl Rows<'_> {
    pub(super) fn steps(&self, row: usize) -> std::ops::Range<usize> {
        self.row_offsets[row] as usize..self.row_offsets[row + 1] as usize
    }

    fn step_views(&self, step: usize) -> std::ops::Range<usize> {
        self.step_offsets[step] as usize..self.step_offsets[step + 1] as usize
    }

    pub(super) fn final_views(&self, row: usize) -> std::ops::Range<usize> {
        self.final_offsets[row] as usize..self.final_offsets[row + 1] as usize
    }
}

/// Refuses codes that stand for nothing.
///
/// # Errors
///
/// [`Error::Code`] or [`Error::Choice`] with the first of them.
pub fn check(
    rows: &Rows<'_>,
    views: &ViewColumns<'_>,
    tasks: usize,
    paths: usize,
    names: usize,
) -> Result<()> {
    if let Some(index) = position(rows.task, -1, tasks as i64) {
        return Err(Error::Choice {
            what: "task",
            index,
            value: rows.task[index],
            low: -1,
            high: Some(tasks as i64 - 1),
        });
    }
    for (what, codes, count) in [
        ("path", views.path, paths),
        ("extent", views.extent, Extent::ALL.len()),
        ("symbol", views.symbol, names),
    ] {
        if let Some(index) = position(codes, 0, count as i64) {
            let code = codes[index];
            return Err(Error::Code {
                what,
                index,
                code,
                count,
            });
        }
    }
    Ok(())
}

/// Position of the first value below `low`, or not below `end`.
fn position(values: &[i64], low: i64, end: i64) -> Option<usize> {
    values.iter().position(|&value| value < low || value >= end)
}

/// Scores the attempts; `repository` is that of each task.
///
/// # Errors
///
/// [`Error::Overflow`] if a sum of sizes exceeds an `i64`.
pub fn score_rows(
    rows: &Rows<'_>,
    views: &ViewColumns<'_>,
    tasks: &[Task<'_>],
    repository: &[usize],
    targets: &Targets<'_>,
) -> Result<BatchSizes> {
    let count = rows.task.len();
    let mut offsets = Vec::with_capacity(count + 1);
    offsets.push(0);
    for row in 0..count {
        offsets.push(offsets[row] + num_steps(rows, tasks, row) as i64);
    }
    let mut counts = vec![0; count * COUNTS];
    let mut coverage = vec![f64::NAN; offsets[count] as usize * GRANULARITIES];
    let mut slots = Vec::with_capacity(count);
    let (mut counts_left, mut coverage_left) = (&mut counts[..], &mut coverage[..]);
    for row in 0..count {
        let steps = (offsets[row + 1] - offsets[row]) as usize;
        let slot;
        (slot, coverage_left) = coverage_left.split_at_mut(steps * GRANULARITIES);
        let (own, rest) = counts_left.split_at_mut(COUNTS);
        counts_left = rest;
        slots.push(Slot {
            row,
            counts: own,
            coverage: slot,
        });
    }
    // The tables of one repository stay in a cache that is too small for those of all.
    slots.sort_by_key(|slot| {
        usize::try_from(rows.task[slot.row])
            .map(|task| repository[task])
            .ok()
    });
    let pieces: Vec<_> = slots.chunks_mut(PIECE).collect();
    let scored = pool::run(pieces, |piece| {
        let mut walk = Walk::new(rows, views, targets);
        let mut slots = piece.iter_mut();
        slots.try_for_each(|slot| walk.fill(tasks, slot.row, slot.counts, slot.coverage))
    });
    if let Err(error) = scored {
        return Err(first_error(rows, views, tasks, targets).unwrap_or(error));
    }
    Ok(BatchSizes {
        counts,
        coverage,
        offsets,
    })
}

/// A row, and where its numbers go.
struct Slot<'a> {
    row: usize,
    counts: &'a mut [i64],
    coverage: &'a mut [f64],
}

/// The error of the first row that has one, as if the rows were scored in order.
fn first_error(
    rows: &Rows<'_>,
    views: &ViewColumns<'_>,
    tasks: &[Task<'_>],
    targets: &Targets<'_>,
) -> Option<Error> {
    let mut walk = Walk::new(rows, views, targets);
    (0..rows.task.len()).find_map(|row| {
        let mut coverage = vec![0.0; num_steps(rows, tasks, row) * GRANULARITIES];
        walk.fill(tasks, row, &mut [0; COUNTS], &mut coverage).err()
    })
}

fn task_of<'a>(rows: &Rows<'_>, tasks: &[Task<'a>], row: usize) -> Option<Task<'a>> {
    let task = usize::try_from(rows.task[row]).ok()?;
    Some(tasks[task])
}

/// How many steps are scored; as written, the final context stands for missing ones.
fn num_steps(rows: &Rows<'_>, tasks: &[Task<'_>], row: usize) -> usize {
    let steps = rows.steps(row).len();
    let stands_in = |task: Task<'_>| task.rules == Rules::AsWritten && rows.has_final[row];
    match task_of(rows, tasks, row) {
        None => 0,
        Some(task) if steps == 0 => usize::from(stands_in(task)),
        Some(_) => steps,
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

/// Walks the views of one row after another, in memory that is kept.
struct Walk<'a> {
    rows: &'a Rows<'a>,
    views: &'a ViewColumns<'a>,
    targets: &'a Targets<'a>,
    steps: Views,
    last: Views,
    scorer: Scorer,
}

impl<'a> Walk<'a> {
    fn new(rows: &'a Rows<'a>, views: &'a ViewColumns<'a>, targets: &'a Targets<'a>) -> Self {
        Self {
            rows,
            views,
            targets,
            steps: Views::default(),
            last: Views::default(),
            scorer: Scorer::default(),
        }
    }

    /// Fills in the numbers of a row.
    fn fill(
        &mut self,
        tasks: &[Task<'_>],
        row: usize,
        counts: &mut [i64],
        coverage: &mut [f64],
    ) -> Result<()> {
        let Some(task) = task_of(self.rows, tasks, row) else {
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
        for step in self.rows.steps(row) {
            self.add(task.rules, &mut steps, self.rows.step_views(step));
        }
        let has_final = self.rows.has_final[row];
        if has_final {
            self.add(task.rules, &mut last, self.rows.final_views(row));
        }
        let declared = has_final.then_some(&mut last);
        let sizes = self
            .scorer
            .score(task.gold, task.rules, &mut steps, declared);
        (self.steps, self.last) = (steps, last);
        sizes
    }

    /// Adds a step.
    fn add(&self, rules: Rules, step: &mut Views, range: std::ops::Range<usize>) {
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
            step.add(rules, file, target.leak, self.view(index));
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

    /// Counts lines once more, with those of reversed ranges.
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
