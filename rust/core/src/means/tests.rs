//! Means compared with their definitions, and values at the limits of floats.

use super::{BLOCK, PIECE, gmean, gmean_grouped};
use crate::Error;

const TINY: f64 = 5e-324;

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-14 * right
}

#[test]
fn equal_values_come_back_exactly() {
    for value in [
        TINY,
        3.0 * TINY,
        f64::MIN_POSITIVE,
        0.1,
        1.0,
        3.0,
        f64::MAX,
        f64::INFINITY,
    ] {
        for count in [1, 2, 3, 31, 32, 1000, BLOCK + 1] {
            assert_eq!(gmean(&vec![value; count]), Ok(value), "{value} x {count}");
        }
    }
}

#[test]
fn huge_ranges_neither_overflow_nor_vanish() {
    // 2^-1074 * 2^1022 = 2^-52, and its root is 2^-26.
    let values = [TINY, 2.0_f64.powi(1022)].repeat(10_000);
    assert!(gmean(&values).is_ok_and(|mean| close(mean, 2.0_f64.powi(-26))));
    assert!(gmean(&vec![f64::MAX; 5000]).is_ok_and(f64::is_finite));
}

#[test]
fn special_values_follow_the_policy() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!(
        gmean(&[2.0, 0.0, nan]).map_err(|error| error.code()),
        Err("value_domain")
    );
    assert_eq!(gmean(&[0.0, 5.0]), Ok(0.0));
    assert_eq!(gmean(&[-0.0, 5.0]).map(f64::to_bits), Ok(0));
    assert_eq!(gmean(&[inf, 5.0]), Ok(inf));
    let both = Err(Error::ZeroAndInfinity {
        zero: 2,
        infinity: 1,
    });
    assert_eq!(gmean(&[1.0, inf, 0.0, 0.0]), both);
    assert_eq!(gmean(&[]).map_err(|error| error.code()), Err("empty_input"));
    let grouped = gmean_grouped(&[9.0, 2.0, 8.0, inf, 0.0, 0.0], &[1, 1, 3, 5, 6]);
    assert!(grouped.is_ok_and(|means| {
        means[0].is_nan() && close(means[1], 4.0) && means[2].is_nan() && means[3] == 0.0
    }));
}

#[test]
fn first_bad_value_is_named_wherever_it_stands() {
    let mut values = vec![1.5; 3 * PIECE];
    values[PIECE + 7] = f64::NAN;
    values[2 * PIECE] = -3.0;
    let index = |result: Result<f64, Error>| match result {
        Err(Error::ValueDomain { index, .. }) => Some(index),
        _ => None,
    };
    assert_eq!(index(gmean(&values)), Some(PIECE + 7));
    values[BLOCK + 3] = -1.0;
    assert_eq!(index(gmean(&values)), Some(BLOCK + 3));
}
