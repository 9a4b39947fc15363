//! What the views of a trajectory cover, beside a task's gold.
//!
//! A view adds to four sets: files, definitions, bytes and lines. Each is kept as spans of a key, so
//! that one arithmetic serves all four: a file is the unit span of its number, a definition that of
//! its index within its file, and lines a to b are the span `[a, b + 1)`.
//!
//! [`Views`] collects the spans of views, step by step. A long trajectory that is known as a whole
//! goes from there through the trajectory kernel; a short one is swept in the order of places. One
//! that is still running goes through [`Tracker`], which keeps the union of the steps as disjoint
//! pieces.

mod batch;
mod file;
mod gold;
mod pairs;
mod paths;
mod pieces;
mod sizes;
mod sweep;
mod tracker;
mod union;
mod views;
mod walk;
mod written;

#[cfg(test)]
mod tests;

pub use batch::{BatchSizes, COUNTS, Rows, Target, Targets, Task, ViewColumns, check, score_rows};
pub use file::{Cover, Extent, File, Range, Rules, Tables};
pub use gold::Gold;
pub use pairs::{Pairs, pairs};
pub use paths::{Finder, Search, is_leak};
pub use sizes::{FinalSizes, Scorer, Sizes, StepSizes, Tally};
pub use tracker::Tracker;
pub use views::{View, Views};

/// Files, definitions, bytes and lines, in the order of every array of four.
pub const GRANULARITIES: usize = 4;

/// A half-open span of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// What the span lies in.
    pub key: i64,
    /// First place.
    pub start: i64,
    /// The place after the last.
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

/// A place within a key as one number, which rises with the key, then with the place: a search
/// compares such numbers without a branch that half of the time is foretold wrongly.
fn place(key: i64, place: i64) -> u128 {
    const SIGN: u64 = 1 << 63;
    u128::from(key as u64 ^ SIGN) << 64 | u128::from(place as u64 ^ SIGN)
}
