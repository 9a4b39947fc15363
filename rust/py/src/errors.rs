//! Turns a core [`Error`](trajmeter_core::Error) into the Python exception of the same code.

use pyo3::import_exception;
use pyo3::prelude::*;
use trajmeter_core::Error;

import_exception!(trajmeter.errors, InternalError);
import_exception!(trajmeter.errors, NegativeSpanError);
import_exception!(trajmeter.errors, ReversedSpanError);
import_exception!(trajmeter.errors, TotalOverflowError);

/// The exception of `trajmeter.errors` that stands for `error`, with the same message.
pub fn raise(error: &Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NegativeSpan { .. } => NegativeSpanError::new_err(message),
        Error::ReversedSpan { .. } => ReversedSpanError::new_err(message),
        Error::Overflow { .. } => TotalOverflowError::new_err(message),
    }
}
