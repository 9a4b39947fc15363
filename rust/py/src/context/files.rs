//! The files that paths in logs refer to, shared by the tasks of one repository.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trajmeter_core::context::{File, Finder, Rules, Search, Tables};

use crate::arrays::{Integers, slice};
use crate::snapshots::SnapshotTables;

/// Creates an empty collection of files; see the twin.
#[pyfunction]
#[pyo3(signature = (resolve, rules, listing=None))]
pub fn context_files(
    py: Python<'_>,
    resolve: Py<PyAny>,
    rules: &str,
    listing: Option<Bound<'_, PyAny>>,
) -> PyResult<ContextFiles> {
    let (mut finder, mut load) = (None, None);
    if let Some(listing) = listing {
        finder = self::finder(&listing)?;
        load = Some(listing.getattr(intern!(py, "file"))?.unbind());
    }
    Ok(ContextFiles {
        rules: match rules {
            "as_written" => Rules::AsWritten,
            _ => Rules::Default,
        },
        bytes: AtomicUsize::new(finder.as_ref().map_or(0, Finder::bytes)),
        finder,
        load,
        resolve,
        paths: PyDict::new(py).unbind(),
        found: PyDict::new(py).unbind(),
        files: PyDict::new(py).unbind(),
        count: AtomicU64::new(0),
    })
}

/// Returns a finder with the rules of the listing; none if a name is not UTF-8.
fn finder(listing: &Bound<'_, PyAny>) -> PyResult<Option<Finder>> {
    let py = listing.py();
    let search: String = listing.getattr(intern!(py, "search"))?.extract()?;
    let search = match search.as_str() {
        "careful" => Search::Careful,
        "any_left" => Search::AnyLeft,
        _ => Search::Unlisted,
    };
    let Ok(repo) = listing
        .getattr(intern!(py, "repo"))?
        .extract::<Option<String>>()
    else {
        return Ok(None);
    };
    let mut names = Vec::new();
    for name in listing.getattr(intern!(py, "names"))?.try_iter()? {
        let Ok(name) = name?.extract::<String>() else {
            return Ok(None);
        };
        names.push(name);
    }
    let names = names.iter().map(String::as_str);
    Ok(Some(Finder::new(search, repo.as_deref(), names)))
}

/// The files that paths refer to, as far as they were looked up.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct ContextFiles {
    pub rules: Rules,
    /// Finds files without Python, if that is certain to agree with `resolve`.
    finder: Option<Finder>,
    /// Returns the file at a path that was found.
    load: Option<Py<PyAny>>,
    resolve: Py<PyAny>,
    /// [`KnownPath`] by path, as written.
    paths: Py<PyDict>,
    /// [`KnownFile`] by path that was found.
    found: Py<PyDict>,
    /// [`KnownFile`] by code.
    files: Py<PyDict>,
    count: AtomicU64,
    bytes: AtomicUsize,
}

/// What a path refers to.
#[pyclass(frozen)]
pub struct KnownPath {
    pub file: Option<Py<KnownFile>>,
    pub number: u64,
    pub leak: bool,
}

/// A file with its tables.
#[pyclass(frozen)]
pub struct KnownFile {
    pub file: File,
    /// Finds definitions by name; `None` if the file has no definitions.
    named: Option<Py<PyAny>>,
}

#[pymethods]
impl ContextFiles {
    /// Approximate memory of the files in bytes.
    #[getter]
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl ContextFiles {
    /// Finds files without Python, if their names are known.
    pub fn finder(&self) -> Option<&Finder> {
        self.finder.as_ref()
    }

    /// Returns the file at a path that was found; Python loads it on first use.
    pub fn at<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, KnownFile>> {
        let found = self.found.bind(py);
        if let Some(known) = found.get_item(path)? {
            return Ok(known.cast_into::<KnownFile>()?);
        }
        let load = self.load.as_ref().unwrap_or(&self.resolve);
        let known = self.file(&load.bind(py).call1((path,))?)?;
        self.grow(path.len());
        found.set_item(path, &known)?;
        Ok(known)
    }

    /// Returns what a path refers to; Python resolves it on first use.
    pub fn path<'py>(&self, path: Bound<'py, PyAny>) -> PyResult<Bound<'py, KnownPath>> {
        let py = path.py();
        let paths = self.paths.bind(py);
        if let Some(known) = paths.get_item(&path)? {
            return Ok(known.cast_into::<KnownPath>()?);
        }
        let resolved = self.resolve.bind(py).call1((&path,))?;
        let file = resolved.getattr(intern!(py, "file"))?;
        let file = if file.is_none() {
            None
        } else {
            Some(self.file(&file)?.unbind())
        };
        let known = KnownPath {
            file,
            number: self.count.fetch_add(1, Ordering::Relaxed),
            leak: resolved.getattr(intern!(py, "leak"))?.is_truthy()?,
        };
        self.grow(path.len().unwrap_or(0));
        // If another thread resolved the path meanwhile, its answer stays.
        let (_, known) = paths.set_default_with_result(path, Bound::new(py, known)?)?;
        Ok(known.cast_into::<KnownPath>()?)
    }

    /// Returns a file with its tables, compiled on first use.
    pub fn file<'py>(&self, file: &Bound<'py, PyAny>) -> PyResult<Bound<'py, KnownFile>> {
        let py = file.py();
        let files = self.files.bind(py);
        let code = file.getattr(intern!(py, "code"))?;
        if let Some(known) = files.get_item(&code)? {
            return Ok(known.cast_into::<KnownFile>()?);
        }
        let tables = file.getattr(intern!(py, "tables"))?;
        let (tables, named) = if tables.is_none() {
            (None, None)
        } else {
            let named = tables.getattr(intern!(py, "named"))?.unbind();
            (Some(self.tables(&tables)?), Some(named))
        };
        let known = KnownFile {
            file: File::new(code.extract()?, self.rules, tables),
            named,
        };
        let (_, known) = files.set_default_with_result(code, Bound::new(py, known)?)?;
        Ok(known.cast_into::<KnownFile>()?)
    }

    fn tables(&self, tables: &Bound<'_, PyAny>) -> PyResult<Tables> {
        // Bytes per line and definition, here and in the arrays that they are copied from.
        const LINE: usize = 16;
        const DEFINITION: usize = 40;
        let py = tables.py();
        if let Ok(known) = tables.cast::<SnapshotTables>() {
            let (compiled, lines, definitions) = known.get().compiled(self.rules);
            self.grow(LINE * lines + DEFINITION * definitions);
            return Ok(compiled);
        }
        let starts: Integers<'_> = tables.getattr(intern!(py, "definition_start"))?.extract()?;
        let ends: Integers<'_> = tables.getattr(intern!(py, "definition_end"))?.extract()?;
        let lines: Integers<'_> = tables.getattr(intern!(py, "line_starts"))?.extract()?;
        let (starts, ends, lines) = (slice(&starts)?, slice(&ends)?, slice(&lines)?);
        self.grow(LINE * lines.len() + DEFINITION * starts.len());
        Ok(Tables::new(
            self.rules,
            tables.getattr(intern!(py, "size"))?.extract()?,
            lines,
            starts.iter().copied().zip(ends.iter().copied()),
        ))
    }

    fn grow(&self, bytes: usize) {
        // Bytes of a table's entry with its object.
        const ENTRY: usize = 200;
        self.bytes.fetch_add(ENTRY + bytes, Ordering::Relaxed);
    }
}

impl KnownFile {
    /// Indices of the definitions with this name.
    pub fn named(&self, name: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        match &self.named {
            None => Ok(Vec::new()),
            Some(named) => named.bind(name.py()).call1((name,))?.extract(),
        }
    }
}
