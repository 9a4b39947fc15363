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
pub fn crc_and_newlines(py: Python<'_>, block: &[u8], before: u32) -> PyResult<(u32, usize)> {
    run(py, block.len(), || {
        Ok(lines::crc_and_newlines(block, before))
    })
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
