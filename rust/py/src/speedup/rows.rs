//! Rows of benchmarks whose memory Python owns.

use pyo3::prelude::*;
use trajmeter_core::speedup::{Field, Rows, Values};

use crate::arrays::{Flags, Floats, Integers, TextArrays, borrowed_texts, slice};
use crate::errors::InternalError;

type FieldColumn<'py> = (String, Bound<'py, PyAny>, Flags<'py>);

/// Rows of benchmarks, as Python passes them: distinct names, the index of each row's name, the
/// offsets of attempts, and fields.
pub(super) type RowColumns<'py> = (
    TextArrays<'py>,
    Integers<'py>,
    Integers<'py>,
    Vec<FieldColumn<'py>>,
);

/// Rows of benchmarks whose memory is borrowed.
pub(super) struct HeldRows<'a, 'py> {
    columns: &'a RowColumns<'py>,
    names: Vec<&'a str>,
    values: Vec<HeldValues<'py>>,
}

/// Values of a field.
#[derive(FromPyObject)]
enum HeldValues<'py> {
    Numbers(Floats<'py>),
    Integers(Integers<'py>),
    Flags(Flags<'py>),
}

impl<'py> HeldValues<'py> {
    fn field<'a>(&'a self, (name, _, is_valid): &'a FieldColumn<'py>) -> PyResult<Field<'a>> {
        Ok(Field {
            name,
            values: match self {
                Self::Numbers(values) => Values::Numbers(slice(values)?),
                Self::Integers(values) => Values::Integers(slice(values)?),
                Self::Flags(values) => Values::Flags(slice(values)?),
            },
            is_valid: slice(is_valid)?,
        })
    }
}

impl<'a, 'py> HeldRows<'a, 'py> {
    pub(super) fn new(columns: &'a RowColumns<'py>) -> PyResult<Self> {
        let names = borrowed_texts(&columns.0)?;
        let count = names.offsets.len() - 1;
        let values = columns.3.iter().map(|(name, values, _)| {
            let unchecked = |_| InternalError::new_err(format!("unchecked array of {name}"));
            values.extract().map_err(unchecked)
        });
        Ok(Self {
            columns,
            names: (0..count)
                .map(|name| names.get(name).unwrap_or_default())
                .collect(),
            values: values.collect::<PyResult<_>>()?,
        })
    }

    pub(super) fn fields(&self) -> PyResult<Vec<Field<'_>>> {
        let columns = self.columns.3.iter().zip(&self.values);
        columns
            .map(|(column, values)| values.field(column))
            .collect()
    }

    pub(super) fn rows<'s>(&'s self, fields: &'s [Field<'s>]) -> PyResult<Rows<'s>> {
        Ok(Rows {
            names: &self.names,
            benchmark: slice(&self.columns.1)?,
            offsets: slice(&self.columns.2)?,
            fields,
        })
    }
}
