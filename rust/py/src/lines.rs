//! Bindings of the line kernels.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::lines::{self, LineTable};

use crate::arrays::{self, Integers, NewIntegers, run, slice};

type SpanArrays<'py> = (NewIntegers<'py>, NewIntegers<'py>);

#[pyfunction]
pub fn line_starts<'py>(py: Python<'py>, buffer: &[u8]) -> PyResult<NewIntegers<'py>> {
    let starts = run(py, buffer.len(), || Ok(lines::line_starts(buffer)))?;
    Ok(starts.into_pyarray(py))
}

#[pyfunction]
pub fn lines_to_bytes<'py>(
    py: Python<'py>,
    line_starts: Integers<'py>,
    size: i64,
    first: Integers<'py>,
    last: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let table = LineTable {
        starts: slice(&line_starts)?,
        size,
    };
    let (first, last) = (slice(&first)?, slice(&last)?);
    let spans = run(py, first.len(), || {
        lines::lines_to_bytes(table, first, last)
    })?;
    Ok(arrays::spans(py, spans))
}

#[pyfunction]
pub fn lines_to_bytes_batched<'py>(
    py: Python<'py>,
    line_starts: Integers<'py>,
    offsets: Integers<'py>,
    size: Integers<'py>,
    file: Integers<'py>,
    first: Integers<'py>,
    last: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let (line_starts, offsets, size) = (slice(&line_starts)?, slice(&offsets)?, slice(&size)?);
    let (file, first, last) = (slice(&file)?, slice(&first)?, slice(&last)?);
    let spans = run(py, first.len(), || {
        lines::lines_to_bytes_batched(line_starts, offsets, size, file, first, last)
    })?;
    Ok(arrays::spans(py, spans))
}

#[pyfunction]
pub fn bytes_to_lines<'py>(
    py: Python<'py>,
    line_starts: Integers<'py>,
    size: i64,
    start: Integers<'py>,
    end: Integers<'py>,
) -> PyResult<SpanArrays<'py>> {
    let table = LineTable {
        starts: slice(&line_starts)?,
        size,
    };
    let (start, end) = (slice(&start)?, slice(&end)?);
    let ranges = run(py, start.len(), || lines::bytes_to_lines(table, start, end))?;
    Ok(arrays::spans(py, ranges))
}
