//! Geometric means: the n-th root of the product of n values.
//!
//! The product is kept as a mantissa from 1 to 2 and a power of 2, so it never overflows. Splitting
//! a double only takes bit operations; a single logarithm, of the mantissa, is taken at the end.
//! The twin defines the results for zeros, infinities and values outside the domain.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::{Error, Result, pool};

const FRACTION: u64 = (1 << 52) - 1;
const ONE: u64 = 1.0_f64.to_bits();
const BIAS: i64 = 1023;
const LEAST_NORMAL: i64 = f64::MIN_POSITIVE.to_bits() as i64;
const INFINITY: i64 = f64::INFINITY.to_bits() as i64;

/// Products in flight: enough to hide the latency of a multiplication at any vector width.
const LANES: usize = 16;

/// Values of one block. A lane multiplies 512 mantissas below 2, which stays below 2^1023.
const BLOCK: usize = 512 * LANES;

/// Values of one piece of a plain mean; two pieces or more are computed in parallel.
const PIECE: usize = 1 << 18;

/// Below this many values, setting up the lanes takes longer than going one by one.
const SMALL: usize = 2 * LANES;

/// A root that rounds up to 2 could scale to more than the greatest double.
const BELOW_TWO: f64 = 2.0 - f64::EPSILON;

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

/// A product of positive finite values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product {
    /// From 1 to below 2.
    mantissa: f64,
    /// The product is `mantissa` times 2 to this power.
    exponent: i64,
    /// How many values were multiplied.
    count: usize,
    /// Bits of the least value.
    least: i64,
    /// Bits of the greatest value.
    greatest: i64,
}

impl Product {
    pub(crate) const EMPTY: Self = Self {
        mantissa: 1.0,
        exponent: 0,
        count: 0,
        least: i64::MAX,
        greatest: 0,
    };

    /// Product of a few values, if all are normal numbers.
    fn of_few(values: &[f64]) -> Option<Self> {
        let (mut mantissa, mut exponents) = (1.0, 0);
        let (mut least, mut greatest) = (i64::MAX, 0);
        for value in values {
            let bits = value.to_bits();
            mantissa *= f64::from_bits(bits & FRACTION | ONE);
            exponents += bits >> 52;
            least = least.min(bits as i64);
            greatest = greatest.max(bits as i64);
        }
        Self::of_normal(mantissa, exponents, values.len(), least, greatest)
    }

    /// Product of a block of values, if all are normal numbers.
    fn of_block(values: &[f64]) -> Option<Self> {
        Arch::new().dispatch(Lanes(values))
    }

    fn of_normal(
        mantissa: f64,
        exponents: u64,
        count: usize,
        least: i64,
        greatest: i64,
    ) -> Option<Self> {
        if least < LEAST_NORMAL || greatest >= INFINITY {
            return None;
        }
        let exponent = exponents as i64 - BIAS * count as i64;
        Some(
            Self {
                exponent,
                count,
                least,
                greatest,
                ..Self::EMPTY
            }
            .carrying(mantissa),
        )
    }

    /// This product with one more factor, which is positive and finite.
    pub(crate) fn with(self, value: f64) -> Self {
        let bits = value.to_bits() as i64;
        // A subnormal number has fewer digits; scaled to a normal number, it can be split.
        let (normal, power) = if bits < LEAST_NORMAL {
            (value * 2.0_f64.powi(54), -54)
        } else {
            (value, 0)
        };
        let factor = normal.to_bits();
        Self {
            mantissa: 1.0,
            exponent: self.exponent + (factor >> 52) as i64 - BIAS + power,
            count: self.count + 1,
            least: self.least.min(bits),
            greatest: self.greatest.max(bits),
        }
        .carrying(self.mantissa * f64::from_bits(factor & FRACTION | ONE))
    }

    /// How many values were multiplied.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// This product with the normal number `mantissa`, of any size, as its mantissa.
    fn carrying(self, mantissa: f64) -> Self {
        let bits = mantissa.to_bits();
        Self {
            mantissa: f64::from_bits(bits & FRACTION | ONE),
            exponent: self.exponent + (bits >> 52) as i64 - BIAS,
            ..self
        }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let product = Self {
            mantissa: 1.0,
            exponent: self.exponent + other.exponent,
            count: self.count + other.count,
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
        };
        product.carrying(self.mantissa * other.mantissa)
    }

    /// The geometric mean; NaN of no value.
    pub(crate) fn mean(self) -> f64 {
        if self.count == 0 {
            return f64::NAN;
        }
        let (least, greatest) = (double(self.least), double(self.greatest));
        if self.least == self.greatest {
            return least; // of equal values, a root could only be rounded
        }
        let count = self.count as i64;
        let mean = if self.exponent.abs() <= 2 * count {
            // Near 1 the exponent of the root is so small that a sum with it loses nothing.
            let logarithm = self.exponent as f64 + self.mantissa.log2();
            (logarithm / count as f64).exp2()
        } else {
            let whole = self.exponent.div_euclid(count);
            let rest = self.exponent.rem_euclid(count) as f64;
            let root = ((rest + self.mantissa.log2()) / count as f64).exp2();
            scale(root.min(BELOW_TWO), whole)
        };
        mean.max(least).min(greatest)
    }
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

/// A block of values, multiplied in lanes.
struct Lanes<'a>(&'a [f64]);

impl WithSimd for Lanes<'_> {
    type Output = Option<Product>;

    #[allow(clippy::inline_always)] // `dispatch` compiles for the CPU only what is inlined into it
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<Product> {
        let mut mantissas = [1.0; LANES];
        let mut exponents = [0; LANES];
        let mut least = [i64::MAX; LANES];
        let mut greatest = [0; LANES];
        let chunks = self.0.chunks_exact(LANES);
        let (count, rest) = (chunks.len(), chunks.remainder());
        for chunk in chunks {
            for lane in 0..LANES {
                let bits = chunk[lane].to_bits();
                mantissas[lane] *= f64::from_bits(bits & FRACTION | ONE);
                exponents[lane] += bits >> 52;
                least[lane] = least[lane].min(bits as i64);
                greatest[lane] = greatest[lane].max(bits as i64);
            }
        }
        let mut product = Product::of_few(rest)?;
        for lane in 0..LANES {
            let factor = Product::of_normal(
                mantissas[lane],
                exponents[lane],
                count,
                least[lane],
                greatest[lane],
            );
            product = product.times(factor?);
        }
        Some(product)
    }
}

fn double(bits: i64) -> f64 {
    f64::from_bits(bits as u64)
}

/// `root` times 2 to `power`, rounded once; `root` is from 1 to below 2.
fn scale(root: f64, power: i64) -> f64 {
    let times = |power: i64| double((power + BIAS) << 52);
    if power > -BIAS {
        root * times(power)
    } else {
        root * times(-1000) * times(power + 1000)
    }
}

#[cfg(test)]
mod tests;
