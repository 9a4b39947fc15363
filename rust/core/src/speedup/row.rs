//! A row of a benchmark, as a JSON object.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::ingest::{Raw, Text};

/// Number of columns with names: task, agent, model and attempt, then the benchmark.
pub const NAMES: usize = 5;

/// Up to this, an integer stored as a double is exact, and can be a name.
const EXACT: f64 = (1_i64 << 53) as f64;

/// The kind of a column, and its index among those of its kind.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// A name.
    Name(usize),
    /// A field of an entry.
    Field(usize),
    /// A column of the attempt.
    About(usize),
    /// A column that makes the row a record.
    Foreign,
}

/// The values of a row, as JSON except for names.
pub struct Row<'t> {
    pub names: [Option<Cow<'t, str>>; NAMES],
    pub fields: Vec<Option<&'t str>>,
    pub about: Vec<Option<&'t str>>,
    is_named: [bool; NAMES],
}

impl Row<'_> {
    /// Creates a row with all columns absent.
    pub fn new(fields: usize, about: usize) -> Self {
        Self {
            names: Default::default(),
            fields: vec![None; fields],
            about: vec![None; about],
            is_named: [false; NAMES],
        }
    }

    /// Makes all columns absent.
    pub fn clear(&mut self) {
        self.names = Default::default();
        self.fields.fill(None);
        self.about.fill(None);
        self.is_named = [false; NAMES];
    }
}

/// Reads a row of known columns.
pub struct RowSeed<'r, 't> {
    pub columns: &'r FxHashMap<String, Column>,
    pub row: &'r mut Row<'t>,
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let row = self.row;
        let twice = || A::Error::custom("a column twice");
        while let Some(Text(key)) = map.next_key()? {
            match self.columns.get(&*key) {
                Some(Column::Name(index)) => {
                    if std::mem::replace(&mut row.is_named[*index], true) {
                        return Err(twice());
                    }
                    row.names[*index] = map.next_value_seed(NameSeed)?;
                }
                Some(Column::Field(index)) => {
                    let value = map.next_value_seed(Raw)?;
                    if row.fields[*index].replace(value).is_some() {
                        return Err(twice());
                    }
                }
                Some(Column::About(index)) => {
                    let value = map.next_value_seed(Raw)?;
                    if row.about[*index].replace(value).is_some() {
                        return Err(twice());
                    }
                }
                Some(Column::Foreign) => return Err(A::Error::custom("a record")),
                None => {
                    map.next_value_seed(Raw)?;
                }
            }
        }
        Ok(())
    }
}

/// Reads a name: a text or an integer.
struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NameSeed {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        // In pandas, a column of integers with a missing one becomes doubles.
        if value.fract() != 0.0 || value.abs() > EXACT {
            return Err(E::custom("not a whole number"));
        }
        Ok(Some(Cow::Owned((value as i64).to_string())))
    }
}
