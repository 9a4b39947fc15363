//! Binding of the reader of snapshots.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use trajmeter_core::snapshots::{self, FileLine};

use crate::arrays::{NewIntegers, array, run};

type NewDefinitions<'py> = (
    Bound<'py, PyTuple>,
    NewIntegers<'py>,
    NewIntegers<'py>,
    Bound<'py, PyTuple>,
);
type NewFile<'py> = (String, i64, NewIntegers<'py>, Option<NewDefinitions<'py>>);
type NewSnapshot<'py> = (Option<String>, Option<String>, Vec<NewFile<'py>>);

/// Reads a line of a file of snapshots; `None` where it is not certain what the line says.
#[pyfunction]
pub fn read_snapshot<'py>(
    py: Python<'py>,
    line: &Bound<'py, PyBytes>,
) -> PyResult<Option<NewSnapshot<'py>>> {
    let line = line.as_bytes();
    let Some(read) = run(py, line.len(), || Ok(snapshots::read(line)))? else {
        return Ok(None);
    };
    let files = read.files.into_iter();
    let files: PyResult<Vec<_>> = files.map(|(path, known)| file(py, path, known)).collect();
    Ok(Some((read.repo, read.commit, files?)))
}

fn file(py: Python<'_>, path: String, known: FileLine) -> PyResult<NewFile<'_>> {
    let definitions = known.definitions.map(|definitions| {
        let mut kinds = Vec::with_capacity(definitions.len());
        let mut names = Vec::with_capacity(definitions.len());
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for (kind, start, end, name) in definitions {
            kinds.push(kind);
            names.push(name);
            starts.push(start);
            ends.push(end);
        }
        PyResult::Ok((
            PyTuple::new(py, kinds)?,
            array(py, starts),
            array(py, ends),
            PyTuple::new(py, names)?,
        ))
    });
    let line_starts = array(py, known.line_starts);
    Ok((path, known.size, line_starts, definitions.transpose()?))
}
