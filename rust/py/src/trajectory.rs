//! Bindings of the trajectory kernels.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::trajectory::{self as core, Batch, KeyedSpans, Sizes};

use crate::arrays::{Integers, NewFloats, NewIntegers, run, slice};

type TrajectoryArrays<'py> = (
    NewIntegers<'py>,
    NewIntegers<'py>,
    NewIntegers<'py>,
    NewIntegers<'py>,
);
type TrajectoryFigureArrays<'py> = (NewFloats<'py>, NewFloats<'py>, NewFloats<'py>);

fn keyed<'a>(
    key: &'a Integers<'_>,
    start: &'a Integers<'_>,
    end: &'a Integers<'_>,
) -> PyResult<KeyedSpans<'a>> {
    Ok(KeyedSpans {
        key: slice(key)?,
        start: slice(start)?,
        end: slice(end)?,
    })
}

#[pyfunction]
#[allow(clippy::too_many_arguments)] // one flat array per column, as everywhere in the contract
pub fn trajectory<'py>(
    py: Python<'py>,
    key: Integers<'py>,
    start: Integers<'py>,
    end: Integers<'py>,
    step_offsets: Integers<'py>,
    trajectory_offsets: Integers<'py>,
    gold_key: Integers<'py>,
    gold_start: Integers<'py>,
    gold_end: Integers<'py>,
    gold_offsets: Integers<'py>,
) -> PyResult<TrajectoryArrays<'py>> {
    let batch = Batch {
        spans: keyed(&key, &start, &end)?,
        step_offsets: slice(&step_offsets)?,
        trajectory_offsets: slice(&trajectory_offsets)?,
        gold: keyed(&gold_key, &gold_start, &gold_end)?,
        gold_offsets: slice(&gold_offsets)?,
    };
    let steps = batch.steps();
    let mut size = vec![0; steps];
    let mut added = vec![0; steps];
    let mut gold_added = vec![0; steps];
    let mut gold_size = vec![0; batch.len()];
    let out = Sizes {
        size: &mut size,
        added: &mut added,
        gold_added: &mut gold_added,
        gold_size: &mut gold_size,
    };
    run(py, batch.weight(), || core::trajectory(&batch, out))?;
    Ok((
        size.into_pyarray(py),
        added.into_pyarray(py),
        gold_added.into_pyarray(py),
        gold_size.into_pyarray(py),
    ))
}

#[pyfunction]
pub fn trajectory_figures<'py>(
    py: Python<'py>,
    size: Integers<'py>,
    added: Integers<'py>,
    gold_added: Integers<'py>,
    gold_size: Integers<'py>,
    trajectory_offsets: Integers<'py>,
) -> PyResult<TrajectoryFigureArrays<'py>> {
    let (size, added, gold_added) = (slice(&size)?, slice(&added)?, slice(&gold_added)?);
    let (gold_size, trajectory_offsets) = (slice(&gold_size)?, slice(&trajectory_offsets)?);
    let figures = run(py, size.len() + gold_size.len(), || {
        Ok(core::trajectory_figures(
            size,
            added,
            gold_added,
            gold_size,
            trajectory_offsets,
        ))
    })?;
    Ok((
        figures.coverage.into_pyarray(py),
        figures.auc_coverage.into_pyarray(py),
        figures.redundancy.into_pyarray(py),
    ))
}
