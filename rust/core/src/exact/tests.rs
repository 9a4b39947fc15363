//! Numbers whose sums are known, and refusals; any numbers are tested beside the twin in Python.

use super::*;

/// The sum of a slot, as a multiple of 2 to the power of `least`.
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

/// Moments of slots, in this order: values of slot 0 and 1 in turn.
fn moments(values: &[f64], is_squared: bool) -> Moments {
    let slots: Vec<i64> = (0..values.len() as i64).map(|index| index % 2).collect();
    let rows = slot_order(&slots, 2).unwrap();
    exact_moments(values, &rows.order, &rows.offsets, is_squared).unwrap()
}

#[test]
fn moments_lose_nothing() {
    let tiny = 2.0_f64.powi(-40); // too small beside the others to be added with them
    let found = moments(&[3.0, tiny, -1.5, 0.0, -0.0, f64::NAN, 0.25, -tiny], true);
    assert_eq!(found.counts, [4, 3]);
    assert_eq!(found.greatest, [3.0, tiny]);
    assert_eq!(sum(&found.sums, 0, -64), 7 << 62);
    assert_eq!(sum(&found.sums, 1, -64), 0);
    assert_eq!(sum(&found.squares, 0, -96), ((144 + 36 + 1) << 4) << 88);
    assert_eq!(sum(&found.squares, 1, -96), 2 << 16);
}

#[test]
fn many_slots_and_many_values_have_their_moments() {
    let values: Vec<f64> = (0..1000_u32).map(f64::from).collect();
    let slots: Vec<i64> = (0..1000).map(|index| index % 300).collect();
    let rows = slot_order(&slots, 300).unwrap();
    let found = exact_moments(&values, &rows.order, &rows.offsets, false).unwrap();
    assert!(found.squares.is_empty());
    for slot in 0..300 {
        let own = (0..1000).filter(|value| value % 300 == slot);
        assert_eq!(sum(&found.sums, slot as usize, 0), own.sum::<i128>());
    }
}

#[test]
fn the_ends_of_the_range_have_moments() {
    for value in [5e-324, f64::MIN_POSITIVE, f64::MAX] {
        let found = moments(&[value, -value], true);
        assert_eq!(found.greatest, [value, value]);
        let signs: Vec<i64> = found.sums.iter().map(|place| place.sums[0]).collect();
        assert!(!signs.is_empty());
        assert!(
            found
                .sums
                .iter()
                .all(|place| place.sums[0] == -place.sums[1])
        );
        assert!(
            found
                .squares
                .iter()
                .all(|place| place.sums[0] == place.sums[1])
        );
    }
}

#[test]
fn what_leads_outside_is_refused() {
    assert!(slot_order(&[0, 2], 2).is_err());
    for (order, offsets) in [([0, 2], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [0, 3])] {
        assert!(exact_moments(&[1.0, 1.0], &order, &offsets, true).is_err());
    }
    assert!(
        exact_moments(&[], &[], &[], true)
            .unwrap()
            .counts
            .is_empty()
    );
    let falling = exact_moments(&[1.0, 2.0], &[0, 1], &[2, 0, 1], true);
    assert!(matches!(falling, Err(Error::Choice { index: 1, .. })));
}
