//! Exact sums of many units, as digits side by side.
//!
//! A digit counts multiples of a power of 2, at a place that is a multiple of 32 binary places.
//! Only the places that were added to take memory, so an outlier costs only a few. Nothing is
//! carried until a sum is read.

use std::iter;

use super::{BITS, DIGIT, OFFSET, Place};

/// Sums of units; a unit that nothing was added to has a sum of 0.
#[derive(Default)]
pub struct UnitSums {
    /// Digits, unit by unit: one for each of `places`.
    digits: Vec<i64>,
    /// The places, ascending.
    places: Vec<usize>,
}

/// Sums in twice the precision of a float, as pairs that add up to the sum.
pub struct Doubles {
    /// The float nearest to each sum.
    pub high: Vec<f64>,
    /// The remainder, rounded.
    pub low: Vec<f64>,
}

impl UnitSums {
    /// Makes room for `count` units at `places` adjacent places; returns the column of the first.
    pub(super) fn reach(&mut self, count: usize, first: usize, places: usize) -> usize {
        let before = self.places.len();
        let found = self.places.partition_point(|place| *place < first);
        // Places ascend, so if the last one is where it should be, so are those between.
        let is_held = self.places.get(found + places - 1) == Some(&(first + places - 1));
        if is_held && count * before <= self.digits.len() {
            return found;
        }
        let mut wanted = self.places.clone();
        wanted.extend(first..first + places);
        wanted.sort_unstable();
        wanted.dedup();
        let width = wanted.len();
        if width != before {
            let columns: Vec<usize> = self
                .places
                .iter()
                .map(|place| wanted.partition_point(|other| other < place))
                .collect();
            let held = self.digits.len().checked_div(before).unwrap_or(0);
            // Written, not `vec![0; n]`: zeros that are read before they are written cost two page
            // faults a page, the second of which interrupts all threads.
            let mut digits: Vec<i64> = iter::repeat_n(0, held.max(count) * width).collect();
            if before > 0 {
                let rows = digits.chunks_exact_mut(width);
                for (row, own) in rows.zip(self.digits.chunks_exact(before)) {
                    for (column, digit) in columns.iter().zip(own) {
                        row[*column] = *digit;
                    }
                }
            }
            (self.digits, self.places) = (digits, wanted);
        } else if count * width > self.digits.len() {
            self.digits.resize(count * width, 0);
        }
        found // none of the places below it is new
    }

    /// Adds digits to a unit, from a column on; there must be room for all of them.
    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, unit: usize, column: usize, digits: [i64; N]) {
        let first = unit * self.places.len() + column;
        for (sum, digit) in self.digits[first..first + N].iter_mut().zip(digits) {
            *sum += digit;
        }
    }

    /// Adds the sums of some units, place by place.
    pub(super) fn add_places(&mut self, places: &[Place], units: &[i64]) {
        let count = units.iter().max().map_or(0, |unit| *unit as usize + 1);
        for Place { exponent, sums } in places {
            let place = ((exponent + i64::from(OFFSET)) / i64::from(BITS)) as usize;
            let column = self.reach(count, place, 1);
            for (unit, sum) in units.iter().zip(sums) {
                self.add(*unit as usize, column, [*sum]);
            }
        }
    }

    fn row(&self, unit: i64) -> &[i64] {
        let (width, unit) = (self.places.len(), unit as usize);
        let begin = unit.saturating_mul(width);
        let row = self.digits.get(begin..begin.saturating_add(width));
        row.unwrap_or_default()
    }

    /// Returns the total of some units, as digits and the exponents of their powers of 2.
    #[must_use]
    pub fn total(&self, units: &[i64]) -> Vec<(i64, i128)> {
        let mut totals = vec![0_i128; self.places.len()];
        for unit in units {
            for (total, digit) in totals.iter_mut().zip(self.row(*unit)) {
                *total += i128::from(*digit);
            }
        }
        let places = self.places.iter().zip(totals);
        places
            .map(|(place, total)| (exponent(*place), total))
            .collect()
    }

    /// Returns the sum of each of some units; 0 for an unknown unit.
    #[must_use]
    pub fn doubles(&self, units: &[i64]) -> Doubles {
        // Carries pass through the missing places between the stored ones, and up to two above
        // them.
        let lowest = self.places.first().copied().unwrap_or(0);
        let above = self.places.last().map_or(lowest, |place| place + 1) + 2;
        let scales: Vec<[f64; 2]> = (lowest..above)
            .map(|place| scale(exponent(place)))
            .collect();
        let mut digits = vec![0; scales.len()];
        let spread = |row: &[i64], sign: i64, digits: &mut [i64]| {
            digits.fill(0);
            for (place, digit) in self.places.iter().zip(row) {
                digits[place - lowest] = sign * digit;
            }
            carry(digits)
        };
        let (high, low) = units
            .iter()
            .map(|unit| {
                let row = self.row(*unit);
                let is_negative = spread(row, 1, &mut digits);
                if is_negative {
                    spread(row, -1, &mut digits);
                }
                let (high, low) = double(&digits, &scales);
                if is_negative {
                    (-high, -low)
                } else {
                    (high, low)
                }
            })
            .unzip();
        Doubles { high, low }
    }
}

/// Returns the exponent of the power of 2 that a digit at a place counts.
fn exponent(place: usize) -> i64 {
    place as i64 * i64::from(BITS) - i64::from(OFFSET)
}

/// Carries until all digits are below 2^32; returns whether the sum is negative.
fn carry(digits: &mut [i64]) -> bool {
    let mut carry = 0;
    for digit in digits {
        carry += *digit;
        *digit = carry & DIGIT as i64;
        carry >>= BITS;
    }
    carry < 0
}

/// Rounds non-negative digits to a float; returns it with the remainder.
fn double(digits: &[i64], scales: &[[f64; 2]]) -> (f64, f64) {
    let (mut high, mut low) = (0.0_f64, 0.0_f64);
    for (digit, [first, second]) in digits.iter().zip(scales).rev() {
        if *digit != 0 {
            let part = *digit as f64 * first * second;
            let total = high + part;
            low += part - (total - high); // the larger operand comes first, so this is exact
            high = total;
        }
    }
    if !high.is_finite() {
        return (high, 0.0);
    }
    let total = high + low;
    let rest = if total.is_finite() {
        low - (total - high)
    } else {
        0.0
    };
    (total, rest)
}

/// Splits a power of 2 into two factors. A digit times the first is neither infinite nor subnormal,
/// so that multiplying by the second rounds only once.
fn scale(exponent: i64) -> [f64; 2] {
    let exponent = exponent.clamp(-1200, 1100) as i32; // beyond these it is 0 or infinite
    let half = exponent / 2;
    [2.0_f64.powi(half), 2.0_f64.powi(exponent - half)]
}
