//! Binding of the turn kernel.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::turns::{self, Columns};

use crate::arrays::{Integers, run, slice};
use crate::errors::InternalError;
use crate::named::NamedTuple;

static TURN_COUNT_ARRAYS: NamedTuple = NamedTuple::new("TurnCountArrays");

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one flat array per column")]
pub fn turn_counts<'py>(
    py: Python<'py>,
    success: Integers<'py>,
    program: Integers<'py>,
    reason: Integers<'py>,
    error: Integers<'py>,
    number: Integers<'py>,
    call_success: Integers<'py>,
    call: Integers<'py>,
    call_offsets: Integers<'py>,
    run_offsets: Integers<'py>,
    unreadable: Integers<'py>,
    reasons: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = Columns {
        success: slice(&success)?,
        program: slice(&program)?,
        reason: slice(&reason)?,
        error: slice(&error)?,
        number: slice(&number)?,
        call_success: slice(&call_success)?,
        call: slice(&call)?,
        call_offsets: slice(&call_offsets)?,
        run_offsets: slice(&run_offsets)?,
        unreadable: slice(&unreadable)?
            .try_into()
            .map_err(|_| InternalError::new_err("unchecked array: unreadable"))?,
        reasons,
    };
    let size = columns.success.len() + columns.call.len();
    let counts = run(py, size, || turns::turn_counts(columns))?;
    TURN_COUNT_ARRAYS.of(
        py,
        (
            counts.table.into_pyarray(py),
            counts.reason.into_pyarray(py),
            counts.carried.into_pyarray(py),
            counts.failed.into_pyarray(py),
            counts.reason_offsets.into_pyarray(py),
        ),
    )
}
