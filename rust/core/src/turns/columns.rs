//! Columns of turns and calls, and the check of their values.

use std::ops::Range;

use crate::Error;

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
    /// Each turn's own number, or [`super::NO_NUMBER`] if its position counts.
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

    pub(super) fn are_fine(&self, runs: Range<usize>) -> bool {
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
    pub(super) fn first_fault(&self, runs: Range<usize>) -> Error {
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
