//! Geometric means: the n-th root of the product of n values.
//!
//! The product is kept as a mantissa from 1 to 2 and a power of 2, so it never overflows. Splitting
//! a double only takes bit operations; a single logarithm, of the mantissa, is taken at the end.
//! The twin defines the results for zeros, infinities and values outside the domain.

mod product;

use std::ops::Range;

use product::LANES;
pub(crate) use product::Product;

use crate::{Error, Result, pool};

/// Values of one block. A lane multiplies 512 mantissas below 2, which stays below 2^1023.
const BLOCK: usize = 512 * LANES;

/// Values of one piece of a plain mean; two pieces or more are computed in parallel.
const PIECE: usize = 1 << 18;

/// Below this many values, setting up the lanes takes longer than going one by one.
const SMALL: usize = 2 * LANES;

/// Geometric mean of all values.
///
/// # Errors
///
/// [`Error::ValueDomain`] for the first value that is negative or NaN, [`Error::Empty`] without
/// values, and [`Error::ZeroAndInfinity`] where both occur.
pub fn gmean(values: &[f64]) -> Result<f64> {
    if values.is_empty() {
        return Err(Error::Empty {
            what: "values",
            figure: "geometric mean",
        });
    }
    let pieces = pool::chunks(values.len(), PIECE);
    let mut all = Values::EMPTY;
    for piece in pool::map(pieces, |piece| Values::of(values, piece)) {
        all = all.and(piece?);
    }
    if let (Some(zero), Some(infinity)) = (all.zero, all.infinity) {
        return Err(Error::ZeroAndInfinity { zero, infinity });
    }
    Ok(all.mean())
}

/// Geometric mean of each group `offsets[i]..offsets[i + 1]` of the values.
///
/// The result is NaN for a group that is empty, or that contains both 0.0 and infinity.
///
/// # Errors
///
/// [`Error::ValueDomain`] for the first value of any group that is negative or NaN.
pub fn gmean_grouped(values: &[f64], offsets: &[i64]) -> Result<Vec<f64>> {
    let mut means = vec![0.0; offsets.len() - 1];
    pool::fill_rows(offsets, &mut means, |groups, out| {
        for (mean, group) in out.iter_mut().zip(groups) {
            let group = offsets[group] as usize..offsets[group + 1] as usize;
            *mean = Values::of(values, group)?.mean();
        }
        Ok(())
    })?;
    Ok(means)
}

/// All values of a mean: the product of those that have one, and what else is among them.
#[derive(Debug, Clone, Copy)]
struct Values {
    product: Product,
    /// Index of the first 0.0.
    zero: Option<usize>,
    /// Index of the first infinity.
    infinity: Option<usize>,
}

impl Values {
    const EMPTY: Self = Self {
        product: Product::EMPTY,
        zero: None,
        infinity: None,
    };

    fn of(values: &[f64], range: Range<usize>) -> Result<Self> {
        let mut all = Self::EMPTY;
        let mut begin = range.start;
        while begin < range.end {
            let end = range.end.min(begin + BLOCK);
            let block = &values[begin..end];
            let fast = if block.len() < SMALL {
                Product::of_few(block)
            } else {
                Product::of_block(block)
            };
            match fast {
                Some(product) => all.product = all.product.times(product),
                None => all = all.and(Self::of_any(block, begin)?),
            }
            begin = end;
        }
        Ok(all)
    }

    /// Any values, one by one.
    fn of_any(values: &[f64], base: usize) -> Result<Self> {
        let mut all = Self::EMPTY;
        for (index, &value) in (base..).zip(values) {
            if value.is_nan() || value < 0.0 {
                return Err(Error::ValueDomain { index, value });
            } else if value == 0.0 {
                all.zero = all.zero.or(Some(index));
            } else if value == f64::INFINITY {
                all.infinity = all.infinity.or(Some(index));
            } else {
                all.product = all.product.with(value);
            }
        }
        Ok(all)
    }

    fn and(self, later: Self) -> Self {
        Self {
            product: self.product.times(later.product),
            zero: self.zero.or(later.zero),
            infinity: self.infinity.or(later.infinity),
        }
    }

    /// The geometric mean; NaN where it is undefined.
    fn mean(self) -> f64 {
        match (self.zero, self.infinity) {
            (Some(_), Some(_)) => f64::NAN,
            (Some(_), None) => 0.0,
            (None, Some(_)) => f64::INFINITY,
            (None, None) => self.product.mean(),
        }
    }
}

#[cfg(test)]
mod tests;
