//! Bindings of the kernels on sequences of steps.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::likeness::Trees;
use trajmeter_core::{assignment, sequences};

use crate::arrays::{Flags, Floats, Integers, NewFloats, NewIntegers, run, slice};

#[pyfunction]
pub fn align<'py>(
    py: Python<'py>,
    reference: Integers<'py>,
    actual: Integers<'py>,
) -> PyResult<NewIntegers<'py>> {
    let (reference, actual) = (slice(&reference)?, slice(&actual)?);
    let size = reference.len() + actual.len();
    let partners = run(py, size, || Ok(sequences::align(reference, actual)))?;
    Ok(partners.into_pyarray(py))
}

#[pyfunction]
pub fn align_matches<'py>(
    py: Python<'py>,
    matches: Flags<'py>,
    rows: usize,
    columns: usize,
) -> PyResult<NewIntegers<'py>> {
    let matches = slice(&matches)?;
    let partners = run(py, matches.len(), || {
        Ok(sequences::align_matches(matches, rows, columns))
    })?;
    Ok(partners.into_pyarray(py))
}

#[pyfunction]
pub fn edit_distance(
    py: Python<'_>,
    reference: Integers<'_>,
    actual: Integers<'_>,
) -> PyResult<i64> {
    let (reference, actual) = (slice(&reference)?, slice(&actual)?);
    let size = reference.len() + actual.len();
    run(py, size, || Ok(sequences::edit_distance(reference, actual)))
}

#[pyfunction]
pub fn edit_distance_matches(
    py: Python<'_>,
    matches: Flags<'_>,
    rows: usize,
    columns: usize,
) -> PyResult<i64> {
    let matches = slice(&matches)?;
    run(py, matches.len(), || {
        Ok(sequences::edit_distance_matches(matches, rows, columns))
    })
}

#[pyfunction]
#[pyo3(signature = (weights, rows, columns, *, full))]
pub fn assign<'py>(
    py: Python<'py>,
    weights: Floats<'py>,
    rows: usize,
    columns: usize,
    full: bool,
) -> PyResult<NewIntegers<'py>> {
    let weights = slice(&weights)?;
    let chosen = run(py, weights.len(), || {
        assignment::assign(weights, rows, columns, full)
    })?;
    Ok(chosen.into_pyarray(py))
}

#[pyfunction]
pub fn likeness<'py>(
    py: Python<'py>,
    nodes: Integers<'py>,
    numbers: Integers<'py>,
    tolerances: Integers<'py>,
    reference: Integers<'py>,
    actual: Integers<'py>,
) -> PyResult<NewFloats<'py>> {
    let trees = Trees {
        nodes: slice(&nodes)?,
        numbers: slice(&numbers)?,
        tolerances: slice(&tolerances)?,
    };
    let (reference, actual) = (slice(&reference)?, slice(&actual)?);
    let size = trees.nodes.len() + reference.len() * actual.len();
    let found = run(py, size, || {
        trajmeter_core::likeness::likeness(trees, reference, actual)
    })?;
    Ok(found.into_pyarray(py))
}
