//! Binding of the kernel that numbers texts.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::codes::{self, TextColumn};

use crate::arrays::{Flags, NewIntegers, array, run, slice};

type Part<'py> = (
    PyReadonlyArray1<'py, u8>,
    PyReadonlyArray1<'py, i32>,
    Option<Flags<'py>>,
);

#[pyfunction]
pub fn text_codes<'py>(
    py: Python<'py>,
    parts: Vec<Part<'py>>,
) -> PyResult<(NewIntegers<'py>, Bound<'py, PyBytes>, NewIntegers<'py>)> {
    let parts: PyResult<Vec<TextColumn<'_>>> = parts
        .iter()
        .map(|(held, offsets, present)| {
            Ok(TextColumn {
                held: slice(held)?,
                offsets: slice(offsets)?,
                present: present.as_ref().map(slice).transpose()?,
            })
        })
        .collect();
    let parts = parts?;
    let rows = parts.iter().map(|part| part.offsets.len()).sum();
    let found = run(py, rows, || Ok(codes::text_codes(&parts)))?;
    Ok((
        array(py, found.codes),
        PyBytes::new(py, &found.held),
        array(py, found.offsets),
    ))
}
