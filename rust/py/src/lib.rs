//! `trajmeter.kernels._rust`: the kernels of `trajmeter-core` as a Python extension module.

#![allow(clippy::needless_pass_by_value)] // pyo3 hands arguments over by value

mod arrays;
mod errors;
mod spans;

use pyo3::prelude::*;

#[pymodule]
mod _rust {
    #[pymodule_export]
    use crate::spans::measure;
}
