//! Speedups of many agents at once: from tables of benchmarks as JSON to figures and columns.
//!
//! The record form in Python is the specification. What is here scores the trials it is certain
//! of, and names every other, which the caller gives to the record form.

mod benchmarks;
mod entry;
mod figures;
mod files;
mod json;
mod lines;
mod names;
mod plain;
mod row;
mod tables;
mod written;

pub use benchmarks::Benchmarks;
pub use entry::{REASONS, Reason};
pub use figures::{Plan, Rules, Scores, scores};
pub use files::{Files, Keys, Trials};
pub use json::Texts;
pub use lines::{Attempt, Layout, Lines};
pub use tables::Tables;
pub use written::{Field, Rows, Values, tables_as_text};

#[cfg(test)]
mod tests;
