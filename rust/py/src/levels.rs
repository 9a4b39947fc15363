//! Binding of the level advantages.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use trajmeter_core::levels::{self, Alphabet, Figures, Names, Ratios};

use crate::arrays::{Floats, Integers, run, slice};
use crate::named::NamedTuple;

static LEVEL_ARRAYS: NamedTuple = NamedTuple::new("LevelArrays");

#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one flat array per column")]
pub fn level_advantages<'py>(
    py: Python<'py>,
    names: &[u8],
    name_offsets: Integers<'py>,
    capitals: &str,
    blanks: &str,
    benchmark: Integers<'py>,
    agent: Floats<'py>,
    oracle: Floats<'py>,
    offsets: Integers<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let names = Names {
        text: names,
        offsets: slice(&name_offsets)?,
    };
    let ratios = Ratios {
        benchmark: slice(&benchmark)?,
        agent: slice(&agent)?,
        oracle: slice(&oracle)?,
        offsets: slice(&offsets)?,
    };
    let size = names.offsets.len() + ratios.benchmark.len() + ratios.offsets.len();
    let figures = run(py, size, || {
        levels::level_advantages(&names, &Alphabet::new(capitals, blanks), &ratios)
    })?;
    let floats = |figure: fn(&Figures) -> f64| {
        let column: Vec<_> = figures.iter().map(figure).collect();
        column.into_pyarray(py)
    };
    let valid: Vec<_> = figures.iter().map(|figures| figures.valid).collect();
    LEVEL_ARRAYS.of(
        py,
        (
            valid.into_pyarray(py),
            floats(|figures| figures.speedup),
            floats(|figures| figures.advantage[0]),
            floats(|figures| figures.advantage[1]),
            floats(|figures| figures.advantage[2]),
            floats(|figures| figures.advantage[3]),
        ),
    )
}
