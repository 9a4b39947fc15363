//! Exact sums: integers of 64 bits that count multiples of powers of 2, 32 binary places apart.
//!
//! A number is an integer times a power of 2. Cut into digits of 32 bits at the multiples of 32
//! binary places, it is added to as many sums of its slot as it has digits; a sum holds 2^31 of
//! them. Nothing is carried, so that a number costs a shift, three additions, and five if squared.

#![allow(clippy::inline_always)] // `dispatch` compiles for the CPU only what is inlined into it

use pulp::{Arch, Simd, WithSimd};

use crate::{Error, Result};

mod counted;
mod moments;
mod part_sums;
#[cfg(test)]
mod tests;
mod unit_sums;

pub use counted::{Column, Counted, counted_sums};
pub use moments::{Batch, Moments, SlotOrder, slot_order};
pub use unit_sums::{Doubles, UnitSums};

/// Bits of a digit.
const BITS: u32 = 32;
const DIGIT: u64 = (1 << BITS) - 1;

/// What makes exponents positive: that of the least square is -2148.
const OFFSET: i32 = 2176;

/// Digits between the least square and the greatest.
const PLACES: usize = 136;

/// Sums that each slot has where there are few, so that no addition waits for the one before it.
const LANES: usize = 4; // a power of 2
const FEW_SLOTS: usize = 16;

/// Places between the least number and the greatest that are few.
const FEW: usize = 4;

/// Sums of one place.
pub struct Place {
    /// The sums are multiples of 2 to the power of this.
    pub exponent: i64,
    /// A sum for each slot.
    pub sums: Vec<i64>,
}

/// Adds up numbers, or their squares, by slot.
///
/// Gives the places that hold a sum other than 0, the lowest first. Value i belongs to slot i of
/// `slots`, each of which is below `size`.
///
/// # Errors
///
/// [`Error::NotFinite`] for the first value that is NaN or infinite, and [`Error::Choice`] for the
/// first slot that is none.
pub fn exact_sums(
    values: &[f64],
    slots: &[i64],
    size: usize,
    is_squared: bool,
) -> Result<Vec<Place>> {
    check(values, slots, size)?;
    Ok(if is_squared {
        let cut = Square;
        Adding {
            values,
            slots,
            size,
            cut,
        }
        .places()
    } else {
        let cut = Itself;
        Adding {
            values,
            slots,
            size,
            cut,
        }
        .places()
    })
}

/// Whether all numbers are the same, bit by bit; without an early end, so that it takes little.
pub(crate) fn are_equal(values: &[f64]) -> bool {
    let first = values.first().map_or(0, |value| value.to_bits());
    let differing = values.iter().map(|value| value.to_bits() ^ first);
    differing.fold(0, |all, bits| all | bits) == 0
}

/// What is added of a number: the first place it holds, and its digits from there on.
trait Cut<const N: usize>: Copy {
    fn cut(self, value: f64) -> (usize, [i64; N]);
}

#[derive(Clone, Copy)]
struct Itself;

impl Cut<3> for Itself {
    #[inline(always)]
    fn cut(self, value: f64) -> (usize, [i64; 3]) {
        let (mantissa, exponent) = parts(value);
        let (place, shift) = place_of(exponent);
        let sign = (value.to_bits() as i64) >> 63; // 0 or -1
        let [first, second, third] = digits(mantissa, shift);
        let signed = |digit| (digit ^ sign) - sign;
        (place, [signed(first), signed(second), signed(third)])
    }
}

#[derive(Clone, Copy)]
struct Square;

impl Cut<5> for Square {
    #[inline(always)]
    fn cut(self, value: f64) -> (usize, [i64; 5]) {
        let (mantissa, exponent) = parts(value);
        let (place, shift) = place_of(2 * exponent);
        let squared = u128::from(mantissa) * u128::from(mantissa);
        let [first, second, carried] = digits(squared as u64, shift);
        let [third, fourth, fifth] = digits((squared >> 64) as u64, shift);
        (place, [first, second, third + carried, fourth, fifth])
    }
}

/// A finite number without its sign: an integer below 2^53, and the exponent of its power of 2.
#[inline(always)]
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    let is_normal = exponent != 0;
    (
        mantissa | (u64::from(is_normal) << 52),
        exponent.max(1) - 1075,
    )
}

/// Where the lowest bit of an integer lies: a place, and how far above it.
#[inline(always)]
fn place_of(exponent: i32) -> (usize, u32) {
    let above = (exponent + OFFSET) as u32;
    ((above / BITS) as usize, above % BITS)
}

/// The digits of an integer times a power of 2, which is less than a digit can hold.
#[inline(always)]
fn digits(integer: u64, shift: u32) -> [i64; 3] {
    let low = (integer & DIGIT) << shift;
    let high = ((integer >> BITS) << shift) + (low >> BITS);
    [
        (low & DIGIT) as i64,
        (high & DIGIT) as i64,
        (high >> BITS) as i64,
    ]
}

/// Adds numbers up, with the widest instructions that the machine has.
struct Adding<'a, C> {
    values: &'a [f64],
    slots: &'a [i64],
    size: usize,
    cut: C,
}

impl<C> Adding<'_, C> {
    fn places<const N: usize>(self) -> Vec<Place>
    where
        C: Cut<N>,
    {
        let columns = Columns::of(self.values, self.cut);
        let (size, width) = (self.size, columns.places.len());
        let table = Arch::new().dispatch(Table {
            adding: self,
            columns: &columns,
        });
        let places = columns.places.iter().enumerate();
        places
            .map(|(column, place)| Place {
                exponent: i64::from(*place as i32 * BITS as i32 - OFFSET),
                sums: (0..size)
                    .map(|slot| {
                        table[slot * width + column..]
                            .iter()
                            .step_by(size * width)
                            .sum()
                    })
                    .collect(),
            })
            .filter(|place| place.sums.iter().any(|sum| *sum != 0))
            .collect()
    }
}

/// Sums of a slot side by side, one for each column; of few slots several times.
struct Table<'a, C, const N: usize> {
    adding: Adding<'a, C>,
    columns: &'a Columns,
}

impl<C: Cut<N>, const N: usize> WithSimd for Table<'_, C, N> {
    type Output = Vec<i64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<i64> {
        let width = self.columns.places.len();
        let size = self.adding.size;
        let lanes = if size <= FEW_SLOTS { LANES } else { 1 };
        let mut table = vec![0_i64; lanes * size * width];
        let numbers = self.adding.values.iter().zip(self.adding.slots);
        for (index, (value, slot)) in numbers.enumerate() {
            if *value == 0.0 {
                continue;
            }
            let (place, digits) = self.adding.cut.cut(*value);
            let slot = (index & (lanes - 1)) * size + *slot as usize;
            let first = slot * width + usize::from(self.columns.of_place[place]);
            for (sum, digit) in table[first..first + N].iter_mut().zip(digits) {
                *sum += digit;
            }
        }
        table
    }
}

/// The places that any of some numbers holds, each a column of a table.
struct Columns {
    places: Vec<usize>,
    of_place: [u8; PLACES],
}

impl Columns {
    /// Few as a rule: then all between the least and the greatest, and else those that are held.
    fn of<const N: usize>(values: &[f64], cut: impl Cut<N>) -> Self {
        let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
        for value in values {
            let size = value.abs();
            least = if size == 0.0 { least } else { least.min(size) };
            greatest = greatest.max(size);
        }
        let mut held = [false; PLACES];
        if greatest > 0.0 {
            let (low, high) = (cut.cut(least).0, cut.cut(greatest).0);
            held[low..=high].fill(high - low < FEW);
            if high - low >= FEW {
                for value in values.iter().filter(|value| **value != 0.0) {
                    held[cut.cut(*value).0] = true;
                }
            }
        }
        let is_held = |place: &usize| held[(place + 1).saturating_sub(N)..=*place].contains(&true);
        let places: Vec<usize> = (0..PLACES).filter(is_held).collect();
        let mut of_place = [0; PLACES];
        for (column, place) in places.iter().enumerate() {
            of_place[*place] = column as u8;
        }
        Self { places, of_place }
    }
}

fn check(values: &[f64], slots: &[i64], size: usize) -> Result<()> {
    // Without an early end, as this is faster where all is well.
    let is_finite = values
        .iter()
        .fold(true, |all, value| all & value.is_finite());
    let most = slots.iter().fold(0, |most, slot| most.max(*slot as u64));
    if is_finite && (most < size as u64 || slots.is_empty()) {
        return Ok(());
    }
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(Error::NotFinite {
            what: "value",
            index,
            value: values[index],
        });
    }
    match slots.iter().position(|slot| *slot as u64 >= size as u64) {
        Some(index) => Err(Error::Choice {
            what: "slot",
            index,
            value: slots[index],
            low: 0,
            high: Some(size as i64 - 1),
        }),
        None => Ok(()),
    }
}
