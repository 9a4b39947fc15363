//! Number of repeated codes in a list.

/// Most codes for the hash table. Codes may be chosen to collide, which takes quadratic time, so
/// longer lists are sorted.
const FEW: usize = 256;

/// Returns how many codes occurred before in the list; a negative one never counts.
pub(super) fn count(codes: &[i64], scratch: &mut Vec<i64>) -> i64 {
    if codes.len() <= FEW {
        by_table(codes, scratch)
    } else {
        by_sorting(codes, scratch)
    }
}

fn by_sorting(codes: &[i64], scratch: &mut Vec<i64>) -> i64 {
    scratch.clear();
    scratch.extend(codes.iter().filter(|&&code| code >= 0));
    scratch.sort_unstable();
    let same = |pair: &[i64]| i64::from(pair[0] == pair[1]);
    scratch.windows(2).map(same).sum()
}

/// Uses a hash table with linear probing, at most half full.
fn by_table(codes: &[i64], table: &mut Vec<i64>) -> i64 {
    const EMPTY: i64 = -1;
    // 2^64 divided by the golden ratio, which spreads adjacent codes far apart.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let slots = (2 * codes.len()).next_power_of_two();
    let shift = u64::BITS - slots.trailing_zeros();
    table.clear();
    table.resize(slots, EMPTY);
    let mut repeated = 0;
    for &code in codes.iter().filter(|&&code| code >= 0) {
        let mut slot = ((code as u64).wrapping_mul(SPREAD) >> shift) as usize;
        while table[slot] != EMPTY && table[slot] != code {
            slot = (slot + 1) & (slots - 1);
        }
        repeated += i64::from(table[slot] == code);
        table[slot] = code;
    }
    repeated
}
