//! Tables of benchmarks in their most common form: objects of numbers, booleans and nulls.
//!
//! A table is refused unless it is certain to be read right; [`super::tables`] reads the others.
//!
//! Most tables have the same benchmarks in the same order, with the same fields. So the text
//! between two values is compared with the text at that position in an earlier table, and parsed
//! only if it differs.

use std::borrow::Cow;

use super::entry::{Entry, Field, Fields, Value};
use crate::ingest::{Cursor, Scalar};

/// The name of a benchmark in a table.
pub enum Name<'t> {
    /// The number of a name that was passed before.
    Known(u32),
    /// A new name.
    Text(Cow<'t, str>),
}

/// The text before a value, and the value's field.
type Label<'t> = (&'t str, Field);

/// Reads tables, and remembers the text between their values.
#[derive(Default)]
pub struct Reader<'t> {
    /// By the number of a benchmark, the text before its first value, including the name.
    first: Vec<Option<Label<'t>>>,
    /// The text before each further value.
    further: Vec<Label<'t>>,
    /// Number of the previous benchmark.
    last: usize,
}

impl<'t> Reader<'t> {
    /// Reads a table, and passes each benchmark with its entry to `each`, which returns its number.
    ///
    /// Returns `None` if the table is not plain, or if `each` returns `None`.
    pub fn read(
        &mut self,
        text: &'t str,
        booleans_are_numbers: bool,
        mut each: impl FnMut(Name<'t>, Entry) -> Option<u32>,
    ) -> Option<()> {
        let mut cursor = Cursor::new(text);
        cursor.members(|cursor| {
            let begin = cursor.place();
            let number = if let Some((number, fields)) = self.alike(cursor) {
                each(Name::Known(number), fields.entry(booleans_are_numbers)?)?
            } else {
                cursor.go_back(begin);
                let name = cursor.key()?;
                let (first, fields) = self.apart(cursor, begin)?;
                let number = each(Name::Text(name), fields.entry(booleans_are_numbers)?)?;
                self.remember(number as usize, first);
                number
            };
            self.last = number as usize;
            Some(())
        })?;
        cursor.is_at_end().then_some(())
    }

    /// Reads a benchmark that is written like an earlier one; `None` if the next one is not.
    fn alike(&self, cursor: &mut Cursor<'t>) -> Option<(u32, Fields)> {
        let is_next = |&number: &usize| {
            let label = self.first.get(number).and_then(Option::as_ref);
            label.is_some_and(|(text, _)| cursor.pass(text))
        };
        let number = [self.last + 1, 0].into_iter().find(is_next)?;
        let mut fields = Fields::default();
        set(&mut fields, self.first[number]?.1, cursor)?;
        for &(text, field) in &self.further {
            if !cursor.pass(text) {
                return None;
            }
            set(&mut fields, field, cursor)?;
        }
        cursor.object_end().then_some((number as u32, fields))
    }

    /// Parses the fields of any benchmark after its name; the text before the first value starts at
    /// `begin`.
    fn apart(
        &mut self,
        cursor: &mut Cursor<'t>,
        begin: usize,
    ) -> Option<(Option<Label<'t>>, Fields)> {
        let mut fields = Fields::default();
        let mut first = None;
        let mut end = begin;
        self.further.clear();
        cursor.object(|cursor, key| {
            let label = (cursor.since(end), Field::of(&key));
            set(&mut fields, label.1, cursor)?;
            end = cursor.place();
            if first.is_none() {
                first = Some(label);
            } else {
                self.further.push(label);
            }
            Some(())
        })?;
        Some((first, fields))
    }

    fn remember(&mut self, number: usize, first: Option<Label<'t>>) {
        if number >= self.first.len() {
            self.first.resize(number + 1, None);
        }
        self.first[number] = first;
    }
}

/// Reads the value of a field.
fn set(fields: &mut Fields, field: Field, cursor: &mut Cursor<'_>) -> Option<()> {
    let value = match cursor.scalar()? {
        Scalar::Null => Value::Null,
        Scalar::Flag(value) => Value::Flag(value),
        Scalar::Number(value) => Value::Number(value),
    };
    match field {
        Field::Other => Some(()),
        field => fields.set(field, value),
    }
}
