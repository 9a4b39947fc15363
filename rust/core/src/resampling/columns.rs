//! Columns scaled to integers, which add up to the same sum in any order.

use crate::{Error, Result};

/// Bits of a total.
const BITS: i32 = 62;

/// Least exponent for the greatest value of a column, so that its power of 2 stays normal.
const LEAST_EXPONENT: i32 = -900;

/// Numbers as multiples of a power of 2, rounded half to even.
pub(super) struct Column {
    pub(super) multiples: Vec<i64>,
    pub(super) unit: f64,
}

impl Column {
    pub(super) fn of(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
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

/// Returns the exponent of the least power of 2 above a number, as `frexp` does; 0 for 0.0, and
/// that of the least normal number for a subnormal.
fn exponent_of(value: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    ((value.to_bits() >> 52) & 0x7ff) as i32 - 1022
}

/// Extracts the values of one figure from an array ordered by cluster.
pub(super) fn column<T: Copy>(
    values: &[T],
    figure: usize,
    figures: usize,
) -> impl ExactSizeIterator<Item = T> + Clone {
    values[figure..].iter().step_by(figures).copied()
}

pub(super) fn check_finite(values: &[f64], what: &'static str) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(Error::NotFinite {
            what,
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}
