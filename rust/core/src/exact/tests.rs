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
