//! Arrays in, kernels run, results out: what every binding shares.
//!
//! Arguments were checked in Python before they arrive; an array that is not flat here means that a
//! caller went around those checks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::{self, InternalError};

/// From this many values on, a kernel releases the GIL. Below, releasing costs more than it gives.
const LONG: usize = 2048;

/// The memory of a borrowed flat array.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array
        .as_slice()
        .map_err(|error| InternalError::new_err(format!("unchecked array: {error}")))
}

/// Runs `kernel` on `size` values, without the GIL where that can take long.
///
/// A refusal of the kernel becomes its exception in `trajmeter.errors`, a panic `InternalError`.
pub fn run<T: Send>(
    py: Python<'_>,
    size: usize,
    kernel: impl FnOnce() -> trajmeter_core::Result<T> + Send,
) -> PyResult<T> {
    let guarded = || catch_unwind(AssertUnwindSafe(kernel));
    let outcome = if size < LONG {
        guarded()
    } else {
        py.detach(guarded)
    };
    match outcome {
        Ok(result) => result.map_err(|error| errors::raise(&error)),
        Err(payload) => Err(errors::internal(payload.as_ref())),
    }
}
