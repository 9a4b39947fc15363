//! Compares what the views of a trajectory cover with a task's gold.
//!
//! A view adds to four sets: files, definitions, bytes and lines. Each set consists of spans within
//! a key, so the same arithmetic serves all four: a file is the unit span of its number, a
//! definition that of its index within its file, and lines a to b are the span `[a, b + 1)`.
//!
//! [`Views`] collects the spans of views, step by step. A long, complete trajectory is then scored
//! by the trajectory kernel, and a short one by a sweep in order of position. A trajectory that is
//! still running uses [`Tracker`], which keeps the union of its steps as disjoint pieces.

mod batch;
mod file;
mod gold;
mod pairs;
mod paths;
mod pieces;
mod ranges;
mod sizes;
mod sweep;
mod tables;
mod tracker;
mod union;
mod views;
mod walk;
mod written;

#[cfg(test)]
mod tests;

pub use batch::{BatchSizes, COUNTS, Rows, Target, Targets, Task, ViewColumns, check, score_rows};
pub use file::File;
pub use gold::Gold;
pub use pairs::{Pairs, pairs};
pub use paths::{Finder, Search, is_leak};
pub use ranges::{Cover, Extent, Range, Rules};
pub use sizes::{FinalSizes, Scorer, Sizes, StepSizes, Tally};
pub use tables::Tables;
pub use tracker::Tracker;
pub use views::{View, Views};

/// Files, definitions, bytes and lines, in the order of every array of four.
pub const GRANULARITIES: usize = 4;

/// A half-open span of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Number of the set's part, such as a file, that contains the span.
    pub key: i64,
    /// First position.
    pub start: i64,
    /// Position after the last.
    pub end: i64,
}

impl Span {
    fn unit(key: i64, place: i64) -> Self {
        Self {
            key,
            start: place,
            end: place + 1,
        }
    }

    fn of(key: i64, (start, end): Range) -> Self {
        Self { key, start, end }
    }
}

/// Combines key and position in one number, ordered by key, then by position: a search compares
/// such numbers without a branch, which would be mispredicted half of the time.
fn place(key: i64, place: i64) -> u128 {
    const SIGN: u64 = 1 << 63;
    u128::from(key as u64 ^ SIGN) << 64 | u128::from(place as u64 ^ SIGN)
}
