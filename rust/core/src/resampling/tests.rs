//! The draws of the definition, and both kernels on sums small enough to follow by hand.

use super::draws::{Stream, take};
use super::{cluster_means, sign_flips};
use crate::Error;

#[test]
fn draws_are_those_of_the_definition() {
    assert_eq!(Stream::new(0, 0).draw(0), 0xa706_dd2f_4d19_7e6f);
    let mut taken = [0; 5];
    for (replicate, expected) in [(0, [3, 3, 1, 3, 3]), (1, [1, 1, 4, 0, 2])] {
        take(&mut taken, 0, replicate);
        assert_eq!(taken, expected);
    }
}

/// Replicate 0 takes 3 3 1 3 3 of five clusters, and replicate 1 takes 1 1 4 0 2.
#[test]
fn a_mean_divides_the_sums_that_were_taken() {
    let sums = [1.0, 2.0, 4.0, 0.5, 0.25];
    let sizes = [1, 2, 1, 1, 4];
    let means = cluster_means(&sums, &sizes, [5, 1], 0, 2).unwrap();
    assert_eq!(means, [4.0 / 6.0, 9.25 / 10.0]);
}

#[test]
fn figures_do_not_change_each_other() {
    let sums: Vec<f64> = (0..60)
        .map(|index| f64::from(index * index % 17) / 7.0)
        .collect();
    let sizes: Vec<i64> = (0..60).map(|index| index % 3).collect();
    let together = cluster_means(&sums, &sizes, [5, 12], 9, 50).unwrap();
    for figure in 0..12 {
        let own: Vec<f64> = sums[figure..].iter().step_by(12).copied().collect();
        let sizes: Vec<i64> = sizes[figure..].iter().step_by(12).copied().collect();
        let alone = cluster_means(&own, &sizes, [5, 1], 9, 50).unwrap();
        let column: Vec<f64> = together[figure..].iter().step_by(12).copied().collect();
        let bits = |values: &[f64]| values.iter().map(|each| each.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&alone), bits(&column));
    }
}

#[test]
fn one_cluster_always_reaches_its_sum() {
    assert_eq!(sign_flips(&[0.5], &[0.0], [1, 1], 3, 100).unwrap(), [100]);
}

/// With two clusters of 1 the sum is 2 or -2 where their signs agree.
#[test]
fn two_clusters_reach_it_where_their_signs_agree() {
    let expected = (0..100)
        .filter(|&replicate| [0, 3].contains(&(Stream::new(3, replicate).draw(0) & 3)))
        .count();
    let hits = sign_flips(&[1.0, 1.0], &[0.0], [2, 1], 3, 100).unwrap();
    assert_eq!(hits, [expected as i64]);
}

#[test]
fn bad_values_are_named() {
    let error = cluster_means(&[1.0, f64::NAN], &[1, 1], [2, 1], 0, 1).unwrap_err();
    assert_eq!(error.to_string(), "sum 1 is NaN, expected a finite number");
    let error = cluster_means(&[1.0], &[-1], [1, 1], 0, 1).unwrap_err();
    assert!(matches!(error, Error::Choice { index: 0, .. }));
    let error = sign_flips(&[1.0], &[f64::INFINITY], [1, 1], 0, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tolerance 0 is inf, expected a finite number"
    );
}
