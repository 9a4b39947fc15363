//! One code for all equal values of a run.

use rustc_hash::{FxBuildHasher, FxHashMap};

/// Up to this many values, a linear search is faster than hashing.
const FEW: usize = 16;

/// Gives equal values the code of the first of them; a negative code has no value.
pub(super) fn number<'a>(codes: &mut [i64], value: impl Fn(i64) -> &'a [u8]) {
    if codes.len() > FEW {
        let mut numbers = FxHashMap::with_capacity_and_hasher(codes.len(), FxBuildHasher);
        for code in codes.iter_mut().filter(|code| **code >= 0) {
            *code = *numbers.entry(value(*code)).or_insert(*code);
        }
        return;
    }
    for at in 1..codes.len() {
        let (before, code) = (&codes[..at], codes[at]);
        if code >= 0 {
            let is_equal = |other: &&i64| **other >= 0 && value(**other) == value(code);
            codes[at] = before.iter().find(is_equal).copied().unwrap_or(code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, number};

    #[test]
    fn few_and_many_values_are_numbered_alike() {
        for count in [0, 1, FEW, FEW + 1, 50] {
            let texts: Vec<Vec<u8>> = (0..count).map(|at| vec![at as u8 % 7]).collect();
            let mut codes: Vec<i64> = (0..count as i64)
                .map(|at| if at % 3 == 2 { -1 } else { at })
                .collect();
            let given = codes.clone();
            number(&mut codes, |code| &texts[code as usize]);
            for (at, (&code, given)) in codes.iter().zip(given).enumerate() {
                let is_first = |other: &usize| other % 3 != 2 && texts[*other] == texts[at];
                let first = (0..=at).find(is_first).map(|first| first as i64);
                assert_eq!(Some(code), if given < 0 { Some(-1) } else { first });
            }
        }
    }
}
