//! Export of Arrow columns through the C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{ArrowError, Field};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::InternalError;

/// A batch of columns.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct Columns(pub StructArray);

#[pymethods]
impl Columns {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema; // the protocol lets a producer keep its own types
        array_capsules(py, &self.0)
    }
}

impl Columns {
    /// Creates a batch of named arrays of equal length.
    pub fn of(columns: Vec<(&str, ArrayRef)>) -> PyResult<Self> {
        let fields = columns
            .iter()
            .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
            .collect();
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        StructArray::try_new(fields, arrays, None)
            .map(Self)
            .map_err(|error| internal(&error))
    }
}

/// Returns the schema of the batch.
pub fn schema_capsule<'py>(
    py: Python<'py>,
    batch: &StructArray,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(batch.data_type()).map_err(|error| internal(&error))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Returns the schema and the memory of the batch.
pub fn array_capsules<'py>(
    py: Python<'py>,
    batch: &StructArray,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let array = FFI_ArrowArray::new(&batch.to_data());
    let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
    Ok((schema_capsule(py, batch)?, array))
}

pub fn internal(error: &ArrowError) -> PyErr {
    InternalError::new_err(error.to_string())
}
