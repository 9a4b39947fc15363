//! Pairing of the calls of an attempt with those of its reference, by equal arguments.

use super::comparison::{Likeness, compare};
use super::value::Object;
use crate::{assignment, sequences};

/// Number of steps that partial similarity is rounded to, as in the twin.
const LIKENESS_STEPS: f64 = 1_048_576.0;

/// Most pairs of unmatched calls that are compared, as in the twin.
const MOST_COMPARED: usize = 10_000;

/// A call: the code of its name, and its arguments.
pub struct Call<'a> {
    pub name: i64,
    pub arguments: Object<'a>,
    pub digest: u64,
}

/// How the calls of two sequences are paired, by index.
pub struct Pairing {
    /// Match of each reference call, in any order of the calls.
    pub pairs: Vec<Option<usize>>,
    /// For each reference call without a match, the most similar unmatched call of the same name.
    pub near: Vec<Option<usize>>,
    /// Match of each reference call in the longest alignment, or -1.
    pub aligned: Vec<i64>,
    pub is_exact: bool,
    pub edit_distance: i64,
}

/// Pairs as many calls as possible, and then the most similar of the rest.
///
/// `codes` holds, for each reference call, the index of the first one that is equal to it.
pub fn pair(reference: &[Call], codes: &[i64], actual: &[Call]) -> crate::Result<Pairing> {
    let found: Vec<i64> = actual.iter().map(|call| code_of(call, reference)).collect();
    if found == codes {
        let places = 0..reference.len();
        return Ok(Pairing {
            pairs: places.clone().map(Some).collect(),
            near: vec![None; reference.len()],
            aligned: places.map(|place| place as i64).collect(),
            is_exact: true,
            edit_distance: 0,
        });
    }
    let mut is_taken = vec![false; actual.len()];
    let mut pairs = vec![None; reference.len()];
    for (code, partner) in codes.iter().zip(&mut pairs) {
        let mut places = 0..found.len();
        *partner = places.find(|&place| found[place] == *code && !is_taken[place]);
        if let Some(place) = *partner {
            is_taken[place] = true;
        }
    }
    let mut near = vec![None; reference.len()];
    let ours: Vec<usize> = (0..pairs.len()).filter(|&at| pairs[at].is_none()).collect();
    let theirs: Vec<usize> = (0..actual.len()).filter(|&at| !is_taken[at]).collect();
    if !ours.is_empty() && !theirs.is_empty() {
        pair_rest(reference, actual, &ours, &theirs, &mut near)?;
    }
    Ok(Pairing {
        pairs,
        near,
        aligned: sequences::align(codes, &found),
        is_exact: false,
        edit_distance: sequences::edit_distance(codes, &found),
    })
}

/// Returns the index of the first reference call that is equal, or -1.
pub fn code_of(call: &Call, reference: &[Call]) -> i64 {
    let equal = |other: &Call| {
        other.name == call.name
            && other.digest == call.digest
            && super::value::same(&other.arguments, &call.arguments)
    };
    let place = reference.iter().position(equal);
    place.map_or(-1, |place| place as i64)
}

/// Pairs unmatched calls of the same name, so that one can explain the other.
fn pair_rest(
    reference: &[Call],
    actual: &[Call],
    ours: &[usize],
    theirs: &[usize],
    near: &mut [Option<usize>],
) -> crate::Result<()> {
    let mut names: Vec<i64> = Vec::new();
    for &at in ours {
        if !names.contains(&reference[at].name) {
            names.push(reference[at].name);
        }
    }
    for name in names {
        let of = |calls: &[Call], places: &[usize]| -> Vec<usize> {
            let places = places.iter().copied();
            places.filter(|&at| calls[at].name == name).collect()
        };
        let (here, there) = (of(reference, ours), of(actual, theirs));
        let pairs = here.len() * there.len();
        if 1 < pairs && pairs <= MOST_COMPARED {
            let weights: Vec<f64> = here
                .iter()
                .flat_map(|&row| there.iter().map(move |&column| (row, column)))
                .map(|(row, column)| weight(&reference[row], &actual[column]))
                .collect();
            let chosen = assignment::assign(&weights, here.len(), there.len(), true)?;
            for (&row, &column) in here.iter().zip(&chosen) {
                if let Ok(column) = usize::try_from(column) {
                    near[row] = Some(there[column]);
                }
            }
        } else {
            // A single pair, or too many to compare: pair in order.
            for (&row, &column) in here.iter().zip(&there) {
                near[row] = Some(column);
            }
        }
    }
    Ok(())
}

fn weight(expected: &Call, got: &Call) -> f64 {
    let mut likeness = Likeness::default();
    compare(&expected.arguments, &got.arguments, &mut likeness);
    (likeness.ratio() * (LIKENESS_STEPS - 2.0)).floor() + 1.0
}
