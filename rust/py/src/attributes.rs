//! Records of Python, read by the names of their attributes.

use pyo3::exceptions::PyOverflowError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use trajmeter_core::context::Extent;

use crate::errors::InputError;

/// Numbers beyond 64 bits stand for this one, or its negative.
const LARGEST: i64 = i64::MAX;

/// The attributes of a record.
///
/// A pydantic model keeps its fields in `__dict__`, where they are found in a quarter of the time
/// that asking the model takes. What is not there is asked of the object.
pub struct Attributes<'py> {
    object: Bound<'py, PyAny>,
    fields: Option<Bound<'py, PyDict>>,
}

impl<'py> Attributes<'py> {
    /// The attributes of `object`.
    pub fn of(object: Bound<'py, PyAny>) -> PyResult<Self> {
        let fields = object
            .getattr_opt(intern!(object.py(), "__dict__"))?
            .and_then(|fields| fields.cast_into::<PyDict>().ok());
        Ok(Self { object, fields })
    }

    /// The attribute `name`.
    pub fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(fields) = &self.fields {
            if let Some(value) = fields.get_item(name)? {
                return Ok(value);
            }
        }
        self.object.getattr(name)
    }
}

/// What the numbers of a view count.
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

/// A number of a view, if there is one.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if value.is_none() {
        return Ok(None);
    }
    integer(value).map(Some)
}

/// A number, kept within 64 bits.
pub fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    match value.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Ok(if value.lt(0)? { -LARGEST } else { LARGEST })
        }
        result => result,
    }
}
