//! The positions of the values of each slot.

use crate::{Error, Result};

/// The positions of the values of each slot, slot by slot.
pub struct SlotOrder {
    /// Positions, ascending within a slot.
    pub order: Vec<i64>,
    /// Slot i has the positions `order[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<i64>,
}

/// Finds the positions of each slot.
///
/// # Errors
///
/// [`Error::Choice`] for the first slot that is not below `size`.
pub fn slot_order(slots: &[i64], size: usize) -> Result<SlotOrder> {
    check_below("slot", slots, 0, size)?;
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

/// Checks that values are below `size`; `first` is the index of the first.
#[inline(always)]
pub(super) fn check_below(
    what: &'static str,
    values: &[i64],
    first: usize,
    size: usize,
) -> Result<()> {
    // Neither stops early nor compares, which is faster for valid input: if a value is negative or
    // too large, it or its difference from the maximum is negative.
    let most = size as i64 - 1;
    let signs = values.iter().map(|value| value | most.wrapping_sub(*value));
    if signs.fold(0, |all, sign| all | sign) >= 0 {
        return Ok(());
    }
    let index = values.iter().position(|value| *value as u64 >= size as u64);
    let index = index.unwrap_or_default();
    Err(Error::Choice {
        what,
        index: first + index,
        value: values[index],
        low: 0,
        high: Some(size as i64 - 1),
    })
}
