//! Bindings of the span kernels.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use trajmeter_core::spans;

use crate::arrays::{run, slice};

#[pyfunction]
pub fn measure(
    py: Python<'_>,
    start: PyReadonlyArray1<'_, i64>,
    end: PyReadonlyArray1<'_, i64>,
) -> PyResult<i64> {
    let (start, end) = (slice(&start)?, slice(&end)?);
    run(py, start.len(), || spans::measure(start, end))
}
