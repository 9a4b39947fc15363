//! Columns that grow row by row and can be truncated to an earlier length.
//!
//! Absent values are filled in lazily: a column is padded up to a row when that row has a value,
//! and to its full length when it is finished. A member that no record has therefore costs nothing
//! per row, and neither do the columns below a null record.

use serde_json::Value;

use super::absent::Absent;
use super::shape::{Kind, Member, Shape};
use super::texts::Texts;
use super::wanted::Wanted;

/// The values of a column; a null row holds a placeholder.
#[derive(Debug)]
pub enum Values {
    /// Booleans.
    Boolean(Vec<bool>),
    /// Integers.
    Integer(Vec<i64>),
    /// Doubles.
    Number(Vec<f64>),
    /// Strings, or JSON texts.
    Text(Texts),
    /// Lists: the offsets of their items, and the items.
    List(Vec<i32>, Box<Column>),
    /// Mappings: the offsets of their entries, the keys, and the items.
    Mapping(Vec<i32>, Texts, Box<Column>),
    /// Records: a column for each member.
    Record(Vec<Column>),
}

/// A column of rows.
///
/// A column that is not wanted accepts the same calls as any other, but stores nothing.
#[derive(Debug)]
pub struct Column {
    /// Whether each row has a value.
    pub valid: Vec<bool>,
    /// The values.
    pub values: Values,
    absent: Absent,
    is_wanted: bool,
    /// Whether the current row has a value, if the column is not wanted.
    is_set: bool,
}

impl Column {
    /// Creates a column without rows.
    ///
    /// `default` is the value of absent members. `path` is the name of the column, preceded by the
    /// names of the records that contain it.
    #[must_use]
    pub fn new(shape: &Shape, default: &Value, path: &str, wanted: &Wanted) -> Self {
        let item = || {
            let item = shape.item.as_deref().unwrap_or(shape);
            Box::new(Self::new(item, &Value::Null, path, wanted))
        };
        let values = match shape.kind {
            Kind::Boolean => Values::Boolean(Vec::new()),
            Kind::Integer => Values::Integer(Vec::new()),
            Kind::Number => Values::Number(Vec::new()),
            Kind::Text | Kind::Json => Values::Text(Texts::default()),
            Kind::List => Values::List(vec![0], item()),
            Kind::Mapping => Values::Mapping(vec![0], Texts::default(), item()),
            Kind::Record | Kind::Checked => {
                let column = |member: &Member| {
                    let path = format!("{path}.{}", member.name);
                    Self::new(&member.shape, &member.default, &path, wanted)
                };
                Values::Record(shape.members.iter().map(column).collect())
            }
        };
        Self {
            valid: Vec::new(),
            values,
            absent: Absent::of(shape.kind, default),
            is_wanted: wanted.has(path),
            is_set: false,
        }
    }

    /// Returns whether the rows are stored.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Returns whether `row`, the last row, has a value.
    #[must_use]
    pub fn has(&self, row: usize) -> bool {
        self.is_set || self.valid.get(row) == Some(&true)
    }

    /// Removes `row`, the last row.
    pub fn clear(&mut self, row: usize) {
        self.is_set = false;
        if self.is_wanted {
            self.truncate(row);
        }
    }

    /// Returns the number of rows so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    /// Returns whether there are no rows yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.valid.is_empty()
    }

    /// Appends absent values until there are `length` rows.
    pub fn pad(&mut self, length: usize) {
        if self.is_wanted && self.valid.len() < length {
            self.grow(length);
        }
    }

    fn grow(&mut self, length: usize) {
        match (&mut self.values, &self.absent) {
            (Values::Boolean(values), absent) => {
                values.resize(length, matches!(absent, Absent::Boolean(true)));
            }
            (Values::Integer(values), absent) => {
                let value = if let Absent::Integer(value) = absent {
                    *value
                } else {
                    0
                };
                values.resize(length, value);
            }
            (Values::Number(values), _) => values.resize(length, 0.0),
            (Values::Text(texts), Absent::Text(text)) => {
                // A default is a word or two, so the column runs out of rows before its text
                // overflows.
                while texts.offsets.len() <= length && texts.push(text).is_ok() {}
            }
            (Values::Text(texts), _) => {
                let end = last(&texts.offsets) as i32;
                texts.offsets.resize(length + 1, end);
            }
            (Values::List(offsets, _) | Values::Mapping(offsets, ..), _) => {
                let end = last(offsets) as i32;
                offsets.resize(length + 1, end);
            }
            (Values::Record(_), _) => {}
        }
        self.valid
            .resize(length, !matches!(self.absent, Absent::Null));
    }

    /// Pads this column and all columns below it to their final length.
    pub fn finish(&mut self, length: usize) {
        if !self.is_wanted {
            return;
        }
        self.pad(length);
        match &mut self.values {
            Values::List(offsets, items) | Values::Mapping(offsets, _, items) => {
                items.finish(last(offsets));
            }
            Values::Record(columns) => {
                for column in columns {
                    column.finish(length);
                }
            }
            _ => {}
        }
    }

    /// Removes all rows from `length` on.
    pub fn truncate(&mut self, length: usize) {
        self.valid.truncate(length);
        match &mut self.values {
            Values::Boolean(values) => values.truncate(length),
            Values::Integer(values) => values.truncate(length),
            Values::Number(values) => values.truncate(length),
            Values::Text(texts) => texts.truncate(length),
            Values::List(offsets, items) => {
                offsets.truncate(length + 1);
                items.truncate(last(offsets));
            }
            Values::Mapping(offsets, keys, items) => {
                offsets.truncate(length + 1);
                keys.truncate(last(offsets));
                items.truncate(last(offsets));
            }
            Values::Record(columns) => {
                for column in columns {
                    column.truncate(length);
                }
            }
        }
    }

    /// Sets `row` to null.
    pub fn null(&mut self, row: usize) {
        // Padding also makes it null, once a later row has a value.
        if !self.is_wanted || matches!(self.absent, Absent::Null) {
            return;
        }
        self.pad(row);
        let absent = std::mem::replace(&mut self.absent, Absent::Null);
        self.grow(self.len() + 1);
        self.absent = absent;
    }

    /// Sets `row` of a column of booleans.
    pub fn boolean(&mut self, row: usize, value: bool) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Boolean(values) if self.is_wanted => values.push(value),
            Values::Boolean(_) => {}
            _ => return false,
        }
        self.set();
        true
    }

    /// Sets `row` of a column of integers.
    pub fn integer(&mut self, row: usize, value: i64) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Integer(values) if self.is_wanted => values.push(value),
            Values::Integer(_) => {}
            _ => return false,
        }
        self.set();
        true
    }

    /// Sets the rows from `row` on, of a column of integers.
    pub(super) fn integers(&mut self, row: usize, all: impl Iterator<Item = i64>) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Integer(values) if self.is_wanted => {
                values.extend(all);
                self.valid.resize(values.len(), true);
            }
            Values::Integer(_) => self.is_set = true,
            _ => return false,
        }
        true
    }

    /// Sets `count` rows from `row` on, of a column of booleans.
    pub(super) fn booleans(&mut self, row: usize, value: bool, count: usize) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Boolean(values) if self.is_wanted => {
                values.resize(row + count, value);
                self.valid.resize(row + count, true);
            }
            Values::Boolean(_) => self.is_set = true,
            _ => return false,
        }
        true
    }

    /// Sets `row` of a column of doubles.
    pub fn number(&mut self, row: usize, value: f64) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Number(values) if self.is_wanted => values.push(value),
            Values::Number(_) => {}
            _ => return false,
        }
        self.set();
        true
    }

    /// Sets `row` of a column of texts.
    pub fn text(&mut self, row: usize, value: &str) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Text(texts) if self.is_wanted => {
                if texts.push(value).is_err() {
                    return false;
                }
            }
            Values::Text(_) => {}
            _ => return false,
        }
        self.set();
        true
    }

    /// Sets the rows from `row` on, of a column of texts.
    pub fn texts<'a>(&mut self, row: usize, all: impl ExactSizeIterator<Item = &'a str>) -> bool {
        self.pad(row);
        let count = all.len();
        match &mut self.values {
            Values::Text(texts) if self.is_wanted => {
                for text in all {
                    if texts.push(text).is_err() {
                        return false;
                    }
                }
                self.valid.resize(row + count, true);
            }
            Values::Text(_) => self.is_set = true,
            _ => return false,
        }
        true
    }

    /// Sets `row` to the UTF-8 text that `write` appends, if the column is wanted.
    pub fn written(&mut self, row: usize, write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> bool {
        self.pad(row);
        match &mut self.values {
            Values::Text(texts) if self.is_wanted => {
                if texts.push_written(write).is_err() {
                    return false;
                }
            }
            Values::Text(_) => {}
            _ => return false,
        }
        self.set();
        true
    }

    fn set(&mut self) {
        if self.is_wanted {
            self.valid.push(true);
        } else {
            self.is_set = true;
        }
    }

    /// Returns the items of a list column, to which the caller appends those of `row` before
    /// [`Self::close`].
    pub fn items(&mut self, row: usize) -> Option<&mut Self> {
        self.pad(row);
        match &mut self.values {
            Values::List(_, items) => Some(items),
            _ => None,
        }
    }

    /// Returns the keys and items of a column of mappings, as for lists; no keys if it is not
    /// wanted.
    pub fn entries(&mut self, row: usize) -> Option<(Option<&mut Texts>, &mut Self)> {
        self.pad(row);
        let is_wanted = self.is_wanted;
        match &mut self.values {
            Values::Mapping(_, keys, items) => Some((is_wanted.then_some(keys), items)),
            _ => None,
        }
    }

    /// Returns the columns of a record's members; [`Self::close`] then ends `row`.
    pub fn columns(&mut self, row: usize) -> Option<&mut [Self]> {
        self.pad(row);
        match &mut self.values {
            Values::Record(columns) => Some(columns),
            _ => None,
        }
    }

    /// Ends the list, mapping or record of the current row.
    pub fn close(&mut self) {
        match &mut self.values {
            Values::List(offsets, items) | Values::Mapping(offsets, _, items) if self.is_wanted => {
                offsets.push(items.len() as i32);
            }
            _ => {}
        }
        self.set();
    }

    /// Ends `count` records in a row.
    pub fn close_records(&mut self, count: usize) {
        if self.is_wanted {
            self.valid.resize(self.valid.len() + count, true);
        }
    }
}

pub(super) fn last(offsets: &[i32]) -> usize {
    offsets.last().map_or(0, |&end| end as usize)
}
