//! Tables of benchmarks as nearly all are written: objects of numbers, flags and nulls.
//!
//! What is here takes no table that it is not certain of; [`super::tables`] reads the others.

use std::borrow::Cow;

use super::entry::{Entry, Field, Fields, Value};
use crate::ingest::{Cursor, Scalar};

/// Reads a table, and hands over each name with its entry.
///
/// None where the table is not plain, or where `each` gives none.
pub fn read<'t>(
    text: &'t str,
    booleans_are_numbers: bool,
    mut each: impl FnMut(Cow<'t, str>, Entry) -> Option<()>,
) -> Option<()> {
    let mut cursor = Cursor::new(text);
    cursor.object(|cursor, name| {
        let mut fields = Fields::default();
        cursor.object(|cursor, key| {
            let value = match cursor.scalar()? {
                Scalar::Null => Value::Null,
                Scalar::Flag(value) => Value::Flag(value),
                Scalar::Number(value) => Value::Number(value),
            };
            match Field::of(&key) {
                Field::Other => Some(()),
                field => fields.set(field, value),
            }
        })?;
        each(name, fields.entry(booleans_are_numbers)?)
    })?;
    cursor.is_at_end().then_some(())
}
