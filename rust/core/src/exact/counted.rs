//! Counts and exact sums of columns by group, over the rows that count in each column.
//!
//! Most values are counts and booleans. A column of integers below 2^31 is summed as integers, at
//! the place 2^0; the columns with other values are split into digits together.

use std::collections::BTreeMap;

use super::{Place, exact_sums};
use crate::{Error, Result};

/// Integers below this are summed as integers; a sum holds as many of them as it holds digits.
const SMALL: f64 = (1_u64 << 31) as f64;

/// Adding this to a smaller number rounds away its fractional bits.
const ROUNDING: f64 = (3_u64 << 51) as f64;

/// Partial sums per group, used in turn.
const LANES: usize = 4;

/// A column: a value for each row, and whether the row counts.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The values; finite if the row counts.
    pub values: &'a [f64],
    /// Whether each row counts.
    pub counted: &'a [bool],
}

/// Counts and sums by group; the columns of a group are adjacent.
pub struct Counted {
    /// Number of rows that count, by group.
    pub counts: Vec<i64>,
    /// Their sums.
    pub places: Vec<Place>,
}

/// Counts and adds up the rows of each column that count, by group.
///
/// # Errors
///
/// [`Error::NotFinite`] for a counted value that is NaN or infinite, and [`Error::Choice`] for the
/// first row whose group is not below `groups`.
pub fn counted_sums(columns: &[Column<'_>], rows: &[i64], groups: usize) -> Result<Counted> {
    let is_group = |row: &i64| (*row as u64) < groups as u64;
    if let Some(index) = rows.iter().position(|row| !is_group(row)) {
        return Err(Error::Choice {
            what: "row",
            index,
            value: rows[index],
            low: 0,
            high: Some(groups as i64 - 1),
        });
    }
    let width = columns.len();
    let mut counts = vec![0; groups * width];
    let mut whole = vec![0; groups * width];
    let (mut values, mut slots) = (Vec::new(), Vec::new());
    let sizes = group_sums(rows.iter().map(|row| (*row, 1)), groups);
    for (at, column) in columns.iter().enumerate() {
        let all_count = column
            .counted
            .iter()
            .fold(true, |all, counted| all & counted);
        let is_whole = all_count && column.counted.len() == rows.len();
        let counted = column.counted.iter().map(|counted| i64::from(*counted));
        let group_counts = if is_whole {
            sizes.clone()
        } else {
            group_sums(rows.iter().copied().zip(counted), groups)
        };
        let sums = column.integer_sums(rows, &group_counts);
        if sums.is_none() {
            let candidates = column.values.iter().zip(column.counted).zip(rows);
            for ((value, _), row) in candidates.filter(|((_, counted), _)| **counted) {
                values.push(*value);
                slots.push(*row * width as i64 + at as i64);
            }
        }
        for (group, count) in group_counts.iter().enumerate() {
            counts[group * width + at] = *count;
        }
        for (group, sum) in sums.iter().flatten().enumerate() {
            whole[group * width + at] = *sum;
        }
    }
    let places = exact_sums(&values, &slots, groups * width, false)?;
    let mut by_exponent: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for place in places {
        by_exponent.insert(place.exponent, place.sums);
    }
    if whole.iter().any(|sum| *sum != 0) {
        let units = by_exponent.entry(0).or_insert_with(|| vec![0; whole.len()]);
        for (unit, sum) in units.iter_mut().zip(whole) {
            *unit += sum;
        }
    }
    let places = by_exponent.into_iter();
    let places = places.map(|(exponent, sums)| Place { exponent, sums });
    Ok(Counted {
        counts,
        places: places.collect(),
    })
}

impl Column<'_> {
    /// Returns the sums of the values that count, if all of them are integers below [`SMALL`].
    fn integer_sums(&self, rows: &[i64], counts: &[i64]) -> Option<Vec<i64>> {
        let first = self.values.first().copied().unwrap_or_default();
        if super::are_equal(self.values) {
            let integer = small_integer(first)?;
            return Some(counts.iter().map(|count| count * integer).collect());
        }
        let counting = || {
            let found = self.values.iter().zip(self.counted);
            found.map(|(value, counted)| if *counted { *value } else { 0.0 })
        };
        counting()
            .fold(true, |all, value| all & small_integer(value).is_some())
            .then(|| {
                let integers = counting().map(|value| value as i64);
                group_sums(rows.iter().copied().zip(integers), counts.len())
            })
    }
}

/// Converts a value to an integer if it is one below [`SMALL`]; -0.0 becomes 0.
#[inline(always)]
fn small_integer(value: f64) -> Option<i64> {
    // A sum this large has no fractional bits, so an integer survives the round trip and nothing
    // else.
    let rest = value - ((value + ROUNDING) - ROUNDING);
    ((rest == 0.0) & (value.abs() < SMALL)).then_some(value as i64)
}

/// Adds up integers by group.
fn group_sums(found: impl Iterator<Item = (i64, i64)>, groups: usize) -> Vec<i64> {
    // Partial sums in turn: an addition has to wait for the previous one to the same sum.
    let mut lanes = vec![[0_i64; LANES]; groups];
    for (at, (group, integer)) in found.enumerate() {
        let sum = &mut lanes[group as usize][at % LANES];
        *sum += integer;
    }
    lanes.iter().map(|lanes| lanes.iter().sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(found: &Counted, slot: usize, least: i64) -> i128 {
        let parts = found.places.iter();
        parts
            .map(|place| i128::from(place.sums[slot]) << (place.exponent - least))
            .sum()
    }

    #[test]
    fn integers_and_fractions_add_up_side_by_side() {
        let columns = [
            Column {
                values: &[1.0, 2.0, f64::NAN, -4.0],
                counted: &[true, true, false, true],
            },
            Column {
                values: &[0.5, 8.0, 2.0, 0.0],
                counted: &[true, true, true, false],
            },
            Column {
                values: &[9e15, 1.0, -9e15, 1.0],
                counted: &[true; 4],
            },
        ];
        let found = counted_sums(&columns, &[0, 1, 0, 1], 2).unwrap();
        assert_eq!(found.counts, [1, 2, 2, 2, 1, 2]);
        let of = |slot| sums(&found, slot, -32);
        let half = 1 << 31;
        assert_eq!([of(0), of(1), of(2)], [2 * half, 5 * half, 0]);
        assert_eq!([of(3), of(4), of(5)], [-4 * half, 16 * half, 4 * half]);
    }

    #[test]
    fn nothing_adds_up_to_nothing() {
        assert!(counted_sums(&[], &[], 0).unwrap().counts.is_empty());
        let column = Column {
            values: &[-0.0, 7.0],
            counted: &[true, false],
        };
        let found = counted_sums(&[column], &[0, 0], 1).unwrap();
        assert_eq!(found.counts, [1]);
        assert!(found.places.is_empty());
    }

    #[test]
    fn what_is_no_number_or_no_group_is_refused() {
        let column = Column {
            values: &[f64::INFINITY],
            counted: &[true],
        };
        let refusal = counted_sums(&[column], &[0], 1);
        assert!(matches!(refusal, Err(Error::NotFinite { .. })));
        for row in [-1, 1] {
            let refusal = counted_sums(&[column], &[row], 1);
            assert!(matches!(refusal, Err(Error::Choice { index: 0, .. })));
        }
    }
}
