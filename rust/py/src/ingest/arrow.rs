//! Conversion of columns to Arrow arrays, without copying.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, MapArray, StringArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use trajmeter_core::ingest::{Column, Shape, Texts, Values};

use crate::nulls::Nulls;

/// Converts columns of `length` rows; columns that are `None` are left out.
pub(super) fn batch(
    columns: Vec<Option<Column>>,
    shape: &Shape,
    length: usize,
) -> Result<StructArray, ArrowError> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    let mut all_null = Nulls::default();
    for (column, member) in columns.into_iter().zip(&shape.members) {
        if let Some(column) = column {
            let array = array(column, &member.shape, length, &mut all_null)?;
            fields.push(field(&member.name, &array, true));
            arrays.push(array);
        }
    }
    StructArray::try_new_with_length(fields.into(), arrays, None, length)
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
            let items = item(items)?;
            Arc::new(mapping(offsets, keys, items, nulls)?)
        }
        Values::Record(columns) => {
            let mut fields = Vec::with_capacity(columns.len());
            let mut arrays = Vec::with_capacity(columns.len());
            for (column, member) in columns.into_iter().zip(&shape.members) {
                let array = array(column, &member.shape, length, all_null)?;
                fields.push(field(&member.name, &array, true));
                arrays.push(array);
            }
            let fields = fields.into();
            Arc::new(StructArray::try_new_with_length(
                fields, arrays, nulls, length,
            )?)
        }
    })
}

fn mapping(
    offsets: Vec<i32>,
    keys: Texts,
    items: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<MapArray, ArrowError> {
    let keys: ArrayRef = Arc::new(text(keys, None)?);
    let fields: Fields = vec![field("key", &keys, false), field("value", &items, true)].into();
    let entries = StructArray::try_new(fields, vec![keys, items], None)?;
    let kind = DataType::Struct(entries.fields().clone());
    let field = Arc::new(Field::new("entries", kind, false));
    MapArray::try_new(field, borders(offsets), entries, nulls, false)
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
