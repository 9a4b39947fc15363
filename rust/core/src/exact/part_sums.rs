//! Exact sums of a few numbers and of their squares, in parts that fit vector instructions.
//!
//! A number is an integer below 2^53 times a power of 2. Shifted left by at most [`SPAN`] bits, it
//! has three parts of 28 bits, and its square is made of six products of parts.

/// Greatest shift of a number, in bits; one less than a power of 2.
pub(super) const SPAN: u64 = 31;

/// Numbers that are added before the sums are read. A product of parts has 56 bits, and each number
/// adds up to three of them to a sum, which has room for 85 numbers.
pub(super) const AT_ONCE: usize = 64;

/// Bits of a part.
const BITS: u32 = 28;
const PART: u64 = (1 << BITS) - 1;

/// Mask of the bits of a number except its sign.
const SIZE: u64 = u64::MAX >> 1;

/// Sums of the parts of numbers, and of the parts of their squares, lowest first.
pub(super) struct PartSums {
    parts: [i64; 3],
    squares: [u64; 5],
    /// Bits of the greatest magnitude.
    pub(super) greatest: u64,
    /// Whether a number could not be added, which makes the sums invalid.
    pub(super) is_partial: bool,
}

/// Returns the exponent bits of a number, at least 1.
#[inline(always)]
pub(super) fn exponent_of(size: u64) -> u64 {
    let exponent = size >> 52;
    exponent + u64::from(exponent == 0)
}

/// Returns the bits of a number without its sign, which are ordered by magnitude: infinity and NaN
/// come last.
#[inline(always)]
pub(super) fn size_of(value: f64) -> u64 {
    value.to_bits() & SIZE
}

/// Returns whether a number can be added as a multiple of `unit`; 0.0 always can.
#[inline(always)]
pub(super) fn is_within(size: u64, unit: u64) -> bool {
    exponent_of(size).wrapping_sub(unit) <= SPAN || size == 0
}

/// Adds up at most [`AT_ONCE`] numbers, and their squares if requested.
///
/// The parts count multiples of the least number with the exponent `unit`.
#[inline(always)]
pub(super) fn part_sums<const SQUARES: bool>(values: &[f64], unit: u64) -> PartSums {
    let (mut first, mut second, mut third) = (0, 0, 0);
    let mut squares = [0; 5];
    let mut greatest = 0_i64; // signed numbers compare faster
    let mut any_above = 0;
    for value in values {
        let size = size_of(*value);
        greatest = greatest.max(size as i64);
        let is_normal = u64::from(size >> 52 != 0);
        let mantissa = (size & ((1 << 52) - 1)) | (is_normal << 52);
        let above = exponent_of(size).wrapping_sub(unit);
        any_above |= if size == 0 { 0 } else { above };
        let above = above & SPAN;
        let low = (mantissa & PART) << above;
        let high = ((mantissa >> BITS) << above) + (low >> BITS);
        // The CPU multiplies 32-bit numbers; masking shows the compiler that the parts fit.
        let [a, b, c] = [low & PART, high & PART, (high >> BITS) & PART];
        let sign = (value.to_bits() as i64) >> 63; // 0 or -1
        first += (a as i64 ^ sign) - sign;
        second += (b as i64 ^ sign) - sign;
        third += (c as i64 ^ sign) - sign;
        if SQUARES {
            squares[0] += a * a;
            squares[1] += 2 * (a * b);
            squares[2] += 2 * (a * c) + b * b;
            squares[3] += 2 * (b * c);
            squares[4] += c * c;
        }
    }
    PartSums {
        parts: [first, second, third],
        squares,
        greatest: greatest as u64,
        is_partial: any_above > SPAN,
    }
}

impl PartSums {
    /// Returns the sum.
    #[inline(always)]
    pub(super) fn sum(&self) -> i128 {
        let [first, second, third] = self.parts;
        i128::from(first) + (i128::from(second) << BITS) + (i128::from(third) << (2 * BITS))
    }

    /// Returns the sum of the squares: its lower 64 bits, and the bits above.
    #[inline(always)]
    pub(super) fn squares(&self) -> (u64, u128) {
        let [first, second, third, fourth, fifth] = self.squares;
        let low = u128::from(first) + (u128::from(second) << BITS);
        let low = low + (u128::from(third) << (2 * BITS));
        let high = u128::from(fourth) << (3 * BITS - 64);
        let high = high + (u128::from(fifth) << (4 * BITS - 64));
        (low as u64, high + (low >> 64))
    }
}
