//! `trajmeter.kernels._rust`: the kernels of `trajmeter-core` as a Python extension module.

mod arrays;
mod errors;
mod spans;

use pyo3::prelude::*;

#[pymodule]
mod _rust {
    #[pymodule_export]
    use crate::spans::measure;
}
