//! Offsets: the position at which each group begins in an array of all values, and the end of the
//! last.

use crate::{Error, Result};

/// Checks that offsets never decrease and stay within the first `size` values.
///
/// # Errors
///
/// [`Error::Choice`] for the first invalid offset.
pub(crate) fn check(offsets: &[i64], size: usize) -> Result<()> {
    let mut before = 0;
    for (index, &offset) in offsets.iter().enumerate() {
        if offset < before || offset as u64 > size as u64 {
            return Err(Error::Choice {
                what: "offset",
                index,
                value: offset,
                low: before,
                high: Some(size as i64),
            });
        }
        before = offset;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_that_fall_or_lead_outside_are_refused() {
        assert_eq!(check(&[], 0), Ok(()));
        assert_eq!(check(&[0, 0, 2, 2], 2), Ok(()));
        for (offsets, at, least) in [([0, 2], 1, 0), ([-1, 1], 0, 0), ([1, 0], 1, 1)] {
            let refusal = Error::Choice {
                what: "offset",
                index: at,
                value: offsets[at],
                low: least,
                high: Some(1),
            };
            assert_eq!(check(&offsets, 1), Err(refusal));
        }
    }
}
