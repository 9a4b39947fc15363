//! Bindings of the geometric means.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use trajmeter_core::means;

use crate::arrays::{Floats, Integers, run, slice};

#[pyfunction]
pub fn gmean(py: Python<'_>, values: Floats<'_>) -> PyResult<f64> {
    let values = slice(&values)?;
    run(py, values.len(), || means::gmean(values))
}

#[pyfunction]
pub fn gmean_grouped<'py>(
    py: Python<'py>,
    values: Floats<'py>,
    offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (values, offsets) = (slice(&values)?, slice(&offsets)?);
    let size = values.len() + offsets.len();
    let means = run(py, size, || means::gmean_grouped(values, offsets))?;
    Ok(means.into_pyarray(py))
}
