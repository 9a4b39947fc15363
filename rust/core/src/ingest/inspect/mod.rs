//! Decompressed samples of Inspect logs, read as rows.
//!
//! `readers/inspect` is the specification. A sample that is not certain to mean the same to it is
//! left to the caller, for whatever reason.

mod attachments;
mod events;
mod sample;
mod times;

use super::{Piece, Reader, Refused};
use crate::pool;

/// Samples per piece of work.
const SAMPLES: usize = 8;

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
    /// Reads samples, each with its name in the log. Returns the results of `finish` for each
    /// piece.
    ///
    /// Refused samples are numbered by their position, from 0.
    pub fn read_samples<T: Send>(
        &self,
        log: &Log,
        samples: &[(String, &[u8])],
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> Vec<T> {
        pool::map(pool::chunks(samples.len(), SAMPLES), |range| {
            finish(self.gather(&log.file, |row, refused| {
                for number in range {
                    let (name, content) = &samples[number];
                    row.record = Some(name.clone());
                    let is_read = std::str::from_utf8(content)
                        .is_ok_and(|text| sample::read(row, log, text).is_some());
                    row.end(is_read);
                    if !is_read {
                        refused.push(Refused {
                            row: row.index,
                            number: number as i64,
                            bytes: 0..0,
                        });
                    }
                }
            }))
        })
    }
}
