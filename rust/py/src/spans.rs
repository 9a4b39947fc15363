//! Bindings of the span kernels.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::Result;
use trajmeter_core::spans::{self, Batch, Rows, Spans};

use crate::arrays::{self, Integers, NewIntegers, rows, run, slice};

type SpanArrays<'py> = (NewIntegers<'py>, NewIntegers<'py>);
/// A kernel on the starts and ends of two sets.
type OnSets = fn(&[i64], &[i64], &[i64], &[i64]) -> Result<Spans>;

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
    let sets = [[&start, &end], [&other_start, &other_end]];
    combined(py, sets, spans::intersection)
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
    combined_rows(py, rows, others, spans::intersection_batched)
}

#[pyfunction]
pub fn difference<'py>(
    py: Python<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    other_start: Integers<'py>,
    other_end: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let sets = [[&start, &end], [&other_start, &other_end]];
    combined(py, sets, spans::difference)
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
    combined_rows(py, rows, others, spans::difference_batched)
}

/// Runs a kernel on two sets.
fn combined<'py>(
    py: Python<'py>,
    [[start, end], [other_start, other_end]]: [[&Integers<'py>; 2]; 2],
    kernel: OnSets,
) -> PyResult<SpanArrays<'py>> {
    let (start, end) = (slice(start)?, slice(end)?);
    let (other_start, other_end) = (slice(other_start)?, slice(other_end)?);
    let size = start.len() + other_start.len();
    let result = run(py, size, || kernel(start, end, other_start, other_end))?;
    Ok(arrays::spans(py, result))
}

/// Runs a kernel on rows and their partners in `others`.
fn combined_rows<'py>(
    py: Python<'py>,
    rows: Rows<'_>,
    others: Rows<'_>,
    kernel: fn(Rows<'_>, Rows<'_>) -> Result<Batch>,
) -> PyResult<Bound<'py, PyAny>> {
    let size = rows.size() + others.size();
    let result = run(py, size, || kernel(rows, others))?;
    arrays::batch(py, result)
}
