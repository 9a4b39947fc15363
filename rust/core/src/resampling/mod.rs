//! Resampling clusters: means of bootstrap replicates, and sums under random signs.
//!
//! The twin defines the draws, and how sums become integers that add up exactly: each column is
//! rounded to multiples of one power of 2, so that any order gives the same bits.
//!
//! A replicate of C clusters and F figures costs C draws and F times C additions. The clusters it
//! takes are found once; then each figure's sums and sizes are added up, which lie side by side, so
//! that a draw reads one place of a table that stays in the cache.

#![allow(clippy::inline_always)] // `dispatch` compiles for the CPU only what is inlined into it

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::{Error, Result, pool};

#[cfg(test)]
mod tests;

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bits of a total.
const BITS: i32 = 62;

/// Exponent of the greatest value of a column, at least: its power of 2 stays normal.
const LEAST_EXPONENT: i32 = -900;

/// Sizes add up to at most this, so that the twin adds them exactly in floats.
const EXACT: i64 = 1 << 53;

/// Draws of one piece of work: large beside what handing it over costs.
const PIECE: usize = 1 << 17;

/// Mean of each figure in each bootstrap replicate of the clusters, replicate by replicate.
///
/// `shape` is the number of clusters and of figures; sums and sizes go cluster by cluster.
///
/// # Errors
///
/// [`Error::NotFinite`] for the first sum that is NaN or infinite, and [`Error::Choice`] for the
/// first size that is negative or too great.
pub fn cluster_means(
    sums: &[f64],
    sizes: &[i64],
    shape: [usize; 2],
    seed: u64,
    resamples: usize,
) -> Result<Vec<f64>> {
    let [clusters, figures] = shape;
    check_finite(sums, "sum")?;
    check_sizes(sizes, clusters)?;
    if sums.is_empty() {
        return Ok(vec![f64::NAN; resamples * figures]);
    }
    let tables: Vec<Table> = (0..figures)
        .map(|figure| {
            Table::of(
                column(sums, figure, figures),
                column(sizes, figure, figures),
            )
        })
        .collect();
    let pieces = pool::chunks(resamples, (PIECE / clusters).max(1));
    let sampling = Sampling {
        seed,
        clusters,
        tables: &tables,
    };
    let means = pool::map(pieces, |replicates| {
        Arch::new().dispatch(Means(&sampling, replicates))
    });
    Ok(means.concat())
}

/// How often the sum of each figure is at least as great as it is, once clusters changed sign.
///
/// `shape` is the number of clusters and of figures; sums go figure by figure.
///
/// # Errors
///
/// [`Error::NotFinite`] for the first sum or tolerance that is NaN or infinite.
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

/// Sums whose signs change.
struct Flipping<'a> {
    seed: u64,
    clusters: usize,
    columns: &'a [Column],
    least: &'a [f64],
}

/// Hits of some replicates, with the widest instructions that the machine has.
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

/// What the replicates of a bootstrap are drawn from.
struct Sampling<'a> {
    seed: u64,
    clusters: usize,
    tables: &'a [Table],
}

/// Means of some replicates, with the widest instructions that the machine has.
struct Means<'a>(&'a Sampling<'a>, Range<usize>);

impl WithSimd for Means<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let Self(sampling, replicates) = self;
        let mut means = Vec::with_capacity(replicates.len() * sampling.tables.len());
        let mut taken = vec![0; sampling.clusters];
        // Loops, as closures would be compiled apart, for any machine.
        for replicate in replicates {
            take(&mut taken, sampling.seed, replicate as u64);
            for table in sampling.tables {
                means.push(table.mean(&taken));
            }
        }
        means
    }
}

/// A figure's sum, as an integer, and size in each cluster.
struct Table {
    rows: Vec<[i64; 2]>,
    unit: f64,
}

impl Table {
    fn of(
        sums: impl ExactSizeIterator<Item = f64> + Clone,
        sizes: impl Iterator<Item = i64>,
    ) -> Self {
        let sums = Column::of(sums);
        let rows = sums.multiples.iter().zip(sizes);
        Self {
            rows: rows.map(|(sum, size)| [*sum, size]).collect(),
            unit: sums.unit,
        }
    }

    /// Mean over the clusters taken; NaN of no value.
    #[inline(always)]
    fn mean(&self, taken: &[u32]) -> f64 {
        let (mut sum, mut size) = (0, 0);
        for cluster in taken {
            let row = self.rows[*cluster as usize];
            sum += row[0];
            size += row[1];
        }
        if size > 0 {
            sum as f64 / size as f64 * self.unit
        } else {
            f64::NAN
        }
    }
}

/// The draws of one replicate.
struct Stream(u64);

impl Stream {
    fn new(seed: u64, replicate: u64) -> Self {
        let step = replicate.wrapping_add(1).wrapping_mul(STEP);
        Self(mix(seed.wrapping_add(step)))
    }

    #[inline(always)]
    fn draw(&self, index: u64) -> u64 {
        let step = index.wrapping_add(1).wrapping_mul(STEP);
        mix(self.0.wrapping_add(step))
    }
}

#[inline(always)]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Which clusters a replicate takes, of as many as there is room for.
#[inline(always)]
fn take(taken: &mut [u32], seed: u64, replicate: u64) {
    let stream = Stream::new(seed, replicate);
    let clusters = taken.len() as u64;
    for (index, cluster) in taken.iter_mut().enumerate() {
        *cluster = (((stream.draw(index as u64) >> 32) * clusters) >> 32) as u32;
    }
}

/// Numbers as multiples of one power of 2, rounded half to even.
struct Column {
    multiples: Vec<i64>,
    unit: f64,
}

impl Column {
    fn of(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let greatest = values
            .clone()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let bits = BITS - (usize::BITS - values.len().leading_zeros()) as i32;
        let exponent = exponent_of(greatest).max(LEAST_EXPONENT) - bits;
        let half = exponent.div_euclid(2);
        let (first, second) = (2.0_f64.powi(-half), 2.0_f64.powi(half - exponent));
        let multiples = values
            .map(|value| (value * first * second).round_ties_even() as i64)
            .collect();
        Self {
            multiples,
            unit: 2.0_f64.powi(exponent),
        }
    }
}

/// The least power of 2 above a number, as its exponent, which is what `frexp` gives; 0 for 0.0,
/// and the least of a normal number for any that is less.
fn exponent_of(value: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1022
}

/// One figure's values in an array that goes cluster by cluster.
fn column<T: Copy>(
    values: &[T],
    figure: usize,
    figures: usize,
) -> impl ExactSizeIterator<Item = T> + Clone {
    values[figure..].iter().step_by(figures).copied()
}

/// The sum of numbers, each of which changes sign where its bit is set.
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

fn check_finite(values: &[f64], what: &'static str) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(Error::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

fn check_sizes(sizes: &[i64], clusters: usize) -> Result<()> {
    let most = EXACT / (clusters.max(1) as i64);
    match sizes.iter().position(|size| !(0..=most).contains(size)) {
        Some(index) => Err(Error::Choice {
            what: "size",
            index,
            value: sizes[index],
            low: 0,
            high: Some(most),
        }),
        None => Ok(()),
    }
}
