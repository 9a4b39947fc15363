//! Turn counts of many runs from columns of codes, without an object per turn.
//!
//! A run takes one pass over its turns, a sort of its few reasons, and a hash table of its
//! calls to count the repeated ones. Runs are counted in parallel.

mod repeats;

use std::ops::Range;

use crate::pool;
use crate::{Error, Result};

/// Number of counts per run.
pub const COUNTS: usize = 17;

/// Marks a turn without a number of its own, or a missing turn.
pub const NO_NUMBER: i64 = i64::MIN;

/// Runs that are checked and counted while their turns are in the cache.
const BLOCK: usize = 64;

const FAILED: i64 = 0;
const SUCCEEDED: i64 = 1;

/// Columns of turns and of their calls, and the start of each run.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// For each turn 1 if it succeeded, 0 if it failed, -1 if that is unknown.
    pub success: &'a [i64],
    /// For each turn 1 if it has a program, otherwise 0.
    pub program: &'a [i64],
    /// Code of the reason of each turn, or -1; codes are in the order of the names.
    pub reason: &'a [i64],
    /// Code of each turn's reason and message together, or -1 if it has neither.
    pub error: &'a [i64],
    /// Each turn's own number, or [`NO_NUMBER`] if its position counts.
    pub number: &'a [i64],
    /// For each call 1, 0 or -1, as for turns.
    pub call_success: &'a [i64],
    /// Code of each call's name and arguments together, or -1 for a malformed call.
    pub call: &'a [i64],
    /// Start of the calls of each turn.
    pub call_offsets: &'a [i64],
    /// Start of the turns of each run.
    pub run_offsets: &'a [i64],
    /// Codes of the three reasons that mean that no program could be read, or -1.
    pub unreadable: [i64; 3],
    /// Number of reasons.
    pub reasons: i64,
}

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
/// [`Error::Choice`] for the first value that is not allowed, column by column.
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

/// A column with its allowed values.
type Choices<'a> = (&'static str, &'a [i64], Range<usize>, i64, Option<i64>);

impl Columns<'_> {
    /// The columns of some runs, in the order in which they are checked.
    fn choices(&self, runs: Range<usize>) -> [Choices<'_>; 7] {
        let turns = self.run_offsets[runs.start] as usize..self.run_offsets[runs.end] as usize;
        let calls = self.call_offsets[turns.start] as usize..self.call_offsets[turns.end] as usize;
        let reasons = Some(self.reasons - 1);
        [
            ("success", self.success, turns.clone(), -1, Some(1)),
            ("program", self.program, turns.clone(), 0, Some(1)),
            ("reason", self.reason, turns.clone(), -1, reasons),
            ("error", self.error, turns, -1, None),
            (
                "call_success",
                self.call_success,
                calls.clone(),
                -1,
                Some(1),
            ),
            ("call", self.call, calls, -1, None),
            ("unreadable", &self.unreadable, 0..3, -1, reasons),
        ]
    }

    fn are_fine(&self, runs: Range<usize>) -> bool {
        self.choices(runs)
            .into_iter()
            .all(|(_, column, part, low, high)| {
                let high = high.unwrap_or(i64::MAX);
                // Without an early exit, the compiler checks many values at once.
                let is_bad = |bad, value| bad | !(low..=high).contains(value);
                !column[part].iter().fold(false, is_bad)
            })
    }

    /// Returns the error for the first value that is not allowed, column by column.
    fn first_fault(&self, runs: Range<usize>) -> Error {
        for (what, column, part, low, high) in self.choices(runs) {
            for index in part {
                let value = column[index];
                if value < low || high.is_some_and(|high| value > high) {
                    return Error::Choice {
                        what,
                        index,
                        value,
                        low,
                        high,
                    };
                }
            }
        }
        unreachable!("columns that are not fine hold a fault")
    }
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

/// Counts of one run.
#[derive(Default)]
struct Count {
    turns: i64,
    valid: i64,
    first_program: i64,
    unreadable: [i64; 3],
    failed: i64,
    dominant: i64,
    followed: i64,
    recovered: i64,
    repeated_failures: i64,
    has_program: bool,
    first_recorded_call: i64,
    first_call: i64,
    calls: i64,
    repeated_calls: i64,
    successful_calls: i64,
    known_calls: i64,
}

impl Count {
    /// Counts turns, and marks each reason with whether its turn failed.
    fn turns(&mut self, columns: &Columns<'_>, turns: Range<usize>, marks: &mut Vec<i64>) {
        let success = &columns.success[turns.clone()];
        let program = &columns.program[turns.clone()];
        let reason = &columns.reason[turns.clone()];
        let error = &columns.error[turns.clone()];
        self.turns = turns.len() as i64;
        self.first_program = program.first().copied().unwrap_or(0);
        self.has_program = program.iter().fold(0, |any, program| any | program) != 0;
        self.failed = success.iter().map(|&each| i64::from(each == FAILED)).sum();
        // Branches would be unpredictable: every turn writes a mark, and the next overwrites it if
        // the turn has no reason.
        marks.resize(turns.len(), 0);
        let mut count = 0;
        for (&reason, &success) in reason.iter().zip(success) {
            // Sorting groups the marks by reason.
            marks[count] = reason << 1 | i64::from(success == FAILED);
            count += usize::from(reason >= 0);
        }
        marks.truncate(count);
        self.followed = self.failed - i64::from(success.last() == Some(&FAILED));
        for (success, error) in success.windows(2).zip(error.windows(2)) {
            let after_failure = i64::from(success[0] == FAILED);
            let fails_again = after_failure & i64::from(success[1] == FAILED);
            let is_same = i64::from(error[0] == error[1]) & i64::from(error[1] >= 0);
            self.recovered += after_failure & i64::from(success[1] == SUCCEEDED);
            self.repeated_failures += fails_again & is_same;
        }
    }

    /// Counts the marks by reason, and returns whether the first turn is valid.
    fn reasons(
        &mut self,
        columns: &Columns<'_>,
        first: usize,
        marks: &mut [i64],
        tallies: &mut Tallies,
    ) {
        marks.sort_unstable();
        self.dominant = -1;
        let mut most = 0;
        for same in marks.chunk_by(|left, right| left >> 1 == right >> 1) {
            let reason = same[0] >> 1;
            let carried = same.len() as i64;
            let failed: i64 = same.iter().map(|mark| mark & 1).sum();
            if failed > most {
                (most, self.dominant) = (failed, reason);
            }
            for (count, &code) in self.unreadable.iter_mut().zip(&columns.unreadable) {
                *count += if code == reason { carried } else { 0 };
            }
            tallies.reason.push(reason);
            tallies.carried.push(carried);
            tallies.failed.push(failed);
        }
        let speaks_of_programs = self.has_program || self.unreadable != [0; 3];
        self.valid = if !speaks_of_programs {
            -1
        } else if self.first_program == 0 {
            0
        } else {
            let reason = columns.reason[first];
            let is_unreadable = reason >= 0 && columns.unreadable.contains(&reason);
            i64::from(!(columns.success[first] == FAILED && is_unreadable))
        };
    }

    fn calls(&mut self, columns: &Columns<'_>, turns: Range<usize>, scratch: &mut Vec<i64>) {
        (self.first_recorded_call, self.first_call) = (NO_NUMBER, NO_NUMBER);
        let bounds = &columns.call_offsets[turns.start..=turns.end];
        let calls = bounds[0] as usize..bounds[bounds.len() - 1] as usize;
        if calls.is_empty() {
            return;
        }
        // The call usually belongs to one of the first turns.
        let number_of = |call: usize| {
            let ends_after = |&end: &i64| end as usize > call;
            let turn = bounds[1..].iter().position(ends_after).unwrap_or(0);
            match columns.number[turns.start + turn] {
                NO_NUMBER => turn as i64 + 1,
                number => number,
            }
        };
        let success = &columns.call_success[calls.clone()];
        self.first_recorded_call = number_of(calls.start);
        if let Some(at) = success.iter().position(|&success| success != FAILED) {
            self.first_call = number_of(calls.start + at);
        }
        self.calls = calls.len() as i64;
        for &success in success {
            self.successful_calls += i64::from(success == SUCCEEDED);
            self.known_calls += i64::from(success >= 0);
        }
        let codes = &columns.call[calls];
        self.repeated_calls = repeats::count(codes, scratch);
    }

    fn row(self) -> [i64; COUNTS] {
        let [parse_failures, no_code, multiple] = self.unreadable;
        [
            self.turns,
            self.valid,
            self.first_program,
            parse_failures,
            no_code,
            multiple,
            self.failed,
            self.dominant,
            self.followed,
            self.recovered,
            self.repeated_failures,
            self.first_recorded_call,
            self.first_call,
            self.calls,
            self.repeated_calls,
            self.successful_calls,
            self.known_calls,
        ]
    }
}
