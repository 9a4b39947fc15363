//! Attributes of Python records, read by name.

use pyo3::exceptions::PyOverflowError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use trajmeter_core::context::Extent;

use crate::errors::InputError;

/// Greatest number: larger ones are clamped to it, or to its negative.
const LARGEST: i64 = i64::MAX;

/// The attributes of a record.
///
/// A pydantic model keeps its fields in `__dict__`, where a lookup takes a quarter of the time of
/// an attribute access. Other attributes are read from the object.
pub struct Attributes<'py> {
    object: Bound<'py, PyAny>,
    fields: Option<Bound<'py, PyDict>>,
}

impl<'py> Attributes<'py> {
    /// Creates the reader of an object's attributes.
    pub fn of(object: Bound<'py, PyAny>) -> PyResult<Self> {
        let fields = object
            .getattr_opt(intern!(object.py(), "__dict__"))?
            .and_then(|fields| fields.cast_into::<PyDict>().ok());
        Ok(Self { object, fields })
    }

    /// Returns the attribute `name`.
    pub fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(fields) = &self.fields {
            if let Some(value) = fields.get_item(name)? {
                return Ok(value);
            }
        }
        self.object.getattr(name)
    }
}

/// Returns the extent that the numbers of a view have.
pub fn extent(value: &Bound<'_, PyAny>) -> PyResult<Extent> {
    let text = value.cast::<PyString>()?;
    match text.to_str()? {
        "lines" => Ok(Extent::Lines),
        "bytes" => Ok(Extent::Bytes),
        "whole" => Ok(Extent::Whole),
        "unknown" => Ok(Extent::Unknown),
        other => Err(InputError::new_err(format!(
            "the extent of a view is {other}, expected lines, bytes, whole or unknown"
        ))),
    }
}

/// Returns a number of a view, if there is one.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if value.is_none() {
        return Ok(None);
    }
    integer(value).map(Some)
}

/// Returns a number, clamped to 64 bits.
pub fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    match value.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Ok(if value.lt(0)? { -LARGEST } else { LARGEST })
        }
        result => result,
    }
}
