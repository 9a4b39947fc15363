//! Bindings of the kernels on many calls and texts.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use trajmeter_core::calls::{self, Calls};
use trajmeter_core::text;

use crate::arrays::{Integers, NewIntegers, TextArrays, borrowed_texts, run, slice};

/// Calls: codes of their names, their arguments, and the start of each attempt's calls.
type CallArrays<'py> = (Integers<'py>, TextArrays<'py>, Integers<'py>);
/// Figures of every attempt, its mismatches as JSON, and the start of each.
type MatchedArrays<'py> = (NewIntegers<'py>, Bound<'py, PyArray1<u8>>, NewIntegers<'py>);

#[pyfunction]
pub fn match_calls<'py>(
    py: Python<'py>,
    actual: CallArrays<'py>,
    references: CallArrays<'py>,
    reference_of: Integers<'py>,
    names: TextArrays<'py>,
) -> PyResult<MatchedArrays<'py>> {
    let (actual, references) = (calls(&actual)?, calls(&references)?);
    let (reference_of, names) = (slice(&reference_of)?, borrowed_texts(&names)?);
    let matched = run(py, actual.arguments.bytes.len(), || {
        calls::match_calls(actual, references, reference_of, names)
    })?;
    Ok((
        matched.figures.into_pyarray(py),
        matched.mismatches.into_pyarray(py),
        matched.offsets.into_pyarray(py),
    ))
}

#[pyfunction]
pub fn found_texts<'py>(
    py: Python<'py>,
    texts: TextArrays<'py>,
    group_of: Integers<'py>,
    sought: TextArrays<'py>,
    offsets: Integers<'py>,
) -> PyResult<NewIntegers<'py>> {
    let (searched, sought) = (borrowed_texts(&texts)?, borrowed_texts(&sought)?);
    let (group_of, offsets) = (slice(&group_of)?, slice(&offsets)?);
    let found = run(py, searched.bytes.len(), || {
        text::found_texts(searched, group_of, sought, offsets)
    })?;
    Ok(found.into_pyarray(py))
}

fn calls<'a>((names, arguments, offsets): &'a CallArrays<'_>) -> PyResult<Calls<'a>> {
    Ok(Calls {
        names: slice(names)?,
        arguments: borrowed_texts(arguments)?,
        offsets: slice(offsets)?,
    })
}
