//! Exact sums of floats, as 64-bit counts of powers of 2 that are 32 binary places apart.
//!
//! A float is an integer times a power of 2. It is split into 32-bit digits, aligned to multiples
//! of 32 binary places, and each digit is added to the sum of its place, in the slot of the float.
//! A sum holds 2^31 digits, so nothing is ever carried: a float costs a shift and three additions,
//! or five if it is squared.

#![expect(
    clippy::inline_always,
    reason = "`dispatch` compiles for the CPU only what is inlined into it"
)]

use pulp::{Arch, Simd, WithSimd};

use crate::{Error, Result};

mod counted;
mod moments;
mod part_sums;
mod slots;
#[cfg(test)]
mod tests;
mod unit_sums;

pub use counted::{Column, Counted, counted_sums};
pub use moments::{Batch, Moments};
pub use slots::{SlotOrder, slot_order};
pub use unit_sums::{Doubles, UnitSums};

/// Bits per digit.
const BITS: u32 = 32;
const DIGIT: u64 = (1 << BITS) - 1;

/// Makes all exponents positive: the smallest square has the exponent -2148.
const OFFSET: i32 = 2176;

/// Number of places from the smallest square to the largest.
const PLACES: usize = 136;

/// Partial sums per slot if there are few slots, so that an addition need not wait for the last.
const LANES: usize = 4; // a power of 2
const FEW_SLOTS: usize = 16;

/// Places from the smallest number to the largest, if all of them get a column.
const FEW: usize = 4;

/// The sums at one place.
pub struct Place {
    /// The sums are multiples of 2 to the power of this.
    pub exponent: i64,
    /// The sum of each slot.
    pub sums: Vec<i64>,
}

/// Adds up numbers, or their squares, by slot.
///
/// Returns the places that have a sum other than 0, lowest first. Value i belongs to slot
/// `slots[i]`, which must be below `size`.
///
/// # Errors
///
/// [`Error::NotFinite`] for the first value that is NaN or infinite, and [`Error::Choice`] for the
/// first slot that is out of range.
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

/// Returns whether all numbers are equal bit by bit. It never stops early, which lets it vectorize.
pub(crate) fn are_equal(values: &[f64]) -> bool {
    let first = values.first().map_or(0, |value| value.to_bits());
    let differing = values.iter().map(|value| value.to_bits() ^ first);
    differing.fold(0, |all, bits| all | bits) == 0
}

/// Splits a number into the lowest place it occupies and its digits from there on.
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

/// Splits a finite number, without its sign, into an integer below 2^53 and an exponent of 2.
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

/// Returns the place of an integer's lowest bit, and the offset of the bit within the place.
#[inline(always)]
fn place_of(exponent: i32) -> (usize, u32) {
    let above = (exponent + OFFSET) as u32;
    ((above / BITS) as usize, above % BITS)
}

/// Returns the digits of an integer shifted left by less than the bits of a digit.
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

/// Adds numbers up, with the widest instructions of the CPU.
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

/// Table of sums: slots times columns, repeated [`LANES`] times if there are few slots.
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

/// The places that the numbers occupy, each a column of the table.
struct Columns {
    places: Vec<usize>,
    of_place: [u8; PLACES],
}

impl Columns {
    /// Finds the places. If the range is small, it includes all of them; otherwise only those that
    /// some number occupies.
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
    // Never stops early, which is faster for valid input.
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
