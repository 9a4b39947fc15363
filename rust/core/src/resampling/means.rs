//! Means of bootstrap replicates of clusters.
//!
//! A replicate of C clusters and F figures costs C draws and F times C additions. The drawn
//! clusters are determined once; then sums and sizes are added up, for several figures together:
//! what a draw adds is contiguous, in one cache line. Figures with the same sizes share them.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::PIECE;
use super::columns::{Column, check_finite, column};
use super::draws::take;
use crate::{Error, Result, pool};

/// Greatest total of sizes, up to which the twin adds them exactly in floats.
const EXACT: i64 = 1 << 53;

/// Columns that are added up together: those of one figure, or as many as fit in a cache line.
const PAIR: usize = 2;
const LINE: usize = 8;

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
    let columns = Columns::of(sums, sizes, figures);
    let sampling = Sampling {
        seed,
        clusters,
        resamples,
    };
    Ok(if columns.values.len() <= PAIR {
        sampling.means::<i64, PAIR>(&columns)
    } else {
        sampling.means::<CacheLine, LINE>(&columns)
    })
}

/// Sums of all figures, as integers, followed by their distinct sizes.
struct Columns {
    values: Vec<Vec<i64>>,
    units: Vec<f64>,
    /// Index of the column with the sizes of each figure.
    sizes: Vec<usize>,
}

impl Columns {
    fn of(sums: &[f64], sizes: &[i64], figures: usize) -> Self {
        let sums = (0..figures).map(|figure| Column::of(column(sums, figure, figures)));
        let (mut values, units): (Vec<_>, Vec<_>) =
            sums.map(|sums| (sums.multiples, sums.unit)).unzip();
        let places = (0..figures).map(|figure| {
            let column_sizes: Vec<i64> = column(sizes, figure, figures).collect();
            let known = values[figures..]
                .iter()
                .position(|known| *known == column_sizes);
            known.map_or_else(
                || {
                    values.push(column_sizes);
                    values.len() - 1
                },
                |place| figures + place,
            )
        });
        let sizes = places.collect();
        Self {
            values,
            units,
            sizes,
        }
    }

    /// Returns the mean of a figure with these totals; NaN if it has no value.
    #[inline(always)]
    fn mean(&self, figure: usize, totals: &[i64]) -> f64 {
        let size = totals[self.sizes[figure]];
        if size > 0 {
            totals[figure] as f64 / size as f64 * self.units[figure]
        } else {
            f64::NAN
        }
    }
}

/// Alignment to a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CacheLine;

/// Values of some columns in one cluster, aligned as `A` is.
#[derive(Clone, Copy)]
struct Row<A, const WIDTH: usize>([i64; WIDTH], [A; 0]);

/// `WIDTH` columns side by side, with a row for each cluster.
struct Group<A, const WIDTH: usize>(Vec<Row<A, WIDTH>>);

impl<A: Copy, const WIDTH: usize> Group<A, WIDTH> {
    fn of(columns: &[Vec<i64>]) -> Self {
        let mut rows = vec![Row([0; WIDTH], []); columns[0].len()];
        for (place, values) in columns.iter().enumerate() {
            for (row, value) in rows.iter_mut().zip(values) {
                row.0[place] = *value;
            }
        }
        Self(rows)
    }

    /// Adds up each column over the drawn clusters.
    #[inline(always)]
    fn totals(&self, taken: &[u32]) -> [i64; WIDTH] {
        let mut totals = [0; WIDTH];
        for cluster in taken {
            let row = &self.0[*cluster as usize].0;
            // Only indices, without iterators, keep the totals in registers.
            for place in 0..WIDTH {
                totals[place] += row[place];
            }
        }
        totals
    }
}

/// The replicates to draw, and the number of clusters.
struct Sampling {
    seed: u64,
    clusters: usize,
    resamples: usize,
}

impl Sampling {
    fn means<A: Copy + Sync, const WIDTH: usize>(&self, columns: &Columns) -> Vec<f64> {
        let groups: Vec<Group<A, WIDTH>> = columns.values.chunks(WIDTH).map(Group::of).collect();
        let pieces = pool::chunks(self.resamples, (PIECE / self.clusters).max(1));
        let means = pool::map(pieces, |replicates| {
            Arch::new().dispatch(Means {
                sampling: self,
                columns,
                groups: &groups,
                replicates,
            })
        });
        means.concat()
    }
}

/// Computes the means of some replicates, with the widest instructions of the CPU.
struct Means<'a, A, const WIDTH: usize> {
    sampling: &'a Sampling,
    columns: &'a Columns,
    groups: &'a [Group<A, WIDTH>],
    replicates: Range<usize>,
}

impl<A: Copy, const WIDTH: usize> WithSimd for Means<'_, A, WIDTH> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let figures = self.columns.units.len();
        let mut means = Vec::with_capacity(self.replicates.len() * figures);
        let mut taken = vec![0; self.sampling.clusters];
        let mut totals = vec![[0; WIDTH]; self.groups.len()];
        // Loops, because closures would be compiled separately, without these instructions.
        for replicate in self.replicates {
            take(&mut taken, self.sampling.seed, replicate as u64);
            for (totals, group) in totals.iter_mut().zip(self.groups) {
                *totals = group.totals(&taken);
            }
            for figure in 0..figures {
                means.push(self.columns.mean(figure, totals.as_flattened()));
            }
        }
        means
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
