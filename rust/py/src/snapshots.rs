//! Binding of the reader of snapshots.

use std::borrow::Cow;
use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use trajmeter_core::snapshots;

use crate::arrays::{NewIntegers, array, run};

type Names<'py> = Bound<'py, PyTuple>;
/// Where lines or definitions begin among those of all files, and where they end.
type Place = (usize, usize);
type NewFile<'py> = (
    Bound<'py, PyString>,
    i64,
    Place,
    Option<(Place, Names<'py>, Names<'py>)>,
);
type NewSnapshot<'py> = (
    Option<Cow<'py, str>>,
    Option<Cow<'py, str>>,
    (NewIntegers<'py>, NewIntegers<'py>, NewIntegers<'py>),
    Vec<NewFile<'py>>,
);

/// Reads a line of a file of snapshots; `None` where it is not certain what the line says.
#[pyfunction]
pub fn read_snapshot<'py>(
    py: Python<'py>,
    line: &'py Bound<'py, PyBytes>,
) -> PyResult<Option<NewSnapshot<'py>>> {
    let line = line.as_bytes();
    let Some(read) = run(py, line.len(), || Ok(snapshots::read(line)))? else {
        return Ok(None);
    };
    let known = read.definitions;
    // A few kinds make up most definitions.
    let mut kinds: HashMap<&str, Bound<'py, PyString>> = HashMap::new();
    let mut files = Vec::with_capacity(read.files.len());
    for file in read.files {
        let definitions = file.definitions.map(|of| {
            let kind = known.kind[of.clone()].iter().map(|kind| {
                let text = kinds.entry(kind);
                text.or_insert_with(|| PyString::new(py, kind)).clone()
            });
            let kind = PyTuple::new(py, kind)?;
            let name = PyTuple::new(py, known.name[of.clone()].iter().map(Option::as_deref))?;
            PyResult::Ok(((of.start, of.end), kind, name))
        });
        files.push((
            PyString::new(py, &file.path),
            file.size,
            (file.lines.start, file.lines.end),
            definitions.transpose()?,
        ));
    }
    let columns = (
        array(py, read.line_starts),
        array(py, known.start),
        array(py, known.end),
    );
    Ok(Some((read.repo, read.commit, columns, files)))
}
