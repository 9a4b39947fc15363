//! Bindings of the readers: blocks of bytes in, Arrow columns out.
//!
//! Columns are exported through Arrow's C data interface. Importing them would need unsafe code,
//! which this crate does without.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, MapArray, StringArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};
use trajmeter_core::ingest::{
    Column, Document, Format, Log, Piece, Reader, Refused, Shape, Texts, Values, Wanted,
};

use crate::arrays::run;
use crate::columns::{array_capsules, internal, schema_capsule};
use crate::errors::InternalError;
use crate::nulls::Nulls;

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
        let finish = |piece| columns(piece, self.0.shape());
        run(py, block.len(), || {
            Ok(self.0.read(block, file, line, finish))
        })?
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| internal(&error))
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
        let finish = |piece| columns(piece, self.0.shape());
        let (found, count) = run(py, usize::MAX, || {
            Ok(self.0.read_logs(&files, as_contextbench, finish))
        })?;
        let found = found.into_iter().collect::<Result<_, _>>();
        Ok((found.map_err(|error| internal(&error))?, count))
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
        let finish = |piece| columns(piece, self.0.shape());
        run(py, usize::MAX, || {
            Ok(self.0.read_values(&contents, file, finish))
        })?
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| internal(&error))
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
        let finish = |piece| columns(piece, self.0.shape());
        run(py, usize::MAX, || {
            Ok(self.0.read_samples(&log, &contents, finish))
        })?
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| internal(&error))
    }
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

/// Converts the columns of a piece to Arrow arrays, without copying.
fn columns(piece: Piece, shape: &Shape) -> Result<JsonColumns, ArrowError> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    let mut all_null = Nulls::default();
    for (column, member) in piece.columns.into_iter().zip(&shape.members) {
        if let Some(column) = column {
            let array = array(column, &member.shape, piece.rows, &mut all_null)?;
            fields.push(field(&member.name, &array, true));
            arrays.push(array);
        }
    }
    let batch = StructArray::try_new_with_length(fields.into(), arrays, None, piece.rows)?;
    Ok(JsonColumns {
        batch,
        refused: piece.refused,
        next_line: piece.next_line,
        version_1: piece.version_1,
    })
}

fn field(name: &str, array: &ArrayRef, nullable: bool) -> FieldRef {
    Arc::new(Field::new(name, array.data_type().clone(), nullable))
}

/// Converts the column to an array of `length` rows; all null if it is not wanted.
fn array(
    column: Column,
    shape: &Shape,
    length: usize,
    all_null: &mut Nulls,
) -> Result<ArrayRef, ArrowError> {
    if !column.is_wanted() {
        let without_rows = values(column, shape, 0, all_null)?;
        return all_null.array(without_rows.data_type(), length);
    }
    values(column, shape, length, all_null)
}

fn values(
    column: Column,
    shape: &Shape,
    length: usize,
    all_null: &mut Nulls,
) -> Result<ArrayRef, ArrowError> {
    let nulls = nulls(&column.valid);
    let mut item = |column: Box<Column>| {
        let length = column.len();
        let shape = shape.item.as_deref().unwrap_or(shape);
        array(*column, shape, length, all_null)
    };
    Ok(match column.values {
        Values::Boolean(values) => Arc::new(BooleanArray::new(bits(&values), nulls)),
        Values::Integer(values) => Arc::new(Int64Array::try_new(values.into(), nulls)?),
        Values::Number(values) => Arc::new(Float64Array::try_new(values.into(), nulls)?),
        Values::Text(texts) => Arc::new(text(texts, nulls)?),
        Values::List(offsets, items) => {
            let items = item(items)?;
            let field = field("item", &items, true);
            Arc::new(ListArray::try_new(field, borders(offsets), items, nulls)?)
        }
        Values::Mapping(offsets, keys, items) => {
            let keys: ArrayRef = Arc::new(text(keys, None)?);
            let items = item(items)?;
            let fields: Fields =
                vec![field("key", &keys, false), field("value", &items, true)].into();
            let entries = StructArray::try_new(fields, vec![keys, items], None)?;
            let kind = DataType::Struct(entries.fields().clone());
            let field = Arc::new(Field::new("entries", kind, false));
            Arc::new(MapArray::try_new(
                field,
                borders(offsets),
                entries,
                nulls,
                false,
            )?)
        }
        Values::Record(columns) => {
            let mut fields = Vec::with_capacity(columns.len());
            let mut arrays = Vec::with_capacity(columns.len());
            for (column, member) in columns.into_iter().zip(&shape.members) {
                let array = array(column, &member.shape, length, all_null)?;
                fields.push(field(&member.name, &array, true));
                arrays.push(array);
            }
            Arc::new(StructArray::try_new_with_length(
                fields.into(),
                arrays,
                nulls,
                length,
            )?)
        }
    })
}

fn nulls(valid: &[bool]) -> Option<NullBuffer> {
    let has_nulls = valid.contains(&false);
    has_nulls.then(|| NullBuffer::new(bits(valid)))
}

fn bits(values: &[bool]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(values.len(), |index| values[index])
}

fn borders(offsets: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

fn text(texts: Texts, nulls: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
    StringArray::try_new(borders(texts.offsets), Buffer::from_vec(texts.bytes), nulls)
}
