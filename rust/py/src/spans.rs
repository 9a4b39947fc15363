//! Bindings of the span kernels.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::spans;

use crate::arrays::{self, Integers, NewIntegers, rows, run, slice};

type SpanArrays<'py> = (NewIntegers<'py>, NewIntegers<'py>);

#[pyfunction]
pub fn measure(py: Python<'_>, start: Integers<'_>, end: Integers<'_>) -> PyResult<i64> {
    let (start, end) = (slice(&start)?, slice(&end)?);
    run(py, start.len(), || spans::measure(start, end))
}

#[pyfunction]
pub fn measure_batched<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    offsets: Integers<'py>,
) -> PyResult<NewIntegers<'py>> {
    let rows = rows(&start, &end, &offsets)?;
    let measures = run(py, rows.size(), || spans::measure_batched(rows))?;
    Ok(measures.into_pyarray(py))
}

#[pyfunction]
pub fn union<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let (start, end) = (slice(&start)?, slice(&end)?);
    let merged = run(py, start.len(), || spans::union(start, end))?;
    Ok(arrays::spans(py, merged))
}

#[pyfunction]
pub fn union_batched<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = rows(&start, &end, &offsets)?;
    let merged = run(py, rows.size(), || spans::union_batched(rows))?;
    arrays::batch(py, merged)
}

#[pyfunction]
pub fn intersection<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    other_start: Integers<'py>,
    other_end: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let (start, end) = (slice(&start)?, slice(&end)?);
    let (other_start, other_end) = (slice(&other_start)?, slice(&other_end)?);
    let size = start.len() + other_start.len();
    let result = run(py, size, || {
        spans::intersection(start, end, other_start, other_end)
    })?;
    Ok(arrays::spans(py, result))
}

#[pyfunction]
pub fn intersection_batched<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    offsets: Integers<'py>,
    other_start: Integers<'py>,
    other_end: Integers<'py>,
    other_offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = rows(&start, &end, &offsets)?;
    let others = arrays::rows(&other_start, &other_end, &other_offsets)?;
    let size = rows.size() + others.size();
    let result = run(py, size, || spans::intersection_batched(rows, others))?;
    arrays::batch(py, result)
}

#[pyfunction]
pub fn difference<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    other_start: Integers<'py>,
    other_end: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let (start, end) = (slice(&start)?, slice(&end)?);
    let (other_start, other_end) = (slice(&other_start)?, slice(&other_end)?);
    let size = start.len() + other_start.len();
    let result = run(py, size, || {
        spans::difference(start, end, other_start, other_end)
    })?;
    Ok(arrays::spans(py, result))
}

#[pyfunction]
pub fn difference_batched<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    offsets: Integers<'py>,
    other_start: Integers<'py>,
    other_end: Integers<'py>,
    other_offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = rows(&start, &end, &offsets)?;
    let others = arrays::rows(&other_start, &other_end, &other_offsets)?;
    let size = rows.size() + others.size();
    let result = run(py, size, || spans::difference_batched(rows, others))?;
    arrays::batch(py, result)
}
