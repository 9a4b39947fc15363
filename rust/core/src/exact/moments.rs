//! Count, greatest size and exact sums of the numbers of each slot and of their squares, in one
//! pass.
//!
//! Numbers of a slot are taken one after another, so that their sums stay in registers. A number is
//! an integer below 2^53 times a power of 2; moved up by at most [`SPAN`] binary places, integers
//! of 128 bits hold their sum, and two of them that of the squares. Numbers that are further below
//! the greatest are rare, and added by [`super::exact_sums`].

use pulp::{Arch, Simd, WithSimd};

use super::{BITS, OFFSET, Place, digits, exact_sums, parts, place_of};
use crate::{Error, Result};

/// Binary places between the greatest number and the least that is added at once: squares are moved
/// up by twice as many, which has to stay below the 64 bits of half an integer.
const SPAN: i32 = 31;

/// Slots whose digits are written at a time.
const BLOCK: usize = 64;

/// The bits of a number but for its sign, and those of infinity.
const SIZE: u64 = u64::MAX >> 1;
const INFINITE: i64 = 0x7ff << 52;

/// Exponent of the least number.
const LEAST_EXPONENT: i32 = -1074;

/// Numbers that are added at a time: their squares have 53 + 53 + 2 * SPAN - 64 + 20 bits in the
/// upper half of their sum, which leaves one.
const AT_ONCE: usize = 1 << 20;

/// Positions of the values of each slot, slot by slot.
pub struct SlotOrder {
    /// Positions, ascending within a slot.
    pub order: Vec<i64>,
    /// Slot i has the positions `[offsets[i], offsets[i + 1])` of `order`.
    pub offsets: Vec<i64>,
}

/// What is known of the numbers of each slot.
pub struct Moments {
    /// How many finite numbers.
    pub counts: Vec<i64>,
    /// The greatest size of one; 0 of none.
    pub greatest: Vec<f64>,
    /// Their sums, place by place; a place may occur twice.
    pub sums: Vec<Place>,
    /// Sums of their squares, likewise; none if these are not asked for.
    pub squares: Vec<Place>,
}

/// Find the positions of each slot.
///
/// # Errors
///
/// [`Error::Choice`] for the first slot that is not below `size`.
pub fn slot_order(slots: &[i64], size: usize) -> Result<SlotOrder> {
    check_below("slot", slots, size)?;
    let mut offsets = vec![0; size + 1];
    for slot in slots {
        offsets[*slot as usize + 1] += 1;
    }
    for slot in 0..size {
        offsets[slot + 1] += offsets[slot];
    }
    let mut next = offsets.clone();
    let mut order = vec![0; slots.len()];
    for (position, slot) in slots.iter().enumerate() {
        let place = &mut next[*slot as usize];
        order[*place as usize] = position as i64;
        *place += 1;
    }
    Ok(SlotOrder { order, offsets })
}

/// Count and add up the finite numbers of each slot, and their squares.
///
/// Slot i has the values at `order[offsets[i]..offsets[i + 1]]`, as [`slot_order`] gives them.
///
/// # Errors
///
/// [`Error::Choice`] for the first offset or position that leads outside, or offset that falls.
pub fn exact_moments(
    values: &[f64],
    order: &[i64],
    offsets: &[i64],
    is_squared: bool,
) -> Result<Moments> {
    check_below("position", order, values.len())?;
    check_below("offset", offsets, order.len() + 1)?;
    if let Some(index) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(Error::Choice {
            what: "offset",
            index: index + 1,
            value: offsets[index + 1],
            low: offsets[index],
            high: Some(order.len() as i64),
        });
    }
    let size = offsets.len().saturating_sub(1);
    let adding = Adding {
        values,
        order,
        offsets,
    };
    let found = if is_squared {
        Arch::new().dispatch(Squaring::<true>(adding))
    } else {
        Arch::new().dispatch(Squaring::<false>(adding))
    };
    let Rest { values, slots } = found.rest;
    let mut moments = found.moments;
    if !values.is_empty() {
        moments
            .sums
            .extend(exact_sums(&values, &slots, size, false)?);
        if is_squared {
            moments
                .squares
                .extend(exact_sums(&values, &slots, size, true)?);
        }
    }
    Ok(moments)
}

struct Adding<'a> {
    values: &'a [f64],
    order: &'a [i64],
    offsets: &'a [i64],
}

struct Added {
    moments: Moments,
    rest: Rest,
}

/// Numbers that are too small beside the greatest.
struct Rest {
    values: Vec<f64>,
    slots: Vec<i64>,
}

/// Adds up, squares too if it says so, with the widest instructions that the machine has.
struct Squaring<'a, const SQUARES: bool>(Adding<'a>);

impl<const SQUARES: bool> WithSimd for Squaring<'_, SQUARES> {
    type Output = Added;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Added {
        let Self(adding) = self;
        let size = adding.offsets.len().saturating_sub(1);
        // Sizes are compared as bits, which takes less time than as numbers.
        let mut greatest = 0;
        for value in adding.values {
            let bits = (value.to_bits() & SIZE) as i64;
            greatest = greatest.max(if bits < INFINITE { bits } else { 0 });
        }
        let greatest = f64::from_bits(greatest as u64);
        let unit = (parts(greatest).1 - SPAN).max(LEAST_EXPONENT);
        let mut counts = vec![0; size];
        let mut sizes = vec![0.0; size];
        let mut sums = Digits::<5>::of(unit, size);
        let mut squares = Digits::<7>::of(2 * unit, if SQUARES { size } else { 0 });
        let mut rest = Rest {
            values: Vec::new(),
            slots: Vec::new(),
        };
        // Looked up for many slots at once, so that no slot waits for its own numbers.
        let mut held: Vec<f64> = Vec::new();
        for first in (0..size).step_by(BLOCK) {
            let bounds = &adding.offsets[first..=size.min(first + BLOCK)];
            let begin = bounds[0] as usize;
            let own = adding.order.get(begin..bounds[bounds.len() - 1] as usize);
            let own = own.unwrap_or_default().iter();
            held.clear();
            held.extend(own.map(|position| adding.values[*position as usize]));
            for (slot, bounds) in (first..).zip(bounds.windows(2)) {
                let [from, to] = [bounds[0], bounds[1]].map(|it| (it as usize).wrapping_sub(begin));
                for some in held.get(from..to).unwrap_or_default().chunks(AT_ONCE) {
                    let (mut left_out, mut most, mut negative) = (0, 0, 0_i64);
                    let (mut sum, mut low, mut high) = (0_i128, 0_u128, 0_u128);
                    for value in some {
                        let bits = (value.to_bits() & SIZE) as i64;
                        let (mantissa, exponent) = parts(*value);
                        // Infinities and NaN are above all others, and 0.0 adds nothing.
                        let above = (exponent - unit) as u32;
                        if above > SPAN as u32 && bits != 0 {
                            if bits < INFINITE {
                                rest.values.push(*value);
                                rest.slots.push(slot as i64);
                                most = most.max(bits);
                            } else {
                                left_out += 1;
                            }
                            continue;
                        }
                        let above = above & SPAN as u32;
                        most = most.max(bits);
                        // The negative of an integer is its complement and 1.
                        let sign = (value.to_bits() as i64) >> 63; // 0 or -1
                        sum += moved(mantissa, above) as i128 ^ i128::from(sign);
                        negative -= sign;
                        if SQUARES {
                            let square = u128::from(mantissa) * u128::from(mantissa);
                            let lower = moved(square as u64, 2 * above);
                            low += u128::from(lower as u64);
                            high += moved((square >> 64) as u64, 2 * above) | (lower >> 64);
                        }
                    }
                    counts[slot] += some.len() as i64 - left_out;
                    sizes[slot] = f64::from_bits(most as u64).max(sizes[slot]);
                    sum += i128::from(negative);
                    let size = sum.unsigned_abs();
                    let sign = if sum < 0 { -1 } else { 1 };
                    sums.add(slot, [size as u64, (size >> 64) as u64], sign);
                    if SQUARES {
                        high += low >> 64;
                        squares.add(slot, [low as u64, high as u64, (high >> 64) as u64], 1);
                    }
                }
            }
        }
        Added {
            moments: Moments {
                counts,
                greatest: sizes,
                sums: sums.places(),
                squares: squares.places(),
            },
            rest,
        }
    }
}

/// An integer moved up by less than 64 places; a shift of 128 bits by any number takes longer.
#[inline(always)]
fn moved(integer: u64, places: u32) -> u128 {
    let high = (integer >> 1) >> (63 - places);
    (u128::from(high) << 64) | u128::from(integer << places)
}

/// Sums of slots, cut into digits.
///
/// Slots come in ascending order. Digits of [`BLOCK`] of them are kept side by side, as writing to
/// many columns at once, all as far into a page, would drive each other out of the cache.
struct Digits<const N: usize> {
    columns: [Vec<i64>; N],
    block: [[i64; BLOCK]; N],
    first: usize,
    size: usize,
    place: usize,
    shift: u32,
}

impl<const N: usize> Digits<N> {
    fn of(unit: i32, size: usize) -> Self {
        let (place, shift) = place_of(unit);
        Self {
            columns: std::array::from_fn(|_| Vec::new()),
            block: [[0; BLOCK]; N],
            first: 0,
            size,
            place,
            shift,
        }
    }

    /// Adds an integer of so many words, the lowest first, to a slot.
    #[inline(always)]
    fn add<const WORDS: usize>(&mut self, slot: usize, integer: [u64; WORDS], sign: i64) {
        let mut found = [0; N];
        for (index, word) in integer.into_iter().enumerate() {
            for (digit, part) in digits(word, self.shift).into_iter().enumerate() {
                found[2 * index + digit] += part;
            }
        }
        if slot >= self.first + BLOCK {
            self.write();
            self.first = slot / BLOCK * BLOCK;
        }
        for (column, digit) in self.block.iter_mut().zip(found) {
            column[slot % BLOCK] += sign * digit;
        }
    }

    /// Writes what is held to the columns, of which those that are needed are made.
    fn write(&mut self) {
        let (size, first) = (self.size, self.first);
        for (column, block) in self.columns.iter_mut().zip(&mut self.block) {
            if block.iter().any(|digit| *digit != 0) {
                column.resize(size, 0);
                let own = &mut column[first..size.min(first + BLOCK)];
                own.copy_from_slice(&block[..own.len()]);
                *block = [0; BLOCK];
            }
        }
    }

    fn places(mut self) -> Vec<Place> {
        self.write();
        let columns = self.columns.into_iter().enumerate();
        columns
            .filter(|(_, sums)| !sums.is_empty())
            .map(|(index, sums)| Place {
                exponent: (self.place + index) as i64 * i64::from(BITS) - i64::from(OFFSET),
                sums,
            })
            .collect()
    }
}

fn check_below(what: &'static str, values: &[i64], size: usize) -> Result<()> {
    // Without an early end, as this is faster where all is well.
    let most = values.iter().fold(0, |most, value| most.max(*value as u64));
    if most < size as u64 || values.is_empty() {
        return Ok(());
    }
    let index = values.iter().position(|value| *value as u64 >= size as u64);
    let index = index.unwrap_or_default();
    Err(Error::Choice {
        what,
        index,
        value: values[index],
        low: 0,
        high: Some(size as i64 - 1),
    })
}
