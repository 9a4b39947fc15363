//! Sums of numbers and of their squares by parts, which the machine adds up several at a time.
//!
//! A number is an integer below 2^53 times a power of 2. Moved up by at most [`SPAN`] binary places
//! it has three parts of 28 bits, and its square is made of six products of these.

/// Binary places by which a number is moved up, at most; one less than a power of 2.
pub(super) const SPAN: u64 = 31;

/// Numbers that are added at a time: products of parts have 56 bits, three of them are added to one
/// sum of each number, and such a sum holds 85 times as much.
pub(super) const AT_ONCE: usize = 64;

/// Bits of a part.
const BITS: u32 = 28;
const PART: u64 = (1 << BITS) - 1;

/// The bits of a number but for its sign.
const SIZE: u64 = u64::MAX >> 1;

/// Sums of the parts of numbers, and of those of their squares, the lowest first.
pub(super) struct PartSums {
    parts: [i64; 3],
    squares: [u64; 5],
    /// The greatest size, as bits.
    pub(super) greatest: u64,
    /// Whether a number could not be added, so that all this means nothing.
    pub(super) is_partial: bool,
}

/// The exponent of a number as its bits have it, from 1 on.
#[inline(always)]
pub(super) fn exponent_of(size: u64) -> u64 {
    let exponent = size >> 52;
    exponent + u64::from(exponent == 0)
}

/// The bits of a number but for its sign, which compare as sizes do: infinity and NaN are above all
/// others.
#[inline(always)]
pub(super) fn size_of(value: f64) -> u64 {
    value.to_bits() & SIZE
}

/// Whether a number can be added where multiples of `unit` are counted; 0.0 can be everywhere.
#[inline(always)]
pub(super) fn is_within(size: u64, unit: u64) -> bool {
    exponent_of(size).wrapping_sub(unit) <= SPAN || size == 0
}

/// Adds up at most [`AT_ONCE`] numbers, and their squares if asked to.
///
/// Parts are those of multiples of the least number with the exponent `unit`.
#[inline(always)]
pub(super) fn part_sums<const SQUARES: bool>(values: &[f64], unit: u64) -> PartSums {
    let (mut first, mut second, mut third) = (0, 0, 0);
    let mut squares = [0; 5];
    let mut greatest = 0_i64; // compared faster with a sign
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
        // What the machine multiplies are numbers of 32 bits, which these are seen to be.
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
    /// The sum.
    #[inline(always)]
    pub(super) fn sum(&self) -> i128 {
        let [first, second, third] = self.parts;
        i128::from(first) + (i128::from(second) << BITS) + (i128::from(third) << (2 * BITS))
    }

    /// The sum of the squares: its lower 64 bits, and what is above.
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
