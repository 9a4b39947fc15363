//! Decompressed samples of Inspect logs, read as rows.
//!
//! `readers/inspect` is the specification. A sample that is not certain to mean the same to it is
//! left to the caller, for whatever reason.

mod attachments;
mod events;
mod outcome;
mod sample;
mod spans;
mod times;

use super::merge::merged;
use super::raw::has_too_many_values;
use super::shares::Shares;
use super::{Piece, Reader};
use crate::pool;

/// Numbers of rows after which room for the others is reserved.
const EXPECTING: [usize; 2] = [4, 16];

/// The header of a log, which applies to all of its samples.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Name of the file.
    pub file: String,
    /// The solver, or the task.
    pub agent: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Name of the task, as JSON.
    pub task: String,
    /// How the run ended, as JSON.
    pub status: String,
}

impl Reader {
    /// Reads samples, each with its name in the log. Returns the results of `finish` for
    /// their rows.
    ///
    /// Refused samples are numbered by their position, from 0.
    pub fn read_samples<T: Send>(
        &self,
        log: &Log,
        samples: &[(String, &[u8])],
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> Vec<T> {
        let shares = Shares::new(samples.iter().map(|(_, content)| content.len() as u64));
        let pieces = shares.read(pool::width(), |shares, stretch| {
            self.gather_each(&log.file, shares.items(stretch), |row, number| {
                let (name, content) = &samples[number];
                row.record = Some(name.clone());
                let is_read = !has_too_many_values(content)
                    && std::str::from_utf8(content)
                        .is_ok_and(|text| sample::read(row, log, text).is_some());
                row.end(is_read);
                if is_read && EXPECTING.contains(&row.index) {
                    row.expect(shares.left(stretch));
                }
                is_read
            })
        });
        merged(pieces, finish)
    }
}
