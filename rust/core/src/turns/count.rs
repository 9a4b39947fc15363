//! The counts of one run, from its turns and its calls.

use std::ops::Range;

use super::columns::Columns;
use super::{COUNTS, NO_NUMBER, Tallies, repeats};

const FAILED: i64 = 0;
const SUCCEEDED: i64 = 1;

/// Counts of one run.
#[derive(Default)]
pub(super) struct Count {
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
    pub(super) fn turns(
        &mut self,
        columns: &Columns<'_>,
        turns: Range<usize>,
        marks: &mut Vec<i64>,
    ) {
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
    pub(super) fn reasons(
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

    pub(super) fn calls(
        &mut self,
        columns: &Columns<'_>,
        turns: Range<usize>,
        scratch: &mut Vec<i64>,
    ) {
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

    pub(super) fn row(self) -> [i64; COUNTS] {
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
