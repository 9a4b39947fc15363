//! Binding of the exact sums.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::exact;

use crate::arrays::{Floats, Integers, NewIntegers, run, slice};

/// The sums of some slots, place by place; see `trajmeter.statistics.exact_sums`.
#[pyfunction]
#[pyo3(signature = (values, slots, size, *, squared))]
pub fn exact_sums<'py>(
    py: Python<'py>,
    values: Floats<'py>,
    slots: Integers<'py>,
    size: usize,
    squared: bool,
) -> PyResult<Vec<(i64, NewIntegers<'py>)>> {
    let (values, slots) = (slice(&values)?, slice(&slots)?);
    let places = run(py, values.len(), || {
        exact::exact_sums(values, slots, size, squared)
    })?;
    Ok(places
        .into_iter()
        .map(|place| (place.exponent, place.sums.into_pyarray(py)))
        .collect())
}
