//! Bindings of the exact sums and the histograms.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::exact::{self, Column, Place};
use trajmeter_core::histograms::histograms as count_buckets;

use crate::arrays::{Flags, Floats, Integers, NewFloats, NewIntegers, run, slice};

/// Exponent and sums of each place.
type NewPlaces<'py> = Vec<(i64, NewIntegers<'py>)>;

/// Returns the sums of some slots, place by place; see `trajmeter.statistics.exact_sums`.
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

/// Returns counts and sums of columns by group; see `trajmeter.statistics.counted_sums`.
#[pyfunction]
pub fn counted_sums<'py>(
    py: Python<'py>,
    columns: Vec<(Floats<'py>, Flags<'py>)>,
    rows: Integers<'py>,
    groups: usize,
) -> PyResult<(NewIntegers<'py>, NewPlaces<'py>)> {
    let rows = slice(&rows)?;
    let columns = columns
        .iter()
        .map(|(values, counted)| {
            let (values, counted) = (slice(values)?, slice(counted)?);
            Ok(Column { values, counted })
        })
        .collect::<PyResult<Vec<_>>>()?;
    let found = run(py, rows.len(), || {
        exact::counted_sums(&columns, rows, groups)
    })?;
    let places = new_places(py, found.places);
    Ok((found.counts.into_pyarray(py), places))
}

/// Returns the positions of each slot, and where they begin; see
/// `trajmeter.statistics.exact_moments`.
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

/// Sums of units; see `trajmeter.statistics.exact_moments`.
#[pyclass(module = "trajmeter.kernels._rust")]
#[derive(Default)]
pub struct Moments(exact::Moments);

#[pymethods]
impl Moments {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds the numbers of slots to their units; returns the count and the greatest magnitude of
    /// each slot.
    #[pyo3(signature = (values, order, offsets, units, *, squares))]
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        values: Floats<'py>,
        order: Integers<'py>,
        offsets: Integers<'py>,
        units: Integers<'py>,
        squares: bool,
    ) -> PyResult<(NewIntegers<'py>, NewFloats<'py>)> {
        let (values, units) = (slice(&values)?, slice(&units)?);
        let (order, offsets) = (slice(&order)?, slice(&offsets)?);
        let found = run(py, values.len(), || {
            self.0.add(values, order, offsets, units, squares)
        })?;
        Ok((
            found.counts.into_pyarray(py),
            found.greatest.into_pyarray(py),
        ))
    }

    /// Returns the sum of each of some units, as a float and its rounding error.
    #[pyo3(signature = (units, *, squares))]
    fn doubles<'py>(
        &self,
        py: Python<'py>,
        units: Integers<'py>,
        squares: bool,
    ) -> PyResult<(NewFloats<'py>, NewFloats<'py>)> {
        let units = slice(&units)?;
        let found = run(py, units.len(), || {
            Ok(self.unit_sums(squares).doubles(units))
        })?;
        Ok((found.high.into_pyarray(py), found.low.into_pyarray(py)))
    }

    /// Returns the total of some units, as exponents of powers of 2 and their multiples.
    #[pyo3(signature = (units, *, squares))]
    fn total(
        &self,
        py: Python<'_>,
        units: Integers<'_>,
        squares: bool,
    ) -> PyResult<Vec<(i64, i128)>> {
        let units = slice(&units)?;
        run(py, units.len(), || Ok(self.unit_sums(squares).total(units)))
    }
}

impl Moments {
    fn unit_sums(&self, squares: bool) -> &exact::UnitSums {
        if squares {
            &self.0.squares
        } else {
            &self.0.sums
        }
    }
}

/// Returns the codes, counts, least and greatest values of buckets; see
/// `trajmeter.statistics.histograms`.
#[pyfunction]
pub fn histograms<'py>(
    py: Python<'py>,
    values: Floats<'py>,
    offsets: Integers<'py>,
) -> PyResult<(
    NewIntegers<'py>,
    NewIntegers<'py>,
    NewFloats<'py>,
    NewFloats<'py>,
)> {
    let (values, offsets) = (slice(&values)?, slice(&offsets)?);
    let found = run(py, values.len(), || count_buckets(values, offsets))?;
    Ok((
        found.codes.into_pyarray(py),
        found.counts.into_pyarray(py),
        found.least.into_pyarray(py),
        found.greatest.into_pyarray(py),
    ))
}

fn new_places(py: Python<'_>, places: Vec<Place>) -> NewPlaces<'_> {
    places
        .into_iter()
        .map(|place| (place.exponent, place.sums.into_pyarray(py)))
        .collect()
}
