//! Bindings of the readers: blocks of bytes in, Arrow columns out.
//!
//! Columns are exported through Arrow's C data interface. Importing them would need unsafe code,
//! which this crate does without.

mod arrow;

use arrow_array::StructArray;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use trajmeter_core::ingest::{Document, Format, Log, Piece, Reader, Refused, Shape, Wanted};

use crate::arrays::run;
use crate::columns::{array_capsules, internal, schema_capsule};
use crate::errors::InternalError;

/// Reads JSON lines into columns; uncertain lines are left to the caller.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct JsonReader(Reader);

#[pymethods]
impl JsonReader {
    #[new]
    fn new(
        shape: &str,
        wanted: Vec<String>,
        formats: Vec<String>,
        foreign: Vec<String>,
    ) -> PyResult<Self> {
        let wanted = Wanted::new(wanted);
        let formats = formats.iter().map(|name| match name.as_str() {
            "own" => Ok(Format::Own),
            "predictions" => Ok(Format::Prediction),
            "messages" => Ok(Format::Messages),
            "instances" => Ok(Format::Instance),
            "fenced" => Ok(Format::Fenced),
            "lists" => Ok(Format::List),
            _ => Err(format!("no format {name:?}")),
        });
        let formats: Result<Vec<_>, _> = formats.collect();
        Shape::record(shape)
            .and_then(|shape| Reader::trajectories(shape, wanted))
            .and_then(|reader| Ok(Self(reader.only(formats?, foreign))))
            .map_err(InternalError::new_err)
    }

    fn read(
        &self,
        py: Python<'_>,
        block: &Bound<'_, PyBytes>,
        file: &str,
        line: i64,
    ) -> PyResult<Vec<JsonColumns>> {
        let block = block.as_bytes();
        let finish = |piece| JsonColumns::new(piece, self.0.shape());
        let pieces = run(py, block.len(), || {
            Ok(self.0.read(block, file, line, finish))
        })?;
        collected(pieces)
    }

    /// Reads the first of some mini-swe-agent logs, under the profile `contextbench` if
    /// `as_contextbench`, and returns how many it read.
    #[pyo3(signature = (files, *, as_contextbench=false))]
    fn read_logs(
        &self,
        py: Python<'_>,
        files: Vec<String>,
        as_contextbench: bool,
    ) -> PyResult<(Vec<JsonColumns>, usize)> {
        let finish = |piece| JsonColumns::new(piece, self.0.shape());
        let (pieces, count) = run(py, usize::MAX, || {
            Ok(self.0.read_logs(&files, as_contextbench, finish))
        })?;
        Ok((collected(pieces)?, count))
    }

    /// Reads values of a document, each with its name in the document.
    fn read_values(
        &self,
        py: Python<'_>,
        values: Vec<(Option<String>, Bound<'_, PyBytes>)>,
        file: &str,
    ) -> PyResult<Vec<JsonColumns>> {
        let contents: Vec<(Option<String>, &[u8])> = values
            .iter()
            .map(|(name, content)| (name.clone(), content.as_bytes()))
            .collect();
        let finish = |piece| JsonColumns::new(piece, self.0.shape());
        let pieces = run(py, usize::MAX, || {
            Ok(self.0.read_values(&contents, file, finish))
        })?;
        collected(pieces)
    }

    /// Reads samples of Inspect, each with its name in the log; `about` holds their agent, model,
    /// task and status.
    fn read_samples(
        &self,
        py: Python<'_>,
        samples: Vec<(String, Bound<'_, PyBytes>)>,
        file: &str,
        about: (Option<String>, Option<String>, String, String),
    ) -> PyResult<Vec<JsonColumns>> {
        let (agent, model, task, status) = about;
        let log = Log {
            file: file.to_owned(),
            agent,
            model,
            task,
            status,
        };
        let contents: Vec<(String, &[u8])> = samples
            .iter()
            .map(|(name, content)| (name.clone(), content.as_bytes()))
            .collect();
        let finish = |piece| JsonColumns::new(piece, self.0.shape());
        let pieces = run(py, usize::MAX, || {
            Ok(self.0.read_samples(&log, &contents, finish))
        })?;
        collected(pieces)
    }
}

fn collected(pieces: Vec<Result<JsonColumns, ArrowError>>) -> PyResult<Vec<JsonColumns>> {
    let columns: Result<_, _> = pieces.into_iter().collect();
    columns.map_err(|error| internal(&error))
}

/// Range in a document: the first byte, and the one after the last.
type Span = (usize, usize);
/// The members of a document other than the list, by key, and the items of the list.
type Parts = (Vec<(String, Span)>, Vec<Span>);

/// Locates the items of a document that is a list, or of the list under `key` of an object, and the
/// object's other members. Returns `None` if it is neither, or not plain.
#[pyfunction]
#[pyo3(signature = (content, key=None))]
pub fn document_parts(
    py: Python<'_>,
    content: &Bound<'_, PyBytes>,
    key: Option<&str>,
) -> PyResult<Option<Parts>> {
    let content = content.as_bytes();
    let found = run(py, content.len(), || Ok(Document::of(content, key)))?;
    Ok(found.map(|Document { members, items }| {
        let members = members.into_iter();
        let members = members.map(|(key, range)| (key, (range.start, range.end)));
        let items = items.into_iter().map(|range| (range.start, range.end));
        (members.collect(), items.collect())
    }))
}

/// Rows of consecutive lines or files, and those that gave no row.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct JsonColumns {
    batch: StructArray,
    refused: Vec<Refused>,
    /// Number of the line after the last.
    #[pyo3(get)]
    next_line: i64,
    /// Number of rows that are runs of mini-swe-agent 1; other rows of logs are of version 2.
    #[pyo3(get)]
    version_1: usize,
}

impl JsonColumns {
    fn new(piece: Piece, shape: &Shape) -> Result<Self, ArrowError> {
        Ok(Self {
            batch: arrow::batch(piece.columns, shape, piece.rows)?,
            refused: piece.refused,
            next_line: piece.next_line,
            version_1: piece.version_1,
        })
    }
}

#[pymethods]
impl JsonColumns {
    /// For each line or file without a row: the rows before it, its number, and its begin and end
    /// in the block.
    #[getter]
    fn refused(&self) -> Vec<(usize, i64, usize, usize)> {
        let place = |line: &Refused| (line.row, line.number, line.bytes.start, line.bytes.end);
        self.refused.iter().map(place).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.batch)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema; // the protocol lets a producer keep its own types
        array_capsules(py, &self.batch)
    }
}
