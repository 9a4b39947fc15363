//! Bindings of the row writers: column buffers in, lines of text out.

use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trajmeter_core::rows::{self, Bits, Column, Member, Refused, Texts, Values};

use crate::arrays::{Floats, Integers, run, slice};

/// A borrowed array of bytes.
type Bytes<'py> = PyReadonlyArray1<'py, u8>;
/// A borrowed array of offsets.
type Offsets<'py> = PyReadonlyArray1<'py, i32>;

/// Buffers of a column, as `trajmeter.writers.lines` passes them.
#[derive(FromPyObject)]
pub struct Buffers<'py>(
    String,
    Option<Bytes<'py>>,
    usize,
    Option<Offsets<'py>>,
    Bound<'py, PyAny>,
    Vec<Buffers<'py>>,
    Vec<Field>,
);

/// The name of a member, and the JSON of its default where it is left out.
type Field = (String, Option<String>);

/// A column whose memory is borrowed while it is written.
struct Held<'py> {
    valid: Option<(Bytes<'py>, usize)>,
    offsets: Option<Offsets<'py>>,
    values: HeldValues<'py>,
    children: Vec<Self>,
    fields: Vec<Field>,
}

enum HeldValues<'py> {
    Boolean(Bytes<'py>, usize),
    Integer(Integers<'py>),
    Number(Floats<'py>),
    Text(Bytes<'py>),
    Json(Bytes<'py>),
    Record,
    Nested,
}

impl<'py> TryFrom<Buffers<'py>> for Held<'py> {
    type Error = PyErr;

    fn try_from(buffers: Buffers<'py>) -> PyResult<Self> {
        let Buffers(kind, valid, first, offsets, values, children, fields) = buffers;
        let values = match kind.as_str() {
            "boolean" => HeldValues::Boolean(values.extract()?, first),
            "integer" => HeldValues::Integer(values.extract()?),
            "number" => HeldValues::Number(values.extract()?),
            "text" => HeldValues::Text(values.extract()?),
            "json" => HeldValues::Json(values.extract()?),
            "record" => HeldValues::Record,
            _ => HeldValues::Nested,
        };
        Ok(Self {
            valid: valid.map(|bits| (bits, first)),
            offsets,
            values,
            children: children
                .into_iter()
                .map(Self::try_from)
                .collect::<PyResult<_>>()?,
            fields,
        })
    }
}

impl Held<'_> {
    fn column(&self) -> Result<Column<'_>, Refused> {
        let offsets = match &self.offsets {
            Some(offsets) => memory(offsets)?,
            None => &[],
        };
        let values = match &self.values {
            HeldValues::Boolean(bytes, first) => Values::Boolean(bits(bytes, *first)?),
            HeldValues::Integer(values) => Values::Integer(memory(values)?),
            HeldValues::Number(values) => Values::Number(memory(values)?),
            HeldValues::Text(bytes) => Values::Text(Texts::new(offsets, memory(bytes)?)?),
            HeldValues::Json(bytes) => Values::Json(Texts::new(offsets, memory(bytes)?)?),
            HeldValues::Record => {
                let columns = self.children.iter().map(Self::column);
                Values::Record(members(&self.fields, columns.collect::<Result<_, _>>()?))
            }
            HeldValues::Nested => match self.children.as_slice() {
                [items] => Values::List(offsets, Box::new(items.column()?)),
                [keys, items] => {
                    let Values::Text(keys) = keys.column()?.values else {
                        return Err(Refused);
                    };
                    Values::Mapping(offsets, keys, Box::new(items.column()?))
                }
                _ => return Err(Refused),
            },
        };
        let valid = match &self.valid {
            Some((bytes, first)) => Some(bits(bytes, *first)?),
            None => None,
        };
        Ok(Column { valid, values })
    }
}

fn members<'a>(fields: &[Field], columns: Vec<Column<'a>>) -> Vec<Member<'a>> {
    let members = fields.iter().cloned().zip(columns);
    let members = members.map(|((name, default), column)| Member {
        name,
        column,
        default,
    });
    members.collect()
}

fn bits<'a>(bytes: &'a Bytes<'_>, first: usize) -> Result<Bits<'a>, Refused> {
    let bytes = memory(bytes)?;
    Ok(Bits { bytes, first })
}

fn memory<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> Result<&'a [T], Refused> {
    slice(array).map_err(|_| Refused)
}

/// Formats rows as JSON lines, in pieces; `None` if the twin has to write them.
#[pyfunction]
pub fn json_lines<'py>(
    py: Python<'py>,
    fields: Vec<Field>,
    columns: Vec<Buffers<'py>>,
    rows: usize,
) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
    lines(py, columns, rows, |columns| {
        rows::json_lines(&members(&fields, columns), rows)
    })
}

/// Formats rows as CSV, in pieces; `None` if the twin has to write them.
#[pyfunction]
pub fn csv_lines<'py>(
    py: Python<'py>,
    columns: Vec<Buffers<'py>>,
    rows: usize,
) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
    lines(py, columns, rows, |columns| rows::csv_lines(&columns, rows))
}

fn lines<'py>(
    py: Python<'py>,
    columns: Vec<Buffers<'py>>,
    rows: usize,
    write: impl FnOnce(Vec<Column>) -> Result<Vec<Vec<u8>>, Refused> + Send,
) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
    let held: Vec<Held> = columns
        .into_iter()
        .map(Held::try_from)
        .collect::<PyResult<_>>()?;
    let Ok(columns) = held.iter().map(Held::column).collect::<Result<Vec<_>, _>>() else {
        return Ok(None);
    };
    let written = run(py, rows * columns.len(), || Ok(write(columns)))?;
    Ok(written.ok().map(|pieces| {
        let pieces = pieces.iter();
        pieces.map(|piece| PyBytes::new(py, piece)).collect()
    }))
}
