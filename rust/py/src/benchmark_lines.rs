//! Binding of the reader of benchmark rows on lines of JSON.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::speedup::{Attempt, Layout, Lines};

use crate::arrays::run;
use crate::columns::Columns;
use crate::speedup::json;

const IDENTITY: [&str; 4] = ["task_id", "agent", "model", "attempt"];

/// Gathers rows of benchmarks into attempts, a block of lines at a time.
#[pyclass(module = "trajmeter.kernels._rust")]
pub struct BenchmarkLines(Lines);

#[pymethods]
impl BenchmarkLines {
    #[new]
    fn new(fields: Vec<(String, String, bool)>, about: Vec<String>, foreign: Vec<String>) -> Self {
        let [task, agent, model, attempt] = IDENTITY.map(str::to_owned);
        Self(Lines::new(Layout {
            names: [task, agent, model, attempt, "benchmark".to_owned()],
            fields,
            about,
            foreign,
        }))
    }

    /// Reads a block; returns the number of the line after it, or `None` if the file is left to the
    /// record form.
    fn read(
        &mut self,
        py: Python<'_>,
        block: &Bound<'_, PyBytes>,
        line: i64,
    ) -> PyResult<Option<i64>> {
        let block = block.as_bytes();
        run(py, block.len(), || Ok(self.0.read(block, line)))
    }

    /// Returns the attempts without their tables; `None` if the file is left to the record form.
    fn attempts(&self) -> PyResult<Option<Columns>> {
        if !self.0.are_distinct() {
            return Ok(None);
        }
        let attempts = self.0.attempts();
        let names = |place: usize| -> ArrayRef {
            let name = |attempt: &Attempt<'static>| attempt.identity[place].clone();
            Arc::new(attempts.iter().map(name).collect::<StringArray>())
        };
        let lines = attempts.iter().map(|attempt| attempt.line);
        let sizes = attempts.iter().map(|attempt| attempt.size() as i64);
        let mut columns: Vec<(&str, ArrayRef)> = (0..IDENTITY.len())
            .map(|place| (IDENTITY[place], names(place)))
            .collect();
        columns.push(("line", Arc::new(lines.collect::<Int64Array>())));
        columns.push(("size", Arc::new(sizes.collect::<Int64Array>())));
        for (place, name) in self.0.about().iter().enumerate() {
            let value = |attempt: &Attempt<'static>| attempt.about[place].clone();
            columns.push((
                name,
                Arc::new(attempts.iter().map(value).collect::<StringArray>()),
            ));
        }
        Columns::of(columns).map(Some)
    }

    /// Returns and frees the tables of the attempts from `start` to before `stop`.
    fn take_tables(&mut self, start: usize, stop: usize) -> PyResult<Columns> {
        let (text, lengths) = self.0.take_tables(start..stop);
        Columns::of(vec![("ratios_by_agent", json(text, &lengths)?)])
    }
}
