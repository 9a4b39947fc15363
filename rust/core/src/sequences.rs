//! Longest alignment and edit distance of two sequences of steps, by bit-parallel dynamic
//! programming.
//!
//! Adjacent cells of the dynamic programming table differ by at most 1. So 64 columns fit in a word
//! of differences, and a row takes a few word operations: O(m n / 64) time.
//!
//! References: H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004), and "A bit-vector
//! algorithm for computing Levenshtein and Damerau edit distances" (2003).

use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

const BITS: usize = u64::BITS as usize;

/// Aligns as many steps as possible in order; returns the index of each reference step's partner,
/// or -1.
///
/// Equal codes match, and a negative code matches nothing. Of several longest alignments, the one
/// found from the end is chosen: the last actual step is left out if that loses no pair, otherwise
/// the last reference step, and otherwise the two are paired.
#[must_use]
pub fn align(reference: &[i64], actual: &[i64]) -> Vec<i64> {
    let mut codes = Codes::new(actual);
    align_rows(reference.len(), actual.len(), |row, mask| {
        codes.fill(reference[row], mask);
    })
}

/// Aligns steps as [`align`] does, with `matches[i * columns + j]` stating whether two steps match.
#[must_use]
pub fn align_matches(matches: &[bool], rows: usize, columns: usize) -> Vec<i64> {
    align_rows(rows, columns, |row, mask| {
        pack(&matches[row * columns..(row + 1) * columns], mask);
    })
}

/// Returns the least number of insertions, deletions and replacements that turn one sequence into
/// the other.
#[must_use]
pub fn edit_distance(reference: &[i64], actual: &[i64]) -> i64 {
    let mut codes = Codes::new(actual);
    distance_of_rows(reference.len(), actual.len(), |row, mask| {
        codes.fill(reference[row], mask);
    })
}

/// Returns the edit distance, with `matches[i * columns + j]` stating whether two steps match.
#[must_use]
pub fn edit_distance_matches(matches: &[bool], rows: usize, columns: usize) -> i64 {
    distance_of_rows(rows, columns, |row, mask| {
        pack(&matches[row * columns..(row + 1) * columns], mask);
    })
}

/// The columns of each code, for setting the bits of one code at a time.
struct Codes {
    /// Columns, grouped by code.
    columns: Vec<usize>,
    of_code: FxHashMap<i64, Range<usize>>,
    /// Range of the columns whose bits are set.
    set: Range<usize>,
}

impl Codes {
    fn new(actual: &[i64]) -> Self {
        let mut columns: Vec<usize> = (0..actual.len()).filter(|&at| actual[at] >= 0).collect();
        columns.sort_unstable_by_key(|&at| (actual[at], at));
        let mut of_code = FxHashMap::with_capacity_and_hasher(columns.len(), FxBuildHasher);
        let mut begin = 0;
        for run in columns.chunk_by(|&left, &right| actual[left] == actual[right]) {
            of_code.insert(actual[run[0]], begin..begin + run.len());
            begin += run.len();
        }
        Self {
            columns,
            of_code,
            set: 0..0,
        }
    }

    /// Sets the bits of a code in `mask`, and clears those of the previous code.
    fn fill(&mut self, code: i64, mask: &mut [u64]) {
        for &column in &self.columns[self.set.clone()] {
            mask[column / BITS] = 0;
        }
        self.set = self.of_code.get(&code).cloned().unwrap_or(0..0);
        for &column in &self.columns[self.set.clone()] {
            mask[column / BITS] |= 1 << (column % BITS);
        }
    }
}

/// Packs flags into the bits of `mask`.
fn pack(flags: &[bool], mask: &mut [u64]) {
    for (word, flags) in mask.iter_mut().zip(flags.chunks(BITS)) {
        let bits = flags.iter().enumerate();
        *word = bits.fold(0, |word, (bit, &flag)| word | u64::from(flag) << bit);
    }
}

/// Aligns row by row. `fill` is passed a row and the mask of the previous one, and sets the bits of
/// the columns that match the row.
fn align_rows(rows: usize, columns: usize, mut fill: impl FnMut(usize, &mut [u64])) -> Vec<i64> {
    let words = columns.div_ceil(BITS);
    let mut mask = vec![0; words];
    // A set bit means that the length does not increase from the previous column to this one.
    let mut table = vec![u64::MAX; (rows + 1) * words];
    for row in 0..rows {
        fill(row, &mut mask);
        let (above, here) = table[row * words..(row + 2) * words].split_at_mut(words);
        let mut carry = false;
        for ((&above, here), &mask) in above.iter().zip(here).zip(&mask) {
            let hits = above & mask;
            let (sum, carried) = above.overflowing_add(hits);
            let (sum, carried_again) = sum.overflowing_add(u64::from(carry));
            carry = carried || carried_again;
            *here = sum | (above & !mask);
        }
    }

    let grows =
        |row: usize, column: usize| table[row * words + column / BITS] & 1 << (column % BITS) == 0;
    let mut partners = vec![-1; rows];
    let (mut row, mut column) = (rows, columns);
    while row > 0 && column > 0 {
        if !grows(row, column - 1) {
            column -= 1;
        } else if grows(row - 1, column - 1) {
            // Both rows increase in this column, so their lengths are equal up to it.
            row -= 1;
        } else {
            (row, column) = (row - 1, column - 1);
            partners[row] = column as i64;
        }
    }
    partners
}

fn distance_of_rows(rows: usize, columns: usize, mut fill: impl FnMut(usize, &mut [u64])) -> i64 {
    let words = columns.div_ceil(BITS);
    let mut distance = columns as i64;
    let Some(last) = words.checked_sub(1) else {
        return rows as i64;
    };
    let last_bit = 1 << ((columns - 1) % BITS);
    let mut mask = vec![0; words];
    // Columns in which the distance is 1 more, or 1 less, than in the previous column.
    let (mut more, mut less) = (vec![u64::MAX; words], vec![0; words]);
    for row in 0..rows {
        fill(row, &mut mask);
        // The same from one row to the next; before the first column, each row costs 1 more.
        let (mut row_more, mut row_less) = (1, 0);
        for word in 0..words {
            let (up, down) = (more[word], less[word]);
            let hits = mask[word] | row_less;
            let diagonal = (((hits & up).wrapping_add(up)) ^ up) | hits | down;
            let mut rises = down | !(diagonal | up);
            let mut falls = diagonal & up;
            if word == last {
                distance += i64::from(rises & last_bit != 0) - i64::from(falls & last_bit != 0);
            }
            let (next_more, next_less) = (rises >> (BITS - 1), falls >> (BITS - 1));
            rises = rises << 1 | row_more;
            falls = falls << 1 | row_less;
            (row_more, row_less) = (next_more, next_less);
            more[word] = falls | !(diagonal | rises);
            less[word] = rises & diagonal;
        }
    }
    distance
}

#[cfg(test)]
mod tests;
