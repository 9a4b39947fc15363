//! Conversion of a core [`Error`] to the Python exception with the same code.

use std::any::Any;

use pyo3::import_exception;
use pyo3::prelude::*;
use trajmeter_core::Error;

import_exception!(trajmeter.errors, EmptyInputError);
import_exception!(trajmeter.errors, InputError);
import_exception!(trajmeter.errors, InternalError);
import_exception!(trajmeter.errors, NegativeKeyError);
import_exception!(trajmeter.errors, NegativeSpanError);
import_exception!(trajmeter.errors, ReversedSpanError);
import_exception!(trajmeter.errors, TotalOverflowError);
import_exception!(trajmeter.errors, ValueDomainError);

/// Returns the exception of `trajmeter.errors` with the code of `error`, and the same message.
pub fn raise(error: &Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NegativeSpan { .. } => NegativeSpanError::new_err(message),
        Error::ReversedSpan { .. } => ReversedSpanError::new_err(message),
        Error::Code { .. } | Error::Choice { .. } => InputError::new_err(message),
        Error::Empty { .. } => EmptyInputError::new_err(message),
        Error::ValueDomain { .. }
        | Error::NotFinite { .. }
        | Error::Weight { .. }
        | Error::ZeroAndInfinity { .. } => ValueDomainError::new_err(message),
        Error::NegativeKey { .. } => NegativeKeyError::new_err(message),
        Error::Overflow { .. } => TotalOverflowError::new_err(message),
    }
}

/// Returns `InternalError` for a panic, with its message if it has one.
///
/// pyo3's own `PanicException` derives from `BaseException`, which `except Exception` misses.
pub fn internal(payload: &(dyn Any + Send)) -> PyErr {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    InternalError::new_err(format!("a kernel panicked: {message}; please report this"))
}
