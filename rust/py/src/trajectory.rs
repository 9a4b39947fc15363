//! Bindings of the trajectory kernels.

use pyo3::prelude::*;
use trajmeter_core::trajectory::{self as core, Batch, KeyedSpans, Sizes};

use crate::arrays::{Integers, array, flat_length, row_count, run, slice};
use crate::named::NamedTuple;

static TRAJECTORY_ARRAYS: NamedTuple = NamedTuple::new("TrajectoryArrays");
static FIGURE_ARRAYS: NamedTuple = NamedTuple::new("TrajectoryFigureArrays");

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

/// Returns whether the arguments of [`trajectory`] are obviously valid. Then the checks in Python,
/// which cost more than a small trajectory, are unnecessary.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of `trajectory`")]
pub fn trajectory_fits(
    key: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    end: &Bound<'_, PyAny>,
    step_offsets: &Bound<'_, PyAny>,
    trajectory_offsets: &Bound<'_, PyAny>,
    gold_key: &Bound<'_, PyAny>,
    gold_start: &Bound<'_, PyAny>,
    gold_end: &Bound<'_, PyAny>,
    gold_offsets: &Bound<'_, PyAny>,
) -> bool {
    let length = |columns: [&Bound<'_, PyAny>; 3]| {
        let [key, start, end] = columns.map(flat_length);
        start.filter(|_| key == start && end == start)
    };
    let rows = || {
        let steps = row_count(step_offsets, length([key, start, end])?)?;
        let trajectories = row_count(trajectory_offsets, steps)?;
        let gold = length([gold_key, gold_start, gold_end])?;
        (row_count(gold_offsets, gold)? == trajectories).then_some(())
    };
    rows().is_some()
}

#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "one flat array per column, as everywhere in the contract"
)]
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
) -> PyResult<Bound<'py, PyAny>> {
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
    TRAJECTORY_ARRAYS.of(
        py,
        (
            array(py, size),
            array(py, added),
            array(py, gold_added),
            array(py, gold_size),
        ),
    )
}

#[pyfunction]
pub fn trajectory_figures<'py>(
    py: Python<'py>,
    size: Integers<'py>,
    added: Integers<'py>,
    gold_added: Integers<'py>,
    gold_size: Integers<'py>,
    trajectory_offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyAny>> {
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
    FIGURE_ARRAYS.of(
        py,
        (
            array(py, figures.coverage),
            array(py, figures.auc_coverage),
            array(py, figures.redundancy),
        ),
    )
}
