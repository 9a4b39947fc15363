//! Binding of the kernel that finds and compares JSON objects.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use trajmeter_core::ingest::equality;

use crate::arrays::{Integers, NewIntegers, array, run, slice};

#[pyfunction]
#[pyo3(signature = (texts, offsets, runs))]
pub fn object_codes<'py>(
    py: Python<'py>,
    texts: PyReadonlyArray1<'py, u8>,
    offsets: Integers<'py>,
    runs: Option<Integers<'py>>,
) -> PyResult<NewIntegers<'py>> {
    let (texts, offsets) = (slice(&texts)?, slice(&offsets)?);
    let runs = runs.as_ref().map(slice).transpose()?;
    let codes = run(py, texts.len(), || match runs {
        Some(runs) => equality::object_codes(texts, offsets, runs),
        None => equality::objects(texts, offsets),
    })?;
    Ok(array(py, codes))
}
