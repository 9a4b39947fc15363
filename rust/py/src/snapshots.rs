//! Binding of the reader for files of snapshots.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use trajmeter_core::context::{Rules, Tables};
use trajmeter_core::snapshots::{self, Named, SnapshotLine};

use crate::arrays::{NewIntegers, array, run};

type Names<'py> = Bound<'py, PyTuple>;
/// Kind, start, end and name of the definitions of a file.
type Definitions<'py> = (Names<'py>, NewIntegers<'py>, NewIntegers<'py>, Names<'py>);
type FileRow<'py> = (i64, NewIntegers<'py>, Option<Definitions<'py>>);
/// Repository, commit and files.
type Snapshot = (Option<String>, Option<String>, SnapshotFiles);

/// Reads a line of a file of snapshots; `None` if it is left to Python.
#[pyfunction]
pub fn read_snapshot(py: Python<'_>, line: &Bound<'_, PyBytes>) -> PyResult<Option<Snapshot>> {
    let line = line.as_bytes();
    let read = run(py, line.len(), || Ok(snapshots::read(line)))?;
    Ok(read.map(|mut read| (read.repo.take(), read.commit.take(), SnapshotFiles(read))))
}

/// The files of a line of snapshots.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct SnapshotFiles(SnapshotLine);

#[pymethods]
impl SnapshotFiles {
    /// Paths of the files, in the order of the line.
    fn paths<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyString>> {
        let files = self.0.files.iter();
        files.map(|file| PyString::new(py, &file.path)).collect()
    }

    /// Number of lines and of definitions in all files.
    fn totals(&self) -> (usize, usize) {
        self.0.totals()
    }

    /// Size, line starts and definitions of a file.
    fn file<'py>(&self, py: Python<'py>, index: usize) -> PyResult<FileRow<'py>> {
        let definitions = self.0.definitions(index).map(|known| {
            let kinds = known.kinds();
            let kind = known.kind().iter().map(|&kind| &kinds[kind]);
            PyResult::Ok((
                PyTuple::new(py, kind.collect::<Vec<_>>())?,
                array(py, known.start.to_vec()),
                array(py, known.end.to_vec()),
                PyTuple::new(py, known.names())?,
            ))
        });
        Ok((
            self.0.files[index].size,
            array(py, self.0.line_starts(index).to_vec()),
            definitions.transpose()?,
        ))
    }

    /// Whether the definitions of a file are known.
    fn has_definitions(&self, index: usize) -> bool {
        self.0.definitions(index).is_some()
    }

    /// The tables of a file; `None` if its definitions have to be sorted first.
    #[pyo3(signature = (index, *, keep_empty))]
    fn tables(slf: Py<Self>, index: usize, keep_empty: bool) -> Option<SnapshotTables> {
        let known = slf.get().0.definitions(index);
        let is_plain = known.is_none_or(|known| known.are_in_order(keep_empty));
        is_plain.then(|| SnapshotTables {
            files: slf,
            index,
            named: OnceLock::new(),
        })
    }
}

/// The tables of a file of a snapshot.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct SnapshotTables {
    files: Py<SnapshotFiles>,
    index: usize,
    named: OnceLock<Named>,
}

#[pymethods]
impl SnapshotTables {
    /// Size in bytes.
    #[getter]
    fn size(&self) -> i64 {
        self.line().files[self.index].size
    }

    /// First byte of each line.
    #[getter]
    fn line_starts<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        array(py, self.line().line_starts(self.index).to_vec())
    }

    /// First byte of each definition.
    #[getter]
    fn definition_start<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let known = self.line().definitions(self.index);
        array(py, known.map_or(&[][..], |known| known.start).to_vec())
    }

    /// Byte after the last of each definition.
    #[getter]
    fn definition_end<'py>(&self, py: Python<'py>) -> NewIntegers<'py> {
        let known = self.line().definitions(self.index);
        array(py, known.map_or(&[][..], |known| known.end).to_vec())
    }

    /// Indices of the definitions with this name or, if none, with the part after its last dot.
    fn named(&self, name: &Bound<'_, PyString>) -> PyResult<Vec<i64>> {
        let known = self.line().definitions(self.index);
        let named = self
            .named
            .get_or_init(|| known.map_or_else(Named::default, |known| known.by_name()));
        // A name that is not UTF-8 matches no definition, but the part after its last dot may.
        let find = |name: &Bound<'_, PyAny>| named.get(name.extract::<&str>().ok()?).cloned();
        let name = name.call_method0("strip")?;
        if let Some(found) = find(&name) {
            return Ok(found);
        }
        let behind = name.call_method1("rpartition", (".",))?.get_item(2)?;
        Ok(find(&behind).unwrap_or_default())
    }
}

impl SnapshotTables {
    /// The tables in the kernel's form, and their numbers of lines and of definitions.
    pub fn compiled(&self, rules: Rules) -> (Tables, usize, usize) {
        let line = self.line();
        let definitions = line.definitions(self.index);
        (
            line.tables(self.index, rules),
            line.line_starts(self.index).len(),
            definitions.map_or(0, |known| known.start.len()),
        )
    }

    fn line(&self) -> &SnapshotLine {
        &self.files.get().0
    }
}
