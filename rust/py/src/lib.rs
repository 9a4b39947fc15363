//! `trajmeter.kernels._rust`: the kernels of `trajmeter-core` as a Python extension module.

#![allow(clippy::needless_pass_by_value)] // pyo3 hands arguments over by value

mod arrays;
mod errors;
mod spans;

use pyo3::prelude::*;

#[pymodule]
mod _rust {
    /// Whether the compiler optimised: a debug build computes the same, far more slowly.
    #[pymodule_export]
    const OPTIMISED: bool = !cfg!(debug_assertions);

    #[pymodule_export]
    use crate::spans::measure;
}
