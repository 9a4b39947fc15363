//! `trajmeter.kernels._rust`: the kernels of `trajmeter-core` as a Python extension module.

mod errors;

use pyo3::prelude::*;

#[pymodule]
mod _rust {}
