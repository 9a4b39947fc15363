//! Binding of what numbers the texts of a column.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::codes::{self, Texts};

use crate::arrays::{NewIntegers, array, run, slice};

type Part<'py> = (PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i32>);

#[pyfunction]
pub fn text_codes<'py>(
    py: Python<'py>,
    parts: Vec<Part<'py>>,
) -> PyResult<(NewIntegers<'py>, Bound<'py, PyBytes>, NewIntegers<'py>)> {
    let parts: PyResult<Vec<Texts<'_>>> = parts
        .iter()
        .map(|(held, offsets)| {
            let (held, offsets) = (slice(held)?, slice(offsets)?);
            Ok(Texts { held, offsets })
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
