//! Similarity of the arguments of every pair of calls, given as trees of places.
//!
//! Both trees of a pair are walked together, place by place, without building an object for either.
//! Numbers under a tolerance are integers in a common unit, so that a bound is decided exactly.
//! Numbers that differ too much in size to share a unit make a pair uncertain.

use std::cmp::Ordering;

use crate::{Error, Result};

/// Values per node.
pub const COLUMNS: usize = 8;
/// Values per tolerance.
pub const BOUNDS: usize = 6;

const KIND: usize = 0;
const KEY: usize = 1;
const END: usize = 2;
const CHILDREN: usize = 3;
const CODE: usize = 4;
const NUMBER: usize = 5;
const TOLERANCE: usize = 6;
const LOSS: usize = 7;

const VALUE: i64 = 0;
const OBJECT: i64 = 1;
const LIST: i64 = 2;
const PLACES: i64 = 3;

const NO_NUMBER: i64 = -1;

/// Similarity of a pair that the available numbers do not decide.
const UNSURE: f64 = -1.0;

/// Trees of calls, and the arrays that their nodes refer to.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'a> {
    /// Nodes, [`COLUMNS`] values each: kind, key, end, children, code, number, tolerance, and
    /// differences where the other side lacks it.
    pub nodes: &'a [i64],
    /// Numbers, low and high word of each.
    pub numbers: &'a [i64],
    /// Tolerances, [`BOUNDS`] values each: absolute, and numerator and denominator of the
    /// relative one, as low and high words.
    pub tolerances: &'a [i64],
}

/// Number of places of a pair that match, and that differ.
#[derive(Default)]
struct Tally {
    agreed: i64,
    differing: i64,
    is_unsure: bool,
}

/// Returns matching places / compared places for each reference call with each actual one; 1 if
/// nothing is compared, -1 if the numbers do not decide.
///
/// # Errors
///
/// [`Error::Choice`] for the first value of a node, or the first root, that is out of range.
pub fn likeness(trees: Trees<'_>, reference: &[i64], actual: &[i64]) -> Result<Vec<f64>> {
    trees.check()?;
    let count = trees.count();
    check_roots("reference", reference, count)?;
    check_roots("actual", actual, count)?;
    let mut found = Vec::with_capacity(reference.len() * actual.len());
    for &expected in reference {
        for &got in actual {
            let mut tally = Tally::default();
            trees.visit(expected as usize, got as usize, &mut tally);
            found.push(tally.likeness());
        }
    }
    Ok(found)
}

fn check_roots(what: &'static str, roots: &[i64], count: usize) -> Result<()> {
    for (index, &root) in roots.iter().enumerate() {
        check(what, index, root, 0, count as i64 - 1)?;
    }
    Ok(())
}

fn check(what: &'static str, index: usize, value: i64, low: i64, high: i64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Error::Choice {
        what,
        index,
        value,
        low,
        high: Some(high),
    })
}

impl Tally {
    fn likeness(&self) -> f64 {
        let places = self.agreed + self.differing;
        if self.is_unsure {
            UNSURE
        } else if places == 0 {
            1.0
        } else {
            self.agreed as f64 / places as f64
        }
    }
}

impl Trees<'_> {
    fn count(&self) -> usize {
        self.nodes.len() / COLUMNS
    }

    fn at(&self, node: usize, column: usize) -> i64 {
        self.nodes[node * COLUMNS + column]
    }

    fn check(&self) -> Result<()> {
        let count = self.count() as i64;
        let numbers = (self.numbers.len() / 2) as i64;
        let tolerances = (self.tolerances.len() / BOUNDS) as i64;
        for node in 0..self.count() {
            check("kind of node", node, self.at(node, KIND), VALUE, PLACES)?;
            check(
                "end of node",
                node,
                self.at(node, END),
                node as i64 + 1,
                count,
            )?;
            check("loss of node", node, self.at(node, LOSS), 0, count)?;
            check(
                "number of node",
                node,
                self.at(node, NUMBER),
                -2,
                numbers - 1,
            )?;
            if self.at(node, NUMBER) >= 0 {
                let tolerance = self.at(node, TOLERANCE);
                check("tolerance of node", node, tolerance, 0, tolerances - 1)?;
            }
        }
        Ok(())
    }

    fn visit(&self, expected: usize, got: usize, tally: &mut Tally) {
        let kind = self.at(expected, KIND);
        if kind != self.at(got, KIND) {
            tally.differing += 1;
            return;
        }
        let children = (self.at(expected, CHILDREN), self.at(got, CHILDREN));
        match kind {
            VALUE => self.compare(expected, got, tally),
            LIST if children.0 != children.1 => tally.differing += 1,
            OBJECT | LIST if children == (0, 0) => tally.agreed += 1,
            _ => self.visit_children(expected, got, tally),
        }
    }

    /// Walks the children of both nodes in the order of their keys.
    fn visit_children(&self, expected: usize, got: usize, tally: &mut Tally) {
        // Under `subset`, keys that the reference lacks are ignored.
        let is_subset = self.at(expected, KIND) == OBJECT && self.at(expected, CODE) != 0;
        let (mut ours, ours_end) = (expected + 1, self.at(expected, END) as usize);
        let (mut theirs, theirs_end) = (got + 1, self.at(got, END) as usize);
        loop {
            let order = match (ours < ours_end, theirs < theirs_end) {
                (true, true) => self.at(ours, KEY).cmp(&self.at(theirs, KEY)),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => return,
            };
            match order {
                Ordering::Equal => self.visit(ours, theirs, tally),
                Ordering::Less => tally.differing += self.at(ours, LOSS),
                Ordering::Greater if is_subset => {}
                Ordering::Greater => tally.differing += self.at(theirs, LOSS),
            }
            if order.is_le() {
                ours = self.at(ours, END) as usize;
            }
            if order.is_ge() {
                theirs = self.at(theirs, END) as usize;
            }
        }
    }

    fn compare(&self, expected: usize, got: usize, tally: &mut Tally) {
        let (one, other) = (self.at(expected, NUMBER), self.at(got, NUMBER));
        if self.at(expected, CODE) == self.at(got, CODE) {
            tally.agreed += 1;
        } else if one == NO_NUMBER || other == NO_NUMBER {
            tally.differing += 1;
        } else if one < 0 || other < 0 {
            tally.is_unsure = true;
        } else if self.are_close(one as usize, other as usize, self.at(expected, TOLERANCE)) {
            tally.agreed += 1;
        } else {
            tally.differing += 1;
        }
    }

    fn are_close(&self, one: usize, other: usize, tolerance: i64) -> bool {
        let (one, other) = (wide(self.numbers, one), wide(self.numbers, other));
        let bound = |part: usize| wide(self.tolerances, tolerance as usize * BOUNDS / 2 + part);
        let difference = one.abs_diff(other);
        difference <= bound(0).unsigned_abs()
            || difference.saturating_mul(bound(2).unsigned_abs())
                <= one
                    .unsigned_abs()
                    .max(other.unsigned_abs())
                    .saturating_mul(bound(1).unsigned_abs())
    }
}

/// Reads an integer of two words, low word first.
fn wide(words: &[i64], index: usize) -> i128 {
    let (low, high) = (words[2 * index], words[2 * index + 1]);
    i128::from(high) << 64 | i128::from(low as u64)
}

#[cfg(test)]
mod tests {
    use super::{Trees, likeness};

    /// A number under the only tolerance, with a code of its own.
    fn number(index: i64) -> [i64; 8] {
        [0, 0, index + 1, 0, index, index, 0, 1]
    }

    #[test]
    fn a_bound_that_is_met_exactly_is_met() {
        let nodes = [number(0), number(1), number(2)].concat();
        let trees = Trees {
            nodes: &nodes,
            numbers: &[10, 0, 11, 0, 12, 0],
            tolerances: &[1, 0, 0, 0, 1, 0],
        };
        assert_eq!(likeness(trees, &[0], &[0, 1, 2]), Ok(vec![1.0, 1.0, 0.0]));
    }

    #[test]
    fn words_make_numbers_of_either_sign() {
        let nodes = [number(0), number(1)].concat();
        let trees = Trees {
            nodes: &nodes,
            numbers: &[-1, -1, 0, 1],
            tolerances: &[0, 1, 0, 0, 1, 0],
        };
        // -1 and 2 to the 64th differ by one more than the latter.
        assert_eq!(likeness(trees, &[0], &[1]), Ok(vec![0.0]));
    }

    #[test]
    fn a_number_without_a_unit_leaves_a_pair_open() {
        let mut nodes = [number(0), number(1)].concat();
        nodes[13] = -2;
        let trees = Trees {
            nodes: &nodes,
            numbers: &[1, 0],
            tolerances: &[0; 6],
        };
        assert_eq!(likeness(trees, &[0], &[0, 1]), Ok(vec![1.0, -1.0]));
    }
}
