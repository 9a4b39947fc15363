use super::{align, align_matches, edit_distance, edit_distance_matches};
use crate::random::Random;

/// The textbook table, and the walk back from its end.
fn naive_align(matches: &[bool], rows: usize, columns: usize) -> Vec<i64> {
    let mut lengths = vec![vec![0; columns + 1]; rows + 1];
    for row in 0..rows {
        for column in 0..columns {
            lengths[row + 1][column + 1] = if matches[row * columns + column] {
                lengths[row][column] + 1
            } else {
                i64::max(lengths[row][column + 1], lengths[row + 1][column])
            };
        }
    }
    let mut partners = vec![-1; rows];
    let (mut row, mut column) = (rows, columns);
    while row > 0 && column > 0 {
        let length = lengths[row][column];
        if lengths[row][column - 1] == length {
            column -= 1;
        } else if lengths[row - 1][column] == length {
            row -= 1;
        } else {
            (row, column) = (row - 1, column - 1);
            partners[row] = column as i64;
        }
    }
    partners
}

fn naive_distance(matches: &[bool], rows: usize, columns: usize) -> i64 {
    let mut above: Vec<i64> = (0..=columns as i64).collect();
    for row in 0..rows {
        let mut here = vec![row as i64 + 1];
        for column in 0..columns {
            let replaced = above[column] + i64::from(!matches[row * columns + column]);
            here.push(replaced.min(above[column + 1] + 1).min(here[column] + 1));
        }
        above = here;
    }
    above[columns]
}

fn equal(reference: &[i64], actual: &[i64]) -> Vec<bool> {
    reference
        .iter()
        .flat_map(|&code| actual.iter().map(move |&other| code == other && code >= 0))
        .collect()
}

/// Codes that repeat, some of them negative.
fn codes(length: usize, kinds: i64, seed: u64) -> Vec<i64> {
    let mut random = Random(seed);
    (0..length).map(|_| random.below(kinds) - 1).collect()
}

#[test]
fn agrees_with_the_textbook_across_words() {
    for (seed, (rows, columns)) in [0, 1, 2, 3, 63, 64, 65, 127, 128, 130, 200]
        .into_iter()
        .flat_map(|rows| [0, 1, 5, 63, 64, 65, 128, 190].map(|columns| (rows, columns)))
        .enumerate()
    {
        for kinds in [2, 4, 40] {
            let reference = codes(rows, kinds, seed as u64);
            let actual = codes(columns, kinds, 1000 + seed as u64);
            let matches = equal(&reference, &actual);
            let expected = naive_align(&matches, rows, columns);
            assert_eq!(align(&reference, &actual), expected);
            assert_eq!(align_matches(&matches, rows, columns), expected);
            let distance = naive_distance(&matches, rows, columns);
            assert_eq!(edit_distance(&reference, &actual), distance);
            assert_eq!(edit_distance_matches(&matches, rows, columns), distance);
        }
    }
}
