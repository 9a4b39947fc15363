//! Resampling clusters: means of bootstrap replicates, and sums under random signs.
//!
//! The twin defines the draws, and how sums become integers that add up exactly: each column is
//! rounded to multiples of one power of 2, so that any order gives the same bits.

#![allow(clippy::inline_always)] // `dispatch` compiles for the CPU only what is inlined into it

mod columns;
mod draws;
mod flips;
mod means;
#[cfg(test)]
mod tests;

pub use flips::sign_flips;
pub use means::cluster_means;

/// Draws of one piece of work: large beside what handing it over costs.
const PIECE: usize = 1 << 17;
