//! Trajectory sizes: what each step of an agent looked at, what it added to what had been seen, and
//! how much of that is gold.
//!
//! A trajectory is a sequence of steps, a step a set of spans `[start, end)` in files that are
//! identified by a key. Every granularity is such a trajectory: spans of bytes; ranges of lines as
//! `[first, last + 1)`; files, definitions and edited lines as unit spans `[code, code + 1)`; the
//! final context is a trajectory of one step. With `U(i)` the union of steps 0 to i and `G` the union
//! of the gold, step i has
//!
//! - `size`: bytes of the step's own union,
//! - `added`: bytes of `U(i)` that are not in `U(i - 1)`,
//! - `gold_added`: bytes of `G` among them.
//!
//! Hence the size of the union is Σ `added`, the coverage after step i is the sum of `gold_added` up
//! to i over the gold's size, and the redundancy is 1 − Σ `added` / Σ `size`.
//!
//! # Algorithm
//!
//! The whole trajectory is known in advance, so nothing is merged step by step. All files are laid
//! out end to end on one line, and the method depends on how dense it is: a bitmap in chronological
//! order for a dense line, otherwise a sweep along the line, with the spans sorted by start.
//! Either costs O(n log n) in the number of spans, whatever the number of steps and however the spans
//! overlap.

mod bitmap;
mod buckets;
mod figures;

mod input;
mod line;
mod method;
mod packed;
mod step;
mod sweep;
mod wide;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::ops::Range;

use crate::{Error, Result, pool};

pub use figures::{Figures, trajectory_figures};
use input::Trajectory;
pub use input::{Batch, KeyedSpans};
use method::Memory;

/// The output arrays. The first three have an element per step, the last one per trajectory.
#[derive(Debug)]
pub struct Sizes<'a> {
    /// Bytes of each step's own union.
    pub size: &'a mut [i64],
    /// Bytes that each step added to the union of those before it.
    pub added: &'a mut [i64],
    /// Those of them that are gold.
    pub gold_added: &'a mut [i64],
    /// Bytes of each trajectory's gold.
    pub gold_size: &'a mut [i64],
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Computes every trajectory of `batch` into `out`, in parallel if there is much to do.
///
/// Steps count from the first of the first trajectory, so that a slice of a batch has results of
/// its own length. Spans outside all steps, steps outside all trajectories and gold outside all
/// rows are ignored.
///
/// # Errors
///
/// The first of these that applies; indices are positions in the slices of `batch`:
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`] for the first such span,
/// [`Error::NegativeKey`] for the first such key of a span, the same two for gold, and
/// [`Error::Overflow`] for the first trajectory whose gold size, or the sum of whose steps' sizes,
/// exceeds an `i64`.
pub fn trajectory(batch: &Batch<'_>, out: Sizes<'_>) -> Result<()> {
    let result = if batch.weight() < pool::SERIAL {
        compute(batch, 0..batch.len(), out)
    } else {
        let pieces = pool::pieces(&batch.weights());
        pool::run(split(batch, pieces, out), |(rows, out)| {
            compute(batch, rows, out)
        })
        .map(drop)
    };
    // A bad value takes precedence over a sum that is too large, whichever was found first.
    result.or_else(|error| batch.check().and(Err(error)))
}

/// Splits `out` among the pieces.
fn split<'a>(
    batch: &Batch<'_>,
    pieces: Vec<Range<usize>>,
    out: Sizes<'a>,
) -> Vec<(Range<usize>, Sizes<'a>)> {
    let mut rest = out;
    let mut tasks = Vec::with_capacity(pieces.len());
    for rows in pieces {
        let steps = batch.steps_of(&rows).len();
        let (size, size_rest) = rest.size.split_at_mut(steps);
        let (added, added_rest) = rest.added.split_at_mut(steps);
        let (gold_added, gold_added_rest) = rest.gold_added.split_at_mut(steps);
        let (gold_size, gold_size_rest) = rest.gold_size.split_at_mut(rows.len());
        tasks.push((
            rows,
            Sizes {
                size,
                added,
                gold_added,
                gold_size,
            },
        ));
        rest = Sizes {
            size: size_rest,
            added: added_rest,
            gold_added: gold_added_rest,
            gold_size: gold_size_rest,
        };
    }
    tasks
}

/// Computes consecutive trajectories on this thread.
fn compute(batch: &Batch<'_>, rows: Range<usize>, out: Sizes<'_>) -> Result<()> {
    MEMORY.with_borrow_mut(|memory| {
        let mut begin = 0;
        for (row, gold_out) in rows.zip(out.gold_size) {
            let Some(trajectory) = Trajectory::new(batch, row) else {
                return batch.check();
            };
            let gold = memory.score(&trajectory);
            let overflow = |what| Error::Overflow { what, index: row };
            *gold_out = i64::try_from(gold).map_err(|_| overflow("gold size of trajectory"))?;
            let end = begin + memory.steps.len();
            let figures = out.size[begin..end]
                .iter_mut()
                .zip(&mut out.added[begin..end])
                .zip(&mut out.gold_added[begin..end]);
            let mut sum: u64 = 0;
            for (step, ((size, added), gold_added)) in memory.steps.iter().zip(figures) {
                sum = sum.saturating_add(step.size);
                *size = step.size as i64;
                *added = step.added as i64;
                *gold_added = step.gold_added as i64;
            }
            if i64::try_from(sum).is_err() {
                return Err(overflow("sum of step sizes of trajectory"));
            }
            begin = end;
        }
        memory.trim();
        Ok(())
    })
}
