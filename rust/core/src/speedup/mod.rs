//! Speedups of many attempts: reading tables of benchmarks, and computing their figures.
//!
//! The record form in Python is the specification. This module scores the trials that it is certain
//! about, and reports every other, which the caller passes to the record form.

mod attempts;
mod benchmarks;
mod entry;
mod figures;
mod files;
mod json;
mod lines;
mod names;
mod plain;
mod row;
mod search;
mod tables;
mod written;

pub use attempts::Attempt;
pub use benchmarks::Benchmarks;
pub use entry::{REASONS, Reason};
pub use figures::{Plan, Rules, Scores, scores};
pub use files::{Files, Keys, Table, Trials};
pub use lines::{Layout, Lines};
pub use tables::Tables;
pub use written::{Field, Rows, Values, tables_as_text};

#[cfg(test)]
mod tests;
