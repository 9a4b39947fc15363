//! Resampling of clusters: means of bootstrap replicates, and sums under random sign flips.
//!
//! The twin defines the draws. It also defines how sums become integers, which add up exactly: each
//! column is rounded to multiples of a power of 2, so that any order gives the same bits.

#![expect(
    clippy::inline_always,
    reason = "`dispatch` compiles for the CPU only what is inlined into it"
)]

mod columns;
mod draws;
mod flips;
mod means;
#[cfg(test)]
mod tests;

pub use flips::sign_flips;
pub use means::cluster_means;

/// Draws per piece of work: takes long compared with handing it over.
const PIECE: usize = 1 << 17;
