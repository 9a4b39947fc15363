//! Maximum-weight assignment of rows to columns, by shortest augmenting paths.
//!
//! Rows enter one by one. A row whose best column is taken searches for the cheapest chain of
//! reassignments that ends at a free column. The search is Dijkstra's algorithm over reduced costs,
//! which potentials keep at 0 or more. With m rows and n columns, m <= n, this takes O(m^2 n) time.
//! The twin adds in the same order, so that both round alike.
//!
//! Reference: R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and
//! sparse linear assignment problems", Computing 38 (1987).

use pulp::NullaryFnOnce;

use crate::{Error, Result};

/// Greatest magnitude of a weight: sums of weights up to this stay far from infinity.
const LIMIT: f64 = 1e100;

const NONE: usize = usize::MAX;

/// Assigns columns to rows with the greatest total weight; returns the column of each row, or -1.
///
/// With `full`, every row or every column, whichever are fewer, is assigned; otherwise only pairs
/// with a weight above 0 are. The weight of row i and column j is at `i * columns + j`.
///
/// # Errors
///
/// [`Error::Weight`] for the first weight that is NaN or beyond 1e100 in magnitude.
pub fn assign(weights: &[f64], rows: usize, columns: usize, full: bool) -> Result<Vec<i64>> {
    let is_weight = |weight: &f64| (-LIMIT..=LIMIT).contains(weight);
    if let Some(index) = weights.iter().position(|weight| !is_weight(weight)) {
        let value = weights[index];
        return Err(Error::Weight { index, value });
    }
    // Leaving a row unassigned is worth 0, the same as a pair with a weight of 0.
    let cost = |row: usize, column: usize| {
        let weight = weights[row * columns + column];
        if full || weight > 0.0 { -weight } else { 0.0 }
    };
    let mut chosen = vec![NONE; rows];
    if rows <= columns {
        chosen = Costs::new(rows, columns, cost).cheapest();
    } else {
        let transposed = Costs::new(columns, rows, |column, row| cost(row, column));
        for (column, row) in transposed.cheapest().into_iter().enumerate() {
            chosen[row] = column;
        }
    }
    let is_made = |row: usize, column: usize| {
        column != NONE && (full || weights[row * columns + column] > 0.0)
    };
    let place = |(row, column)| {
        if is_made(row, column) {
            column as i64
        } else {
            -1
        }
    };
    Ok(chosen.into_iter().enumerate().map(place).collect())
}

/// Columns processed together, independently of each other, so that the compiler vectorizes.
const LANES: usize = 8;

/// Distance of a visited or padding column: a NaN, so that no path is shorter, with a [`rank`]
/// above that of infinity.
const CLOSED: f64 = f64::from_bits(0x7FF8_0000_0000_0000);

/// Costs, row by row: at least as many columns as rows, each row padded to a multiple of [`LANES`].
struct Costs {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
    stride: usize,
}

impl Costs {
    fn new(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Self {
        let stride = columns.next_multiple_of(LANES);
        let mut values = vec![0.0; rows * stride];
        for row in 0..rows {
            for column in 0..columns {
                values[row * stride + column] = cost(row, column);
            }
        }
        Self {
            values,
            rows,
            columns,
            stride,
        }
    }

    /// Returns the column of each row in the cheapest assignment.
    fn cheapest(&self) -> Vec<usize> {
        let cpu = pulp::Arch::new();
        let mut row_potential = vec![0.0; self.rows];
        let mut column_potential = vec![0.0; self.stride];
        let mut row_of = vec![NONE; self.columns];
        let mut column_of = vec![NONE; self.rows];
        let mut distance = vec![CLOSED; self.stride];
        let mut came_from = vec![NONE; self.stride];
        let mut reached: Vec<(usize, f64)> = Vec::with_capacity(self.rows);
        for entering in 0..self.rows {
            distance[..self.columns].fill(f64::INFINITY);
            reached.clear();
            let (mut row, mut travelled) = (entering, 0.0);
            let free = loop {
                // Relax all columns from this row, then visit the nearest open one; the first, if
                // tied.
                let offset = travelled - row_potential[row];
                let costs = &self.values[row * self.stride..][..self.stride];
                let column;
                (column, travelled) = cpu.dispatch(Walk {
                    row,
                    offset,
                    costs,
                    potentials: &column_potential,
                    distances: &mut distance,
                    came_from: &mut came_from,
                });
                if row_of[column] == NONE {
                    break column;
                }
                reached.push((column, travelled));
                distance[column] = CLOSED;
                row = row_of[column];
            };
            row_potential[entering] += travelled;
            for &(column, distance) in &reached {
                let change = travelled - distance;
                row_potential[row_of[column]] += change;
                column_potential[column] -= change;
            }
            // Reassign the columns along the path that ends at the free column.
            let mut column = free;
            loop {
                let row = came_from[column];
                row_of[column] = row;
                (column_of[row], column) = (column, column_of[row]);
                if row == entering {
                    break;
                }
            }
        }
        column_of
    }
}

/// Relaxes the distances to all open columns from one row.
struct Walk<'a> {
    row: usize,
    /// Distance of the row, minus its potential.
    offset: f64,
    costs: &'a [f64],
    potentials: &'a [f64],
    distances: &'a mut [f64],
    came_from: &'a mut [usize],
}

impl NullaryFnOnce for Walk<'_> {
    type Output = (usize, f64);

    /// Shortens the paths that lead through the row; returns the nearest column, the first if tied,
    /// and its distance.
    #[expect(
        clippy::inline_always,
        reason = "`dispatch` compiles for the CPU only what is inlined into it"
    )]
    #[inline(always)]
    fn call(self) -> (usize, f64) {
        // A loop this plain is vectorized; a minimum over doubles would not be.
        let row = self.row;
        let ways = self.distances.iter_mut().zip(self.came_from);
        for ((distance, from), (cost, potential)) in
            ways.zip(self.costs.iter().zip(self.potentials))
        {
            let through = self.offset + cost - potential;
            let shorter = through < *distance;
            *distance = if shorter { through } else { *distance };
            if shorter {
                *from = row;
            }
        }
        let distances = self.distances.iter();
        let nearest = distances.fold(i64::MAX, |least, &each| least.min(rank(each)));
        let column = first_of_rank(nearest, self.distances);
        (column, self.distances[column])
    }
}

/// Columns compared together in the search for the nearest one.
const CHUNK: usize = 16;

#[inline]
fn first_of_rank(nearest: i64, distances: &[f64]) -> usize {
    let is_nearest = |distance: &f64| rank(*distance) == nearest;
    let holds_nearest =
        |chunk: &[f64]| chunk.iter().fold(false, |any, each| any | is_nearest(each));
    // Costs are finite, so there always is a nearest column.
    let chunk = distances.chunks(CHUNK).position(holds_nearest).unwrap_or(0) * CHUNK;
    chunk + distances[chunk..].iter().position(is_nearest).unwrap_or(0)
}

/// Maps a distance to an integer of the same order; visited columns come after all others.
#[inline]
fn rank(distance: f64) -> i64 {
    let bits = distance.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests;
