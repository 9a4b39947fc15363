//! Kernels of Trajmeter: functions on flat arrays, without Python and without unsafe code.
//!
//! Every kernel here has a twin in `trajmeter.kernels._python`, and the twin is the specification:
//! same result, or the same [`Error`] with the same code and message.

#![forbid(unsafe_code)]

pub mod assignment;
pub mod calls;
pub mod codes;
pub mod context;
pub mod digests;
pub mod edits;
mod error;
pub mod exact;
pub mod histograms;
pub mod ingest;
pub mod levels;
pub mod likeness;
pub mod lines;
pub mod means;
mod offsets;
pub mod patches;
pub mod pool;
pub mod quoted_words;
#[cfg(test)]
mod random;
pub mod resampling;
pub mod rows;
pub mod sequences;
pub mod shell;
pub mod snapshots;
pub mod spans;
pub mod speedup;
pub mod text;
pub mod trajectory;
pub mod turns;

pub use error::{Error, Result};
