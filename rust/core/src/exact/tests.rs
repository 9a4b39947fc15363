//! Sums of known value, and refusals. The Python tests compare arbitrary numbers with the twin.

use super::*;

/// Returns the sum of a slot as a multiple of 2 to the power of `least`.
fn sum(places: &[Place], slot: usize, least: i64) -> i128 {
    places
        .iter()
        .map(|place| i128::from(place.sums[slot]) << (place.exponent - least))
        .sum()
}

fn sums(values: &[f64], is_squared: bool) -> Vec<Place> {
    let slots: Vec<i64> = (0..values.len() as i64).map(|index| index % 2).collect();
    exact_sums(values, &slots, 2, is_squared).unwrap()
}

#[test]
fn sums_lose_nothing() {
    let places = sums(&[1e9, 3.0, 2.0_f64.powi(-60), -5.0, -1e9, 0.25], false);
    assert_eq!(sum(&places, 0, -64), 1 << 4);
    assert_eq!(sum(&places, 1, -64), -7 << 62);
}

#[test]
fn squares_lose_nothing() {
    let odd = (1_u64 << 53) - 1;
    let places = sums(&[odd as f64, -3.0, 2.0_f64.powi(40), 0.0], true);
    assert_eq!(sum(&places, 0, 0), i128::from(odd).pow(2) + (1 << 80));
    assert_eq!(sum(&places, 1, 0), 9);
}

#[test]
fn the_ends_of_the_range_have_places() {
    for value in [5e-324, f64::MIN_POSITIVE, f64::MAX] {
        for is_squared in [false, true] {
            let places = sums(&[value, -value, 1.0, 1.0], is_squared);
            let is_there = |place: &Place| place.exponent == 0 && place.sums.contains(&1);
            assert!(places.iter().any(is_there));
            assert!(places.len() >= 2);
        }
    }
}

#[test]
fn places_without_a_sum_are_left_out() {
    assert!(sums(&[], false).is_empty());
    assert!(sums(&[0.0, -0.0], true).is_empty());
    assert!(sums(&[1.5, 0.0, -1.5], false).is_empty());
}

#[test]
fn what_is_no_number_or_no_slot_is_refused() {
    let refusal = exact_sums(&[1.0, f64::NAN], &[0, 0], 1, false);
    assert!(matches!(refusal, Err(Error::NotFinite { index: 1, .. })));
    for slot in [-1, 1] {
        let refusal = exact_sums(&[1.0, 1.0], &[0, slot], 1, true);
        assert!(matches!(refusal, Err(Error::Choice { index: 1, .. })));
    }
    let refusal = exact_sums(&[1.0], &[0], 0, false);
    assert!(matches!(refusal, Err(Error::Choice { index: 0, .. })));
}

/// Returns the moments of two units, to which the values belong alternately.
fn moments(values: &[f64], is_squared: bool) -> (Moments, Batch) {
    let slots: Vec<i64> = (0..values.len() as i64).map(|index| index % 2).collect();
    let rows = slot_order(&slots, 2).unwrap();
    let mut moments = Moments::default();
    let found = moments.add(values, &rows.order, &rows.offsets, &[0, 1], is_squared);
    (moments, found.unwrap())
}

/// Returns the sum of some units as a multiple of a power of 2.
fn total(sums: &UnitSums, units: &[i64], exponent: i64) -> i128 {
    let places = sums.total(units).into_iter();
    places
        .map(|(place, held)| match place - exponent {
            _ if held == 0 => 0,
            above if above >= 0 => held << above,
            above => {
                assert_eq!(held % (1 << -above), 0);
                held >> -above
            }
        })
        .sum()
}

#[test]
fn moments_lose_nothing() {
    let tiny = 2.0_f64.powi(-40); // too small, compared with the others, to be added in parts
    let values = [3.0, tiny, -1.5, 0.0, -0.0, f64::NAN, 0.25, -tiny];
    let (found, batch) = moments(&values, true);
    assert_eq!(batch.counts, [4, 3]);
    assert_eq!(batch.greatest, [3.0, tiny]);
    assert_eq!(total(&found.sums, &[0], -64), 7 << 62);
    assert_eq!(total(&found.sums, &[1], -64), 0);
    assert_eq!(total(&found.squares, &[0], -80), (144 + 36 + 1) << 76);
    assert_eq!(total(&found.squares, &[1], -80), 2);
    assert_eq!(total(&found.squares, &[0, 1, 9], -80), (181 << 76) + 2);
    assert_eq!(found.sums.doubles(&[0, 1, 9]).high, [1.75, 0.0, 0.0]);
    let squares = found.squares.doubles(&[0, 1, -1]);
    assert_eq!(squares.high, [11.3125, 2.0_f64.powi(-79), 0.0]);
}

#[test]
fn many_units_and_many_values_have_their_sums() {
    let values: Vec<f64> = (0..1000_u32).map(f64::from).collect();
    let slots: Vec<i64> = (0..1000).map(|index| index % 300).collect();
    let units: Vec<i64> = (0..300).map(|slot| 299 - slot).collect();
    let rows = slot_order(&slots, 300).unwrap();
    let mut found = Moments::default();
    for times in 1..=2 {
        let added = found.add(&values, &rows.order, &rows.offsets, &units, false);
        assert_eq!(added.unwrap().counts.iter().sum::<i64>(), 1000);
        for slot in 0..300 {
            let own = (0..1000).filter(|value| value % 300 == slot);
            let expected = own.sum::<i128>() * times;
            assert_eq!(total(&found.sums, &[299 - slot as i64], 0), expected);
        }
    }
    assert!(found.squares.total(&[0]).is_empty());
}

#[test]
fn parts_hold_the_sums_of_as_many_of_the_widest_numbers_as_are_added_at_a_time() {
    let widest = (1_u64 << 53) - 1;
    for count in [1, 64, 65, 1000] {
        let mut values = vec![-(widest as f64) * 2.0_f64.powi(31); count];
        values.push(widest as f64); // a multiple of the least power that is added in parts
        let order: Vec<i64> = (0..values.len() as i64).collect();
        let mut found = Moments::default();
        let offsets = [0, values.len() as i64];
        found.add(&values, &order, &offsets, &[0], true).unwrap();
        let (one, many) = (i128::from(widest), count as i128);
        assert_eq!(total(&found.sums, &[0], 0), one - many * (one << 31));
        // The square of the last number, and those of the others, which are 62 places above it.
        let squares = found.squares.total(&[0]).into_iter();
        let low = squares.fold(0_i128, |all, (place, held)| {
            all.wrapping_add(
                held.wrapping_shl(place as u32)
                    .wrapping_mul((place < 128).into()),
            )
        });
        let expected = (one * one).wrapping_add((one * one).wrapping_mul(many << 62));
        assert_eq!(low, expected);
    }
}

#[test]
fn one_number_far_away_takes_few_places() {
    let mut found = Moments::default();
    for value in [-1.0, 1e300, -0.25, 1e-300] {
        found.add(&[value], &[0], &[0, 1], &[0], true).unwrap();
    }
    assert!(found.sums.total(&[0]).len() <= 15);
    assert!(found.squares.total(&[0]).len() <= 28);
    let sums = found.sums.doubles(&[0]);
    assert_eq!((sums.high, sums.low), (vec![1e300], vec![-1.25]));
}

#[test]
fn batches_of_any_size_are_added_to_the_same_sums() {
    let mut found = Moments::default();
    for (value, unit) in [(1.0, 3), (0.0, 9), (2.0_f64.powi(60), 0), (-0.5, 3)] {
        found.add(&[value], &[0], &[0, 1], &[unit], true).unwrap();
    }
    assert_eq!(
        found.sums.doubles(&[3, 0, 9]).high,
        [0.5, 2.0_f64.powi(60), 0.0]
    );
    assert_eq!(found.squares.doubles(&[3, 0, 9]).high[..1], [1.25]);
}

#[test]
fn the_ends_of_the_range_have_sums() {
    for value in [5e-324, f64::MIN_POSITIVE, f64::MAX] {
        let (found, batch) = moments(&[value, -value], true);
        assert_eq!(batch.greatest, [value, value]);
        let sums = found.sums.doubles(&[0, 1]);
        assert_eq!((sums.high, sums.low), (vec![value, -value], vec![0.0, 0.0]));
        let squares = found.squares.doubles(&[0, 1]).high;
        assert_eq!(squares, [value * value, value * value]);
    }
    let (found, _) = moments(&[f64::MAX, f64::MIN, f64::MAX, f64::MIN], false);
    let sums = found.sums.doubles(&[0, 1]);
    assert_eq!(sums.high, [f64::INFINITY, f64::NEG_INFINITY]);
}

#[test]
fn what_leads_outside_is_refused() {
    assert!(slot_order(&[0, 2], 2).is_err());
    let add = |order: &[i64], offsets: &[i64], units: &[i64]| {
        let values = vec![1.0; order.len()];
        Moments::default().add(&values, order, offsets, units, true)
    };
    for (order, offsets) in [([0, 2], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [0, 3])] {
        assert!(add(&order, &offsets, &[0]).is_err());
    }
    assert!(add(&[], &[], &[]).unwrap().counts.is_empty());
    for units in [&[][..], &[-1], &[0, 1]] {
        assert!(add(&[0], &[0, 1], units).is_err());
    }
    let falling = add(&[0, 1], &[2, 0, 1], &[0, 1]);
    assert!(matches!(falling, Err(Error::Choice { index: 1, .. })));
}
