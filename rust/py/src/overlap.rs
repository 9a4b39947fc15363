//! Binding of the overlap join.

use pyo3::prelude::*;
use trajmeter_core::overlap::{self, Definitions};

use crate::arrays::{Integers, NewIntegers, array, run, slice};

#[pyfunction]
pub fn overlap_join<'py>(
    py: Python<'py>,
    file: Integers<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    definition_start: Integers<'py>,
    definition_end: Integers<'py>,
    definition_offsets: Integers<'py>,
) -> PyResult<(NewIntegers<'py>, NewIntegers<'py>)> {
    let (file, start, end) = (slice(&file)?, slice(&start)?, slice(&end)?);
    let definitions = Definitions {
        start: slice(&definition_start)?,
        end: slice(&definition_end)?,
        offsets: slice(&definition_offsets)?,
    };
    let join = run(py, start.len() + definitions.start.len(), || {
        overlap::overlap_join(file, start, end, definitions)
    })?;
    Ok((array(py, join.definitions), array(py, join.offsets)))
}
