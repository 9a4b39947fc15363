//! Logarithmic histograms: a bucket for each sign, exponent and leading six bits of the mantissa.
//!
//! The width of a bucket is at most 1/64 of the magnitude of its numbers; 0 has a bucket to itself.
//! Histograms of parts add up to the histogram of the whole.

use crate::exact::are_equal;
use crate::{Result, offsets};

/// Bits of a bucket number.
pub const BITS: u32 = 19;

/// Bits of the mantissa below the leading six.
const DROPPED: u32 = 46;

/// Bucket of 0; negative numbers have lower buckets.
const ZERO: i64 = 1 << (BITS - 1);

/// Buckets per power of two.
const STEPS: i64 = 64;

/// Powers of two below the least normal number; their buckets continue those of normal numbers.
const SUBNORMAL: i64 = 52;

/// The non-empty buckets of several histograms, in the order of histograms and buckets.
#[derive(Debug, Default, PartialEq)]
pub struct Histograms {
    /// Number of the histogram, shifted left by [`BITS`], plus the number of the bucket.
    pub codes: Vec<i64>,
    /// Number of values in the bucket.
    pub counts: Vec<i64>,
    /// Least value.
    pub least: Vec<f64>,
    /// Greatest value.
    pub greatest: Vec<f64>,
}

impl Histograms {
    /// Appends a bucket of the histogram with this number.
    fn push(&mut self, histogram: usize, bucket: &Bucket) {
        self.codes
            .push(((histogram as i64) << BITS) | bucket.number);
        self.counts.push(bucket.count);
        self.least.push(bucket.least);
        self.greatest.push(bucket.greatest);
    }
}

/// Values of a histogram that are close to each other.
struct Bucket {
    number: i64,
    count: i64,
    least: f64,
    greatest: f64,
}

impl Bucket {
    /// The bucket of a finite value that occurs `count` times.
    #[inline]
    fn of(value: f64, count: i64) -> Self {
        let value = value + 0.0; // -0.0 becomes 0.0
        Self {
            number: bucket(value),
            count,
            least: value,
            greatest: value,
        }
    }

    /// Adds the values of the same bucket.
    #[inline]
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }
}

/// Counts values by bucket, ignoring those that are not finite.
///
/// Histogram i covers `values[offsets[i]..offsets[i + 1]]`.
///
/// # Errors
///
/// [`Error::Choice`](crate::Error::Choice) for the first invalid offset.
pub fn histograms(values: &[f64], offsets: &[i64]) -> Result<Histograms> {
    offsets::check(offsets, values.len())?;
    // For each bucket, one more than its place in `used`; the system allocates only the pages that
    // are used.
    let mut places = vec![0_u32; 1 << BITS];
    let mut used: Vec<Bucket> = Vec::new();
    let mut found = Histograms::default();
    for (number, bounds) in offsets.windows(2).enumerate() {
        let slot_values = &values[bounds[0] as usize..bounds[1] as usize];
        if let Some(value) = only_value(slot_values) {
            found.push(number, &Bucket::of(value, slot_values.len() as i64));
            continue;
        }
        for &value in slot_values {
            if !value.is_finite() {
                continue;
            }
            let new = Bucket::of(value, 1);
            let place = &mut places[new.number as usize];
            if let Some(index) = place.checked_sub(1) {
                used[index as usize].add(&new);
            } else {
                used.push(new);
                *place = used.len() as u32;
            }
        }
        used.sort_unstable_by_key(|bucket| bucket.number);
        for bucket in used.drain(..) {
            places[bucket.number as usize] = 0;
            found.push(number, &bucket);
        }
    }
    Ok(found)
}

/// Returns the finite value that all values equal, if any: many counts and rates are constant.
fn only_value(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    (are_equal(values) && first.is_finite()).then_some(first)
}

/// Returns the bucket of a finite number.
#[inline]
fn bucket(value: f64) -> i64 {
    let size = value.abs();
    let steps = if size >= f64::MIN_POSITIVE {
        (size.to_bits() >> DROPPED) as i64 + SUBNORMAL * STEPS
    } else if size > 0.0 {
        let shifted = size * 2.0_f64.powi(SUBNORMAL as i32); // exact, and a normal number
        (shifted.to_bits() >> DROPPED) as i64
    } else {
        0
    };
    if value < 0.0 {
        ZERO - steps
    } else {
        ZERO + steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(values: &[f64]) -> Vec<(f64, f64, i64)> {
        let found = histograms(values, &[0, values.len() as i64]).unwrap();
        let bounds = found.least.iter().zip(&found.greatest);
        bounds
            .zip(&found.counts)
            .map(|((&l, &g), &n)| (l, g, n))
            .collect()
    }

    #[test]
    fn integers_below_128_have_buckets_of_their_own_in_order() {
        let values: Vec<f64> = (-127..128).map(f64::from).collect();
        let found = counts(&values);
        assert_eq!(found.len(), 255);
        for (value, bucket) in values.iter().zip(found) {
            assert_eq!(bucket, (*value, *value, 1));
        }
        assert_eq!(
            counts(&[128.0, 129.0, 130.0]),
            [(128.0, 129.0, 2), (130.0, 130.0, 1)]
        );
    }

    #[test]
    fn buckets_ascend_and_are_narrow_over_the_whole_range() {
        let mut size = 5e-324_f64;
        let mut before = bucket(0.0);
        while size.is_finite() {
            let number = bucket(size);
            assert!(number > before && number < 1 << BITS, "{size}");
            assert_eq!(ZERO - number, bucket(-size) - ZERO);
            let next = size * (1.0 + 1.0 / 63.0);
            assert!(size < 1e-320 || bucket(next) > number, "{size}");
            before = number;
            size *= 2.0;
        }
        assert_eq!(bucket(f64::MAX), bucket(1.7976e308));
    }

    #[test]
    fn what_is_not_finite_is_left_out_and_zeros_are_one() {
        let values = [f64::NAN, 0.0, f64::INFINITY, -0.0, f64::NEG_INFINITY];
        assert_eq!(counts(&values), [(0.0, 0.0, 2)]);
        assert!(counts(&values)[0].0.is_sign_positive());
        assert_eq!(counts(&[]), []);
    }

    #[test]
    fn a_bucket_is_empty_again_in_the_next_histogram() {
        let found = histograms(&[1.0, 2.0, 3.0, 2.0, 1.0], &[0, 3, 5]).unwrap();
        let numbers: Vec<i64> = found.codes.iter().map(|code| code >> BITS).collect();
        assert_eq!(numbers, [0, 0, 0, 1, 1]);
        assert_eq!(found.counts, [1, 1, 1, 1, 1]);
        assert_eq!(found.least, [1.0, 2.0, 3.0, 1.0, 2.0]);
    }

    #[test]
    fn histograms_do_not_touch() {
        let found = histograms(&[1.0, 2.0, 1.0], &[0, 1, 1, 3]).unwrap();
        let numbers: Vec<i64> = found.codes.iter().map(|code| code >> BITS).collect();
        assert_eq!(numbers, [0, 2, 2]);
        assert_eq!(found.counts, [1, 1, 1]);
        assert_eq!(found.least, [1.0, 1.0, 2.0]);
    }
}
