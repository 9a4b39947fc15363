//! Products of positive finite values, which never overflow.

use pulp::{Arch, Simd, WithSimd};

const FRACTION: u64 = (1 << 52) - 1;

const ONE: u64 = 1.0_f64.to_bits();

const BIAS: i64 = 1023;

const LEAST_NORMAL: i64 = f64::MIN_POSITIVE.to_bits() as i64;

const INFINITY: i64 = f64::INFINITY.to_bits() as i64;

/// Products in flight: enough to hide the latency of a multiplication at any vector width.
pub(super) const LANES: usize = 16;

/// A root that rounds up to 2 could scale to more than the greatest double.
const BELOW_TWO: f64 = 2.0 - f64::EPSILON;

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
    pub(super) fn of_few(values: &[f64]) -> Option<Self> {
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
    pub(super) fn of_block(values: &[f64]) -> Option<Self> {
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

/// A block of values, multiplied in lanes.
struct Lanes<'a>(&'a [f64]);

impl WithSimd for Lanes<'_> {
    type Output = Option<Product>;

    #[expect(
        clippy::inline_always,
        reason = "`dispatch` compiles for the CPU only what is inlined into it"
    )]
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
