//! Bindings of the kernels that resample clusters.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::resampling;

use crate::arrays::{Floats, Integers, NewFloats, NewIntegers, run, slice};

#[pyfunction]
pub fn cluster_means<'py>(
    py: Python<'py>,
    sums: Floats<'py>,
    sizes: Integers<'py>,
    clusters: usize,
    figures: usize,
    seed: u64,
    resamples: usize,
) -> PyResult<NewFloats<'py>> {
    let (sums, sizes) = (slice(&sums)?, slice(&sizes)?);
    let work = clusters.saturating_mul(resamples);
    let means = run(py, work, || {
        resampling::cluster_means(sums, sizes, [clusters, figures], seed, resamples)
    })?;
    Ok(means.into_pyarray(py))
}

#[pyfunction]
pub fn sign_flips<'py>(
    py: Python<'py>,
    sums: Floats<'py>,
    tolerances: Floats<'py>,
    clusters: usize,
    figures: usize,
    seed: u64,
    resamples: usize,
) -> PyResult<NewIntegers<'py>> {
    let (sums, tolerances) = (slice(&sums)?, slice(&tolerances)?);
    let work = clusters.saturating_mul(resamples);
    let hits = run(py, work, || {
        resampling::sign_flips(sums, tolerances, [clusters, figures], seed, resamples)
    })?;
    Ok(hits.into_pyarray(py))
}
