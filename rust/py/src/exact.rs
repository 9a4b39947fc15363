//! Binding of the exact sums.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::exact::{self, Place};

use crate::arrays::{Floats, Integers, NewFloats, NewIntegers, run, slice};

/// Sums of a place, by its exponent.
type NewPlaces<'py> = Vec<(i64, NewIntegers<'py>)>;

/// The sums of some slots, place by place; see `trajmeter.statistics.exact_sums`.
#[pyfunction]
#[pyo3(signature = (values, slots, size, *, squared))]
pub fn exact_sums<'py>(
    py: Python<'py>,
    values: Floats<'py>,
    slots: Integers<'py>,
    size: usize,
    squared: bool,
) -> PyResult<NewPlaces<'py>> {
    let (values, slots) = (slice(&values)?, slice(&slots)?);
    let places = run(py, values.len(), || {
        exact::exact_sums(values, slots, size, squared)
    })?;
    Ok(new_places(py, places))
}

/// Positions of each slot, and where they begin; see `trajmeter.statistics.exact_moments`.
#[pyfunction]
pub fn slot_order<'py>(
    py: Python<'py>,
    slots: Integers<'py>,
    size: usize,
) -> PyResult<(NewIntegers<'py>, NewIntegers<'py>)> {
    let slots = slice(&slots)?;
    let found = run(py, slots.len(), || exact::slot_order(slots, size))?;
    Ok((found.order.into_pyarray(py), found.offsets.into_pyarray(py)))
}

/// Counts, greatest sizes and sums of slots; see `trajmeter.statistics.exact_moments`.
#[pyfunction]
#[pyo3(signature = (values, order, offsets, *, squares))]
#[allow(clippy::type_complexity)] // a tuple of arrays
pub fn exact_moments<'py>(
    py: Python<'py>,
    values: Floats<'py>,
    order: Integers<'py>,
    offsets: Integers<'py>,
    squares: bool,
) -> PyResult<(
    NewIntegers<'py>,
    NewFloats<'py>,
    NewPlaces<'py>,
    NewPlaces<'py>,
)> {
    let (values, order, offsets) = (slice(&values)?, slice(&order)?, slice(&offsets)?);
    let found = run(py, values.len(), || {
        exact::exact_moments(values, order, offsets, squares)
    })?;
    Ok((
        found.counts.into_pyarray(py),
        found.greatest.into_pyarray(py),
        new_places(py, found.sums),
        new_places(py, found.squares),
    ))
}

fn new_places(py: Python<'_>, places: Vec<Place>) -> NewPlaces<'_> {
    places
        .into_iter()
        .map(|place| (place.exponent, place.sums.into_pyarray(py)))
        .collect()
}
