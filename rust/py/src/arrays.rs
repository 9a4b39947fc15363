//! Conversion of arguments and results that all bindings share.
//!
//! Python checks arguments before they arrive; an array that is not flat here means that a caller
//! bypassed those checks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use numpy::{
    Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::spans::{Batch, Rows, Spans};
use trajmeter_core::text;

use crate::errors::{self, InputError, InternalError};
use crate::named::NamedTuple;

/// A borrowed array of 64-bit integers.
pub type Integers<'py> = PyReadonlyArray1<'py, i64>;
/// A borrowed array of doubles.
pub type Floats<'py> = PyReadonlyArray1<'py, f64>;
/// A borrowed array of booleans.
pub type Flags<'py> = PyReadonlyArray1<'py, bool>;
/// A new array of 64-bit integers.
pub type NewIntegers<'py> = Bound<'py, PyArray1<i64>>;
/// A new array of doubles.
pub type NewFloats<'py> = Bound<'py, PyArray1<f64>>;

/// From this many values on, a kernel releases the GIL; for fewer, releasing it costs more than it
/// gains.
const LONG: usize = 2048;

/// Below this many values, copying them is faster than handing over the memory that holds them.
const FEW: usize = 512;

/// Returns the memory of a borrowed flat array.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array
        .as_slice()
        .map_err(|error| InternalError::new_err(format!("unchecked array: {error}")))
}

/// Returns the rows in three borrowed arrays.
pub fn rows<'a>(
    start: &'a Integers<'_>,
    end: &'a Integers<'_>,
    offsets: &'a Integers<'_>,
) -> PyResult<Rows<'a>> {
    Ok(Rows {
        start: slice(start)?,
        end: slice(end)?,
        offsets: slice(offsets)?,
    })
}

/// Texts as Python passes them: their bytes, and the start of each, with the end of the last.
pub type TextArrays<'py> = (PyReadonlyArray1<'py, u8>, Integers<'py>);

/// Returns texts whose memory is borrowed.
pub fn borrowed_texts<'a>((bytes, offsets): &'a TextArrays<'_>) -> PyResult<text::Texts<'a>> {
    Ok(text::Texts {
        bytes: slice(bytes)?,
        offsets: slice(offsets)?,
    })
}

/// Texts of a batch.
pub type Texts<'a> = Vec<&'a str>;

/// Returns the texts that `offsets` delimit; `what` is the singular for messages.
pub fn texts<'a>(
    what: &str,
    bytes: &'a Bound<'_, PyBytes>,
    offsets: &[i64],
) -> PyResult<Texts<'a>> {
    let bytes = bytes.as_bytes();
    let text = |(index, bounds): (usize, &[i64])| {
        let text = &bytes[bounds[0] as usize..bounds[1] as usize];
        std::str::from_utf8(text)
            .map_err(|_| InputError::new_err(format!("{what} {index} is not UTF-8")))
    };
    offsets.windows(2).enumerate().map(text).collect()
}

/// Returns the length of `array`, if it would pass the checks in Python.
pub fn flat_length(array: &Bound<'_, PyAny>) -> Option<usize> {
    let array = array.cast_exact::<PyArray1<i64>>().ok()?;
    (array.is_c_contiguous() && array.data().is_aligned()).then(|| array.len())
}

/// Returns the number of rows that `offsets` delimit, if they delimit `length` values and would
/// pass the checks in Python.
pub fn row_count(offsets: &Bound<'_, PyAny>, length: usize) -> Option<usize> {
    let offsets = offsets
        .cast_exact::<PyArray1<i64>>()
        .ok()?
        .try_readonly()
        .ok()?;
    let offsets = offsets.as_slice().ok()?;
    let (&first, &last) = (offsets.first()?, offsets.last()?);
    let fit = first >= 0 && offsets.is_sorted() && last as u64 <= length as u64;
    fit.then(|| offsets.len() - 1)
}

/// Runs `kernel` on `size` values, without the GIL if that may take long.
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

/// Creates an array.
pub fn array<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    if values.len() < FEW {
        PyArray1::from_slice(py, &values)
    } else {
        values.into_pyarray(py)
    }
}

/// Creates the start and end arrays of a set of spans.
pub fn spans(py: Python<'_>, spans: Spans) -> (NewIntegers<'_>, NewIntegers<'_>) {
    (array(py, spans.start), array(py, spans.end))
}

/// Creates the start, end and offset arrays of many sets of spans.
pub fn batch(py: Python<'_>, batch: Batch) -> PyResult<Bound<'_, PyAny>> {
    static SPAN_BATCH: NamedTuple = NamedTuple::new("SpanBatch");
    let (start, end) = spans(py, batch.spans);
    SPAN_BATCH.of(py, (start, end, array(py, batch.offsets)))
}
