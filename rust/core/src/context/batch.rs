//! Scores the views of many attempts, each against the gold of its task.
//!
//! [`pairs`](super::pairs()) numbers the pairs of repository and path; [`score_rows`] then scores
//! blocks of rows on all threads.

use super::walk::Walk;
use super::{Extent, File, GRANULARITIES, Gold, Rules};
use crate::{Error, Result, pool};

/// Counts per attempt that do not depend on granularity.
pub(super) const ATTEMPT_COUNTS: usize = 6;
/// Counts per attempt and granularity.
pub(super) const SIZE_COUNTS: usize = 6;
/// Counts per attempt, in the order of `CONTEXT_COUNTS` in the Python twin.
pub const COUNTS: usize = ATTEMPT_COUNTS + GRANULARITIES * SIZE_COUNTS;

/// Rows per block for one thread: about 100 µs of work.
const PIECE: usize = 32;
/// Views of many attempts, one column per property.
#[derive(Debug, Clone, Copy)]
pub struct ViewColumns<'a> {
    /// Code of each view's path.
    pub path: &'a [i64],
    /// Index in [`Extent::ALL`]: the unit of each view's range.
    pub extent: &'a [i64],
    /// First line or byte, if any.
    pub start: &'a [i64],
    /// Last line, or the byte after the last, if any.
    pub end: &'a [i64],
    /// Whether there is a start.
    pub has_start: &'a [bool],
    /// Whether there is an end.
    pub has_end: &'a [bool],
    /// Whether the file was listed as seen.
    pub listed: &'a [bool],
    /// Codes of the names that views request, view by view.
    pub symbol: &'a [i64],
    /// View i requests the names `[symbol_offsets[i], symbol_offsets[i + 1])`.
    pub symbol_offsets: &'a [i64],
}

/// Positions of attempts, steps and final contexts among the views.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Number of each attempt's task, or -1 if it has none.
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

/// The reference for scoring attempts at a task.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Gold by granularity.
    pub gold: &'a [Gold; GRANULARITIES],
    /// How to interpret ranges and names.
    pub rules: Rules,
}

/// What a path refers to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The file, if any.
    pub file: Option<&'a File>,
    /// Whether it names a patch of the benchmark.
    pub leak: bool,
}

/// What the views of the rows refer to.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// Number of each view's pair of repository and path.
    pub of_view: &'a [u32],
    /// Target of each pair.
    pub targets: &'a [Target<'a>],
    /// Definitions of each name that a view requests, view by view.
    pub named: &'a [Vec<i64>],
}

/// Sizes of many attempts.
#[derive(Debug, Default)]
pub struct BatchSizes {
    /// [`COUNTS`] numbers per attempt.
    pub counts: Vec<i64>,
    /// Share of gold seen after each step, at each granularity; NaN without gold.
    pub coverage: Vec<f64>,
    /// Offsets of each attempt's steps in `coverage`.
    pub offsets: Vec<i64>,
}

impl Rows<'_> {
    pub(super) fn steps(&self, row: usize) -> std::ops::Range<usize> {
        self.row_offsets[row] as usize..self.row_offsets[row + 1] as usize
    }

    pub(super) fn step_views(&self, step: usize) -> std::ops::Range<usize> {
        self.step_offsets[step] as usize..self.step_offsets[step + 1] as usize
    }

    pub(super) fn final_views(&self, row: usize) -> std::ops::Range<usize> {
        self.final_offsets[row] as usize..self.final_offsets[row + 1] as usize
    }

    pub(super) fn task_of<'t>(&self, tasks: &[Task<'t>], row: usize) -> Option<Task<'t>> {
        let task = usize::try_from(self.task[row]).ok()?;
        Some(tasks[task])
    }
}

/// Rejects codes that are out of range.
///
/// # Errors
///
/// [`Error::Code`] or [`Error::Choice`] with the first such code.
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

/// Position of the first value outside `low..end`.
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
    // The cache has room for the tables of one repository, but not for those of all.
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

/// A row, and the memory for its results.
struct Slot<'a> {
    row: usize,
    counts: &'a mut [i64],
    coverage: &'a mut [f64],
}

/// The first row's error, as if the rows were scored in order.
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

/// Number of steps to score; with `AsWritten`, the final context replaces missing steps.
fn num_steps(rows: &Rows<'_>, tasks: &[Task<'_>], row: usize) -> usize {
    let steps = rows.steps(row).len();
    let stands_in = |task: Task<'_>| task.rules == Rules::AsWritten && rows.has_final[row];
    match rows.task_of(tasks, row) {
        None => 0,
        Some(task) if steps == 0 => usize::from(stands_in(task)),
        Some(_) => steps,
    }
}
