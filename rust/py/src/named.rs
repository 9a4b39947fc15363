//! The named tuples of `trajmeter.kernels`, in which bindings return what has several parts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

/// A named tuple class, imported on first use.
pub struct NamedTuple {
    name: &'static str,
    class: PyOnceLock<Py<PyType>>,
}

/// `tuple.__new__`, which creates a named tuple without calling the class's own Python function.
static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

impl NamedTuple {
    /// Refers to the class `name` of `trajmeter.kernels`.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            class: PyOnceLock::new(),
        }
    }

    /// Creates an instance with these values, in the order of its fields.
    pub fn of<'py>(
        &self,
        py: Python<'py>,
        values: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.class.import(py, "trajmeter.kernels", self.name)?;
        let new = NEW.get_or_try_init(py, || {
            let new = py.get_type::<PyTuple>().getattr("__new__")?;
            PyResult::Ok(new.unbind())
        })?;
        new.bind(py).call1((class, values.into_pyobject(py)?))
    }
}
