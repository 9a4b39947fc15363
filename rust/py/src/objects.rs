//! Binding of what tells JSON texts of objects apart.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use trajmeter_core::ingest::equality;

use crate::arrays::{Integers, NewIntegers, array, run, slice};

#[pyfunction]
#[pyo3(signature = (texts, offsets, *, distinguish))]
pub fn object_codes<'py>(
    py: Python<'py>,
    texts: PyReadonlyArray1<'py, u8>,
    offsets: Integers<'py>,
    distinguish: bool,
) -> PyResult<NewIntegers<'py>> {
    let (texts, offsets) = (slice(&texts)?, slice(&offsets)?);
    let codes = run(py, texts.len(), || {
        if distinguish {
            equality::object_codes(texts, offsets)
        } else {
            equality::objects(texts, offsets)
        }
    })?;
    Ok(array(py, codes))
}
