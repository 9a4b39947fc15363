//! Bindings of the speedups of many attempts.

mod arrow;
mod rows;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use arrow_buffer::NullBuffer;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::levels::{Alphabet, Figures};
use trajmeter_core::speedup::{
    Files, Keys, Plan, Rules, Scores, Tables, Trials, scores, tables_as_text,
};

pub use arrow::json;
use arrow::{benchmarks, invalid};
use rows::{HeldRows, RowColumns};

use crate::arrays::{Flags, Integers, NewIntegers, TextArrays, borrowed_texts, run, slice};
use crate::columns::Columns;

/// The tables of benchmarks of many attempts.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct SpeedupTables {
    tables: Tables,
    of_row: Vec<i64>,
    uncertain: Vec<bool>,
    is_merged: bool,
}

#[pymethods]
impl SpeedupTables {
    #[new]
    #[pyo3(signature = (
        named, unnamed, rows, is_measured, keys, own, last, offsets, members, scored, *, merged
    ))]
    #[expect(clippy::too_many_arguments, reason = "one flat array per column")]
    fn new(
        py: Python<'_>,
        named: TextArrays<'_>,
        unnamed: TextArrays<'_>,
        rows: RowColumns<'_>,
        is_measured: Flags<'_>,
        keys: Vec<String>,
        own: Integers<'_>,
        last: Integers<'_>,
        offsets: Integers<'_>,
        members: Integers<'_>,
        scored: Integers<'_>,
        merged: bool,
    ) -> PyResult<Self> {
        let held = HeldRows::new(&rows)?;
        let fields = held.fields()?;
        let files = Files {
            named: borrowed_texts(&named)?,
            unnamed: borrowed_texts(&unnamed)?,
            rows: held.rows(&fields)?,
            is_measured: slice(&is_measured)?,
            keys: Keys {
                names: &keys,
                own: slice(&own)?,
                last: slice(&last)?,
            },
        };
        let trials = Trials {
            offsets: slice(&offsets)?,
            members: slice(&members)?,
            scored: slice(&scored)?,
        };
        let size = files.named.bytes.len() + files.unnamed.bytes.len() + files.rows.benchmark.len();
        let (tables, of_row, uncertain) = run(py, size, || Ok(files.tables(&trials, merged)))?;
        Ok(Self {
            tables,
            of_row,
            uncertain,
            is_merged: merged,
        })
    }

    /// The names of all benchmarks as UTF-8, one after another.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.tables.names.concat().as_bytes())
    }

    /// Index of each attempt's table; -1 for none.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        self.of_row.clone().into_pyarray(py)
    }

    /// Number of benchmarks of each table.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let sizes = self.tables.iter().map(|table| table.len() as i64);
        sizes.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Number of benchmarks of each table that are objects.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let objects = self.tables.iter().map(|table| {
            let objects = table.iter().filter(|entry| entry.is_object);
            objects.count() as i64
        });
        objects.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Whether each trial is left to the record form.
    #[getter]
    fn uncertain<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<bool>> {
        self.uncertain.clone().into_pyarray(py)
    }

    fn score(
        &self,
        py: Python<'_>,
        table: Integers<'_>,
        is_reverted: Flags<'_>,
        has_oracle: Flags<'_>,
        capitals: &str,
        blanks: &str,
    ) -> PyResult<Columns> {
        let plan = Plan {
            table: slice(&table)?,
            is_reverted: slice(&is_reverted)?,
            has_oracle: slice(&has_oracle)?,
        };
        let alphabet = Alphabet::new(capitals, blanks);
        let rules = Rules {
            is_merged: self.is_merged,
            alphabet: &alphabet,
        };
        let size = self.tables.iter().map(<[_]>::len).sum();
        let scores = run(py, size, || scores(&self.tables, &plan, rules))?;
        self.columns(scores)
    }
}

impl SpeedupTables {
    fn columns(&self, scores: Scores) -> PyResult<Columns> {
        let names = &self.tables.names;
        let floats = |figure: fn(&Figures) -> f64| -> ArrayRef {
            let value = |row| Some(figure(row)).filter(|value| !value.is_nan());
            Arc::new(scores.levels.iter().map(value).collect::<Float64Array>())
        };
        let valid: Vec<_> = scores.levels.iter().map(|figures| figures.valid).collect();
        let speedup = floats(|row| row.speedup);
        let [level_1, level_2, level_3, level_4] = [
            floats(|row| row.advantage[0]),
            floats(|row| row.advantage[1]),
            floats(|row| row.advantage[2]),
            floats(|row| row.advantage[3]),
        ];
        let worst = scores.worst_benchmark.iter();
        let worst = worst.map(|&name| usize::try_from(name).ok().map(|name| &names[name]));
        let worst_benchmark: StringArray = worst.clone().collect();
        let worst_nulls: NullBuffer = worst.map(|name| name.is_some()).collect();
        let invalid = invalid(names, &scores)?;
        let worst = Float64Array::new(scores.worst.into(), Some(worst_nulls.clone()));
        let regressions = Int64Array::new(scores.regressions.into(), Some(worst_nulls));
        let sizes = scores.size.clone();
        Columns::of(vec![
            ("num_valid_benchmarks", Arc::new(Int64Array::from(valid))),
            ("task_speedup", speedup),
            ("agent_advantage_level1", level_1),
            ("agent_advantage_level2", level_2),
            ("agent_advantage_level3", level_3),
            ("agent_advantage_level4", level_4),
            ("num_benchmarks", Arc::new(Int64Array::from(scores.size))),
            ("worst_speedup", Arc::new(worst)),
            ("worst_benchmark", Arc::new(worst_benchmark)),
            ("num_regressions", Arc::new(regressions)),
            (
                "is_without_oracle",
                Arc::new(BooleanArray::from(scores.is_without_oracle)),
            ),
            (
                "has_reverted",
                Arc::new(BooleanArray::from(scores.has_reverted)),
            ),
            ("invalid_benchmarks", invalid),
            (
                "per_benchmark_speedups",
                benchmarks(scores.benchmarks, &sizes)?,
            ),
        ])
    }
}

/// Writes the table of benchmarks of each attempt as JSON.
#[pyfunction]
pub fn speedup_tables_as_text<'py>(
    py: Python<'py>,
    rows: RowColumns<'py>,
    keys: Vec<String>,
    key: Integers<'py>,
) -> PyResult<Columns> {
    let held = HeldRows::new(&rows)?;
    let fields = held.fields()?;
    let (rows, key) = (held.rows(&fields)?, slice(&key)?);
    let (text, lengths) = run(py, rows.benchmark.len(), || {
        Ok(tables_as_text(&rows, &keys, key))
    })?;
    Columns::of(vec![("ratios_by_agent", json(text, &lengths)?)])
}
