//! Matching of the tool calls of many attempts with their reference calls, by equal arguments.
//!
//! The twin is the record path of the metric. It also handles the rows that this reader is not
//! certain to read alike: malformed arguments, numbers that no double holds, and duplicate keys.

mod comparison;
mod explain;
mod pairing;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use pairing::Call;

use crate::pool;
use crate::text::Texts;

/// The calls of all attempts, or of all references.
#[derive(Clone, Copy)]
pub struct Calls<'a> {
    /// Code of the name of each call.
    pub names: &'a [i64],
    /// Arguments of each call as JSON; empty if none were recorded.
    pub arguments: Texts<'a>,
    /// Attempt i has the calls in `[offsets[i], offsets[i + 1])`.
    pub offsets: &'a [i64],
}

/// Figures per attempt: matched calls, aligned calls, whether both sides are equal, and the edit
/// distance. All are -1 if the attempt is left to the twin.
pub const FIGURES: usize = 4;

/// The results of many attempts.
#[derive(Debug, Default, PartialEq)]
pub struct Matched {
    /// [`FIGURES`] of each attempt.
    pub figures: Vec<i64>,
    /// The mismatches of each attempt, as a JSON list.
    pub mismatches: Vec<u8>,
    /// The list of attempt i begins at `offsets[i]`.
    pub offsets: Vec<i64>,
}

/// Matches the calls of each attempt with those of its reference.
///
/// `reference_of` holds the index of each attempt's reference, or -1 if there is none, which leaves
/// the attempt to the twin. `names` holds the name of each code.
///
/// # Errors
///
/// None in practice: an assignment refuses only weights that are not finite, and these always are.
pub fn match_calls(
    actual: Calls,
    references: Calls,
    reference_of: &[i64],
    names: Texts,
) -> crate::Result<Matched> {
    let prepared: Vec<Option<Reference>> = (0..references.offsets.len().saturating_sub(1))
        .map(|at| Reference::new(references, at))
        .collect();
    let pieces = pool::chunks(reference_of.len(), ROWS_AT_ONCE).collect();
    let parts = pool::run(pieces, |rows: Range<usize>| {
        let mut part = Matched::default();
        for row in rows {
            let of_row = usize::try_from(reference_of[row]).ok();
            let reference = of_row.and_then(|at| prepared[at].as_ref());
            part.add(actual, row, reference, names)?;
        }
        Ok(part)
    })?;
    let mut matched = Matched::default();
    matched.offsets.push(0);
    for part in parts {
        let before = matched.mismatches.len() as i64;
        matched.figures.extend(part.figures);
        matched.mismatches.extend(part.mismatches);
        matched
            .offsets
            .extend(part.offsets.iter().map(|end| before + end));
    }
    Ok(matched)
}

/// Attempts per piece of work of a thread.
const ROWS_AT_ONCE: usize = 256;

/// The calls of a reference, parsed once.
struct Reference<'a> {
    calls: Vec<Call<'a>>,
    /// For each call, the index of the first call that is equal to it.
    codes: Vec<i64>,
}

impl<'a> Reference<'a> {
    /// Parses the reference at an index; `None` unless all of its arguments can be read.
    fn new(references: Calls<'a>, at: usize) -> Option<Self> {
        let calls = read(references, at)?;
        let codes = calls
            .iter()
            .map(|call| pairing::code_of(call, &calls))
            .collect();
        Some(Self { calls, codes })
    }
}

/// Parses the calls of an attempt; `None` if the arguments of any call are uncertain.
fn read(calls: Calls<'_>, row: usize) -> Option<Vec<Call<'_>>> {
    let places = calls.offsets[row] as usize..calls.offsets[row + 1] as usize;
    places
        .map(|at| {
            let arguments = arguments(calls.arguments.get(at)?)?;
            let digest = value::digest(&arguments);
            let name = calls.names[at];
            Some(Call {
                name,
                arguments,
                digest,
            })
        })
        .collect()
}

/// Parses the arguments of a call: an object, or a JSON string that holds one.
fn arguments(json: &str) -> Option<value::Object<'_>> {
    match json.trim_ascii_start().as_bytes().first() {
        None => Some(value::Object::new()),
        Some(b'"') => match value::text(json)? {
            Cow::Borrowed(text) => value::object(text),
            Cow::Owned(text) => value::object(&text).map(value::owned),
        },
        Some(_) => value::object(json),
    }
}

impl Matched {
    fn add(
        &mut self,
        actual: Calls,
        row: usize,
        reference: Option<&Reference>,
        names: Texts,
    ) -> crate::Result<()> {
        let both = reference.and_then(|reference| Some((reference, read(actual, row)?)));
        if let Some((reference, calls)) = both {
            let pairing = pairing::pair(&reference.calls, &reference.codes, &calls)?;
            let matched = pairing.pairs.iter().flatten().count() as i64;
            let aligned = pairing.aligned.iter().filter(|&&place| place >= 0).count() as i64;
            let exact = i64::from(pairing.is_exact);
            self.figures
                .extend([matched, aligned, exact, pairing.edit_distance]);
            explain::write(
                &mut self.mismatches,
                &reference.calls,
                &calls,
                &pairing,
                names,
            );
        } else {
            self.figures.extend([-1; FIGURES]);
        }
        self.offsets.push(self.mismatches.len() as i64);
        Ok(())
    }
}
