//! Sums under random sign flips of clusters.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::PIECE;
use super::columns::{Column, check_finite};
use super::draws::Stream;
use crate::{Result, pool};

/// Counts, for each figure, the replicates in which the sum under random signs is at least as great
/// as the observed sum.
///
/// `shape` is the number of clusters and of figures; sums are ordered by figure.
///
/// # Errors
///
/// [`crate::Error::NotFinite`] for the first sum or tolerance that is NaN or infinite.
pub fn sign_flips(
    sums: &[f64],
    tolerances: &[f64],
    shape: [usize; 2],
    seed: u64,
    resamples: usize,
) -> Result<Vec<i64>> {
    let [clusters, figures] = shape;
    check_finite(sums, "sum")?;
    check_finite(tolerances, "tolerance")?;
    if sums.is_empty() {
        return Ok(vec![resamples as i64; figures]);
    }
    let columns: Vec<Column> = sums
        .chunks_exact(clusters)
        .map(|sums| Column::of(sums.iter().copied()))
        .collect();
    let least: Vec<f64> = columns
        .iter()
        .zip(tolerances)
        .map(|(column, tolerance)| {
            let total: i64 = column.multiples.iter().sum();
            total.unsigned_abs() as f64 - tolerance / column.unit
        })
        .collect();
    let pieces = pool::chunks(resamples, (PIECE / clusters).max(1));
    let flipping = Flipping {
        seed,
        clusters,
        columns: &columns,
        least: &least,
    };
    let counted = pool::map(pieces, |replicates| {
        Arch::new().dispatch(Hits(&flipping, replicates))
    });
    let mut hits = vec![0; figures];
    for piece in counted {
        for (hits, own) in hits.iter_mut().zip(piece) {
            *hits += own;
        }
    }
    Ok(hits)
}

/// The sums whose signs are flipped.
struct Flipping<'a> {
    seed: u64,
    clusters: usize,
    columns: &'a [Column],
    least: &'a [f64],
}

/// Counts the hits of some replicates, with the widest instructions of the CPU.
struct Hits<'a>(&'a Flipping<'a>, Range<usize>);

impl WithSimd for Hits<'_> {
    type Output = Vec<i64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<i64> {
        let Self(flipping, replicates) = self;
        let mut hits = vec![0; flipping.columns.len()];
        let mut words = vec![0; flipping.clusters.div_ceil(64)];
        for replicate in replicates {
            let stream = Stream::new(flipping.seed, replicate as u64);
            for (index, word) in words.iter_mut().enumerate() {
                *word = stream.draw(index as u64);
            }
            let columns = flipping.columns.iter().zip(flipping.least);
            for (hits, (column, least)) in hits.iter_mut().zip(columns) {
                let total = signed_sum(&column.multiples, &words);
                *hits += i64::from(total.unsigned_abs() as f64 >= *least);
            }
        }
        hits
    }
}

/// Adds up numbers, negating those whose bit is set.
#[inline(always)]
fn signed_sum(values: &[i64], words: &[u64]) -> i64 {
    let mut total = 0_i64;
    for (values, word) in values.chunks(64).zip(words) {
        for (place, value) in values.iter().enumerate() {
            let sign = -(((word >> place) & 1) as i64);
            total += (value ^ sign) - sign;
        }
    }
    total
}
