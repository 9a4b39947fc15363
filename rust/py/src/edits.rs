//! Binding of the comparison of edited lines.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};
use trajmeter_core::Error;
use trajmeter_core::edits::{EditGold, Ranges, compare_all};

use crate::arrays::{Integers, NewIntegers, array, run, slice, texts};
use crate::attributes::integer;

/// Creates the gold of a task, with which patches are compared; see the twin.
#[pyfunction]
pub fn edit_gold(patch: &str, ranges: Bound<'_, PyMapping>) -> PyResult<EditGoldKernel> {
    let mut known: Vec<(Box<str>, Ranges)> = Vec::with_capacity(ranges.len()?);
    for entry in ranges.items()? {
        let (file, lines): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
        // A path that is not UTF-8 is in no patch of a batch.
        if let Ok(file) = file.extract::<String>() {
            let mut held = Ranges::with_capacity(1);
            for range in lines.try_iter()? {
                held.push(bounded(&range?)?);
            }
            known.push((file.into(), held));
        }
    }
    Ok(EditGoldKernel(EditGold::new(patch, known.into_iter())))
}

fn bounded(range: &Bound<'_, PyAny>) -> PyResult<(i64, i64)> {
    let (first, last): (Bound<'_, PyAny>, Bound<'_, PyAny>) = range.extract()?;
    Ok((integer(&first)?, integer(&last)?))
}

/// The gold of a task, with which patches are compared.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct EditGoldKernel(EditGold);

#[pymethods]
impl EditGoldKernel {
    /// Number of lines that the gold patch edits.
    #[getter]
    fn size(&self) -> i64 {
        self.0.size()
    }

    /// Returns the counts of one patch.
    fn compare(&self, py: Python<'_>, patch: &str) -> PyResult<(i64, i64, i64, i64, i64)> {
        run(py, patch.len(), || Ok(self.0.compare(patch).into()))
    }
}

/// Compares many patches with the gold of their tasks; see the twin.
#[pyfunction]
pub fn edit_counts<'py>(
    py: Python<'py>,
    tasks: Vec<Bound<'py, EditGoldKernel>>,
    task: Integers<'py>,
    patches: (Bound<'py, PyBytes>, Integers<'py>),
) -> PyResult<NewIntegers<'py>> {
    let golds: Vec<&EditGold> = tasks.iter().map(|task| &task.get().0).collect();
    let task = slice(&task)?;
    let patches = texts("patch", &patches.0, slice(&patches.1)?)?;
    let counts = run(py, patches.iter().map(|patch| patch.len()).sum(), || {
        let count = golds.len() as i64;
        if let Some(index) = task.iter().position(|&task| task < -1 || task >= count) {
            return Err(Error::Choice {
                what: "task",
                index,
                value: task[index],
                low: -1,
                high: Some(count - 1),
            });
        }
        let gold_of = |&task: &i64| usize::try_from(task).ok().map(|task| golds[task]);
        let pairs = task.iter().map(gold_of).zip(patches);
        Ok(compare_all(pairs.map(|(gold, patch)| Some((gold?, patch)))))
    })?;
    Ok(array(py, counts))
}
