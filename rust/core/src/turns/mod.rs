//! Turn counts of many runs from columns of codes, without an object per turn.
//!
//! A run takes one pass over its turns, a sort of its few reasons, and a hash table of its
//! calls to count the repeated ones. Runs are counted in parallel.

mod columns;
mod count;
mod repeats;

use std::ops::Range;

pub use columns::Columns;
use count::Count;

use crate::{Result, pool};

/// Number of counts per run.
pub const COUNTS: usize = 17;

/// Marks a turn without a number of its own, or a missing turn.
pub const NO_NUMBER: i64 = i64::MIN;

/// Runs that are checked and counted while their turns are in the cache.
const BLOCK: usize = 64;

/// The counts of all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The [`COUNTS`] of each run, run by run.
    pub table: Vec<i64>,
    /// Reasons of each run, ascending.
    pub reason: Vec<i64>,
    /// Turns that carry each of these reasons.
    pub carried: Vec<i64>,
    /// Turns that failed with each of these reasons.
    pub failed: Vec<i64>,
    /// Start of the reasons of each run, from 0.
    pub reason_offsets: Vec<i64>,
}

/// Counts the numbers that the figures of turn analysis are computed from, run by run.
///
/// # Errors
///
/// [`crate::Error::Choice`] for the first value that is not allowed, column by column.
pub fn turn_counts(columns: Columns<'_>) -> Result<Counts> {
    let runs = columns.run_offsets.len() - 1;
    let mut table = vec![[0; COUNTS]; runs];
    let mut rest = &mut table[..];
    let mut tasks = Vec::new();
    for runs in pool::pieces(columns.run_offsets) {
        let (rows, others) = rest.split_at_mut(runs.len());
        tasks.push((runs, rows));
        rest = others;
    }
    let fault = || columns.first_fault(0..runs);
    let count = |(runs, rows)| Tallies::count(&columns, runs, rows).ok_or_else(fault);
    let parts = pool::run(tasks, count)?;
    let unreadable = columns.unreadable.iter();
    if unreadable
        .clone()
        .any(|&code| code < -1 || code >= columns.reasons)
    {
        return Err(fault());
    }
    let total = parts.iter().map(|part| part.reason.len()).sum();
    let mut tallies = Tallies::with_capacity(total, runs);
    for mut part in parts {
        tallies.reason.append(&mut part.reason);
        tallies.carried.append(&mut part.carried);
        tallies.failed.append(&mut part.failed);
        tallies.lengths.append(&mut part.lengths);
    }
    let mut end = 0;
    let mut reason_offsets = tallies.lengths;
    for length in &mut reason_offsets {
        end += *length;
        *length = end;
    }
    reason_offsets.insert(0, 0);
    Ok(Counts {
        table: table.into_flattened(),
        reason: tallies.reason,
        carried: tallies.carried,
        failed: tallies.failed,
        reason_offsets,
    })
}

/// Reasons of consecutive runs.
struct Tallies {
    /// Reasons of each run, ascending.
    reason: Vec<i64>,
    /// Turns that carry each of them.
    carried: Vec<i64>,
    /// Turns that failed with each of them.
    failed: Vec<i64>,
    /// Number of reasons of each run.
    lengths: Vec<i64>,
}

impl Tallies {
    fn with_capacity(reasons: usize, runs: usize) -> Self {
        Self {
            reason: Vec::with_capacity(reasons),
            carried: Vec::with_capacity(reasons),
            failed: Vec::with_capacity(reasons),
            lengths: Vec::with_capacity(runs + 1),
        }
    }

    /// Counts consecutive runs into `rows`; `None` if a column holds an invalid value.
    fn count(
        columns: &Columns<'_>,
        runs: Range<usize>,
        rows: &mut [[i64; COUNTS]],
    ) -> Option<Self> {
        let mut tallies = Self::with_capacity(runs.len(), runs.len());
        let (mut marks, mut calls) = (Vec::new(), Vec::new());
        for (block, rows) in pool::chunks(runs.len(), BLOCK).zip(rows.chunks_mut(BLOCK)) {
            let block = runs.start + block.start..runs.start + block.end;
            if !columns.are_fine(block.clone()) {
                return None;
            }
            for (run, row) in block.zip(rows) {
                let turns =
                    columns.run_offsets[run] as usize..columns.run_offsets[run + 1] as usize;
                let mut count = Count::default();
                let before = tallies.reason.len();
                count.turns(columns, turns.clone(), &mut marks);
                count.reasons(columns, turns.start, &mut marks, &mut tallies);
                count.calls(columns, turns, &mut calls);
                tallies.lengths.push((tallies.reason.len() - before) as i64);
                *row = count.row();
            }
        }
        Some(tallies)
    }
}
