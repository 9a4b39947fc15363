//! Exact sums of the numbers of many units and of their squares, batch by batch, in one pass each.
//!
//! A batch has a slot for each of its units. The numbers of a slot are added one after another, so
//! that their sums stay in registers. Numbers not much smaller than the greatest of their block of
//! slots are added in parts ([`super::part_sums`]); the few others by [`super::exact_sums`].

use pulp::{Arch, Simd, WithSimd};

use super::part_sums::{self, SPAN, exponent_of, is_within, part_sums, size_of};
use super::slots::check_below;
use super::unit_sums::UnitSums;
use super::{digits, exact_sums, place_of};
use crate::{Error, Result, offsets};

/// Slots that are looked up together and added at the same places.
const BLOCK: usize = 64;

/// Digits of the sum of a slot; the second, of the sum of its squares.
const DIGITS: usize = 5;
const SQUARE_DIGITS: usize = 7;

/// The bits of infinity.
const INFINITE: u64 = 0x7ff << 52;

/// Bias of the exponent bits of a number, for an integer mantissa.
const BIAS: i32 = 1075;

/// Most numbers added before their sum is split into digits: their squares have
/// 2 * (53 + SPAN) - 64 + 20 bits above the lower 64 of their sum, which fit in [`SQUARE_DIGITS`]
/// digits.
const AT_ONCE: usize = 1 << 20;

/// Facts about the numbers of each slot of a batch.
pub struct Batch {
    /// Number of finite numbers.
    pub counts: Vec<i64>,
    /// Greatest magnitude; 0 if there are no finite numbers.
    pub greatest: Vec<f64>,
}

/// Sums of the finite numbers of each unit, and of their squares.
#[derive(Default)]
pub struct Moments {
    /// Sums.
    pub sums: UnitSums,
    /// Sums of squares.
    pub squares: UnitSums,
}

impl Moments {
    /// Counts and adds up the finite numbers of each slot, and their squares.
    ///
    /// Slot i has the values at `order[offsets[i]..offsets[i + 1]]`, as [`super::slot_order`] returns
    /// them, and belongs to the unit `units[i]`. No unit may occur twice.
    ///
    /// # Errors
    ///
    /// [`Error::Choice`] for the first offset or position that is out of range, offset that is
    /// below the one before it, or unit that is negative, and if the number of units is not that of
    /// slots. Slots before a position that is out of range may have been added already.
    pub fn add(
        &mut self,
        values: &[f64],
        order: &[i64],
        offsets: &[i64],
        units: &[i64],
        is_squared: bool,
    ) -> Result<Batch> {
        offsets::check(offsets, order.len())?;
        check_below("unit", units, 0, i64::MAX as usize)?;
        if units.len() != offsets.len().saturating_sub(1) {
            return Err(Error::Choice {
                what: "number of units",
                index: 0,
                value: units.len() as i64,
                low: offsets.len() as i64 - 1,
                high: None,
            });
        }
        let adding = Adding {
            values,
            order,
            offsets,
            units,
            moments: self,
        };
        let Added { batch, rest } = if is_squared {
            Arch::new().dispatch(Squaring::<true>(adding))?
        } else {
            Arch::new().dispatch(Squaring::<false>(adding))?
        };
        if !rest.values.is_empty() {
            let (values, slots) = (&rest.values, &rest.slots);
            let sums = exact_sums(values, slots, units.len(), false)?;
            self.sums.add_places(&sums, units);
            if is_squared {
                let squares = exact_sums(values, slots, units.len(), true)?;
                self.squares.add_places(&squares, units);
            }
        }
        Ok(batch)
    }
}

struct Adding<'a> {
    values: &'a [f64],
    order: &'a [i64],
    offsets: &'a [i64],
    units: &'a [i64],
    moments: &'a mut Moments,
}

struct Added {
    batch: Batch,
    rest: Rest,
}

/// Numbers that are too small, compared with the greatest, to be added in parts.
#[derive(Default)]
struct Rest {
    values: Vec<f64>,
    slots: Vec<i64>,
}

/// Adds up numbers, and with `SQUARES` their squares, with the widest instructions of the CPU.
struct Squaring<'a, const SQUARES: bool>(Adding<'a>);

impl<const SQUARES: bool> WithSimd for Squaring<'_, SQUARES> {
    type Output = Result<Added>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Result<Added> {
        let Self(adding) = self;
        let Moments { sums, squares } = adding.moments;
        let size = adding.units.len();
        let most = adding.units.iter().max();
        let count = most.map_or(0, |unit| *unit as usize + 1);
        let mut counts = vec![0; size];
        let mut sizes = vec![0.0; size];
        let mut rest = Rest::default();
        // Gathered for many slots together, so that no slot waits for its own numbers.
        let mut held: Vec<f64> = Vec::new();
        for first in (0..size).step_by(BLOCK) {
            let bounds = &adding.offsets[first..=size.min(first + BLOCK)];
            let begin = bounds[0] as usize;
            let positions = &adding.order[begin..bounds[bounds.len() - 1] as usize];
            // Checked here, while they are in the cache, and not all of them beforehand.
            check_below("position", positions, begin, adding.values.len())?;
            held.clear();
            held.extend(positions.iter().map(|at| adding.values[*at as usize]));
            let greatest = greatest_of(&held);
            let unit = exponent_of(greatest).saturating_sub(SPAN).max(1);
            let exponent = unit as i32 - BIAS;
            let (place, shift) = place_of(exponent);
            let (square_place, square_shift) = place_of(2 * exponent);
            // If every number is 0.0, there is no place to add at.
            let is_added = greatest > 0;
            let (mut column, mut square_column) = (0, 0);
            if is_added {
                column = sums.reach(count, place, DIGITS);
                if SQUARES {
                    square_column = squares.reach(count, square_place, SQUARE_DIGITS);
                }
            }
            for (slot, bounds) in (first..).zip(bounds.windows(2)) {
                let places = bounds[0] as usize - begin..bounds[1] as usize - begin;
                counts[slot] = places.len() as i64;
                for chunk in held[places].chunks_mut(AT_ONCE) {
                    let chunk = ChunkSums::of::<SQUARES>(chunk, unit, slot, &mut rest);
                    counts[slot] -= chunk.left_out;
                    sizes[slot] = f64::from_bits(chunk.greatest).max(sizes[slot]);
                    if !is_added {
                        continue;
                    }
                    let owner = adding.units[slot] as usize;
                    sums.add(owner, column, chunk.digits(shift));
                    if SQUARES {
                        squares.add(owner, square_column, chunk.square_digits(square_shift));
                    }
                }
            }
        }
        let batch = Batch {
            counts,
            greatest: sizes,
        };
        Ok(Added { batch, rest })
    }
}

/// Sums of at most [`AT_ONCE`] numbers of a slot.
struct ChunkSums {
    /// Number of those that are not finite.
    left_out: i64,
    /// Bits of the greatest magnitude of the others.
    greatest: u64,
    sum: i128,
    /// Sum of the lower 64 bits of squares.
    low: u128,
    /// Sum of the bits of squares above these.
    high: u128,
}

impl ChunkSums {
    /// Adds up numbers in parts, and moves those that cannot be added so to `rest`.
    #[inline(always)]
    fn of<const SQUARES: bool>(chunk: &mut [f64], unit: u64, slot: usize, rest: &mut Rest) -> Self {
        let (mut left_out, mut greatest, mut sum, mut low, mut high) = (0, 0, 0, 0, 0);
        for few in chunk.chunks_mut(part_sums::AT_ONCE) {
            let mut sums = part_sums::<SQUARES>(few, unit);
            if sums.is_partial {
                let taken = rest.take(few, unit, slot);
                left_out += taken.left_out;
                greatest = taken.greatest.max(greatest);
                sums = part_sums::<SQUARES>(few, unit);
            }
            greatest = sums.greatest.max(greatest);
            sum += sums.sum();
            if SQUARES {
                let (lower, upper) = sums.squares();
                low += u128::from(lower);
                high += upper;
            }
        }
        Self {
            left_out,
            greatest,
            sum,
            low,
            high,
        }
    }

    /// Returns the digits of the sum.
    #[inline(always)]
    fn digits(&self, shift: u32) -> [i64; DIGITS] {
        let size = self.sum.unsigned_abs();
        let sign = if self.sum < 0 { -1 } else { 1 };
        cut([size as u64, (size >> 64) as u64], shift, sign)
    }

    /// Returns the digits of the sum of squares.
    #[inline(always)]
    fn square_digits(&self, shift: u32) -> [i64; SQUARE_DIGITS] {
        let high = self.high + (self.low >> 64);
        cut(
            [self.low as u64, high as u64, (high >> 64) as u64],
            shift,
            1,
        )
    }
}

/// Returns the bits of the greatest magnitude of a finite number; 0 if there is none.
#[inline(always)]
fn greatest_of(values: &[f64]) -> u64 {
    let mut greatest = 0_i64; // signed numbers compare faster
    for value in values {
        let size = size_of(*value);
        greatest = greatest.max(if size < INFINITE { size as i64 } else { 0 });
    }
    greatest as u64
}

/// Facts about the numbers that were removed from a slot.
struct Taken {
    /// Number of those that are not finite.
    left_out: i64,
    /// Bits of the greatest magnitude of the others.
    greatest: u64,
}

impl Rest {
    /// Removes the numbers that cannot be added in parts, leaving 0.0 in their place.
    #[cold]
    #[inline(never)]
    fn take(&mut self, values: &mut [f64], unit: u64, slot: usize) -> Taken {
        let (mut left_out, mut greatest) = (0, 0);
        for value in values {
            let size = size_of(*value);
            if is_within(size, unit) {
                continue;
            }
            if size < INFINITE {
                self.values.push(*value);
                self.slots.push(slot as i64);
                greatest = greatest.max(size);
            } else {
                left_out += 1;
            }
            *value = 0.0;
        }
        Taken { left_out, greatest }
    }
}

/// Splits an integer of several words into digits, lowest first.
#[inline(always)]
fn cut<const WORDS: usize, const N: usize>(
    integer: [u64; WORDS],
    shift: u32,
    sign: i64,
) -> [i64; N] {
    let mut found = [0; N];
    for (index, word) in integer.into_iter().enumerate() {
        for (digit, part) in digits(word, shift).into_iter().enumerate() {
            found[2 * index + digit] += sign * part;
        }
    }
    found
}
