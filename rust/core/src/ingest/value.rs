//! Deserialization of JSON directly into a column, by its shape. Any other value is refused.
//!
//! A refusal may leave a partly written row, which the caller removes. It carries no reason,
//! because the record reader reads the line again and reports what is wrong.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::column::Column;
use super::escapes::json_text;
use super::raw::is_certain;
use super::shape::{Kind, Member, Shape};

/// Up to this many keys, a linear search is faster than hashing.
const FEW_KEYS: usize = 16;

/// Returns the error of a refusal.
pub(super) fn refused<E: Error>() -> E {
    E::custom("refused")
}

/// Refuses unless `condition` holds.
pub(super) fn only_if<E: Error>(condition: bool) -> Result<(), E> {
    if condition { Ok(()) } else { Err(refused()) }
}

/// A string, borrowed from the line if it contains no escapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Text<'de>(pub Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Whole)
    }
}

/// Reads the JSON text of any value.
pub(super) fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de str, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?.get();
    only_if(is_certain(text))?;
    Ok(text)
}

/// As [`raw`], for the next value of an object.
pub(crate) struct Raw;

impl<'de> DeserializeSeed<'de> for Raw {
    type Value = &'de str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'de str, D::Error> {
        raw(deserializer)
    }
}

/// Returns whether JSON text holds an empty object or list.
pub(super) fn is_empty(raw: &str) -> bool {
    let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("x");
    inside.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Unknown keys with the JSON text of their values.
#[derive(Debug, Default)]
pub(super) struct Others<'de> {
    entries: Vec<(Text<'de>, &'de str)>,
}

impl<'de> Others<'de> {
    pub(super) fn add<A: MapAccess<'de>>(
        &mut self,
        key: Text<'de>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.entries.push((key, map.next_value_seed(Raw)?));
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| &*key.0)
    }

    /// Returns whether every key occurs once.
    pub(super) fn are_distinct(&self) -> bool {
        are_distinct(self.entries.len(), || self.keys())
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// Returns the object as JSON, with the members `more` at its end, given as JSON text.
    pub(super) fn json(&self, more: &[(&str, &str)]) -> String {
        let own = self.entries.iter().map(|(key, value)| (&*key.0, *value));
        let members = own.chain(more.iter().copied());
        let members: Vec<_> = members
            .map(|(key, value)| format!("{}: {value}", json_text(key)))
            .collect();
        format!("{{{}}}", members.join(", "))
    }
}

/// Returns whether every key occurs once.
pub(super) fn are_distinct<'a, I>(count: usize, keys: impl Fn() -> I) -> bool
where
    I: Iterator<Item = &'a str>,
{
    if count <= FEW_KEYS {
        return keys()
            .enumerate()
            .all(|(index, key)| keys().take(index).all(|other| other != key));
    }
    let mut seen = HashSet::with_capacity(count);
    keys().all(|key| seen.insert(key))
}

/// The row of a column that a value is written to.
pub(super) struct Slot<'a> {
    pub shape: &'a Shape,
    pub nullable: bool,
    pub column: &'a mut Column,
    pub row: usize,
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.shape.kind != Kind::Json {
            return deserializer.deserialize_any(self);
        }
        let text = raw(deserializer)?;
        let is_null = text == "null";
        only_if(!self.shape.is_object || text.starts_with('{') || (is_null && self.nullable))?;
        // Null, and an empty object if that is the default, are null in the column.
        if is_null || (self.shape.is_object && !self.nullable && is_empty(text)) {
            self.column.null(self.row);
            return Ok(());
        }
        only_if(self.column.text(self.row, text))
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of the column")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        only_if(self.nullable)?;
        self.column.null(self.row);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        only_if(self.column.boolean(self.row, value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        only_if(if self.shape.kind == Kind::Number {
            self.column.number(self.row, value as f64)
        } else {
            self.column.integer(self.row, value)
        })
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        if self.shape.kind == Kind::Number {
            return only_if(self.column.number(self.row, value as f64));
        }
        let value = i64::try_from(value).map_err(|_| refused())?;
        only_if(self.column.integer(self.row, value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        // `-0` is also parsed as -0.0, but is the integer 0 to the record reader.
        only_if(!(value == 0.0 && value.is_sign_negative()))?;
        only_if(self.column.number(self.row, value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let choices = &self.shape.choices;
        only_if(choices.is_empty() || choices.iter().any(|choice| choice == text))?;
        only_if(self.column.text(self.row, text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let shape = self.shape.item.as_deref().ok_or_else(refused)?;
        let items = self.column.items(self.row).ok_or_else(refused)?;
        loop {
            let row = items.len();
            let slot = Slot {
                shape,
                nullable: false,
                column: items,
                row,
            };
            if list.next_element_seed(slot)?.is_none() {
                break;
            }
            items.pad(row + 1);
        }
        self.column.close();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.shape.kind {
            Kind::Record => {
                self.column.pad(self.row);
                let row = self.column.len();
                let columns = self.column.columns(row).ok_or_else(refused)?;
                let fields = Fields {
                    members: &self.shape.members,
                    columns,
                    row,
                };
                fields.read(map, None)?;
            }
            Kind::Mapping => mapping(self.shape, self.column, self.row, map)?,
            _ => return Err(refused()),
        }
        self.column.close();
        Ok(())
    }
}

fn mapping<'de, A: MapAccess<'de>>(
    shape: &Shape,
    column: &mut Column,
    row: usize,
    mut map: A,
) -> Result<(), A::Error> {
    let shape = shape.item.as_deref().ok_or_else(refused)?;
    let (mut keys, items) = column.entries(row).ok_or_else(refused)?;
    let mut found: Vec<Text<'de>> = Vec::new();
    while let Some(key) = map.next_key::<Text<'de>>()? {
        only_if(keys.as_mut().is_none_or(|keys| keys.key(&key.0)))?;
        found.push(key);
        let row = items.len();
        map.next_value_seed(Slot {
            shape,
            nullable: false,
            column: items,
            row,
        })?;
        items.pad(row + 1);
    }
    only_if(are_distinct(found.len(), || {
        found.iter().map(|key| &*key.0)
    }))
}

/// The columns of a record's members, and the row to write.
pub(super) struct Fields<'a> {
    pub members: &'a [Member],
    pub columns: &'a mut [Column],
    pub row: usize,
}

impl Fields<'_> {
    /// Reads an object; unknown keys go to `others` or are refused.
    pub(super) fn read<'de, A: MapAccess<'de>>(
        self,
        mut map: A,
        mut others: Option<&mut Others<'de>>,
    ) -> Result<(), A::Error> {
        let mut seen: u64 = 0;
        let mut expected = 0;
        loop {
            let key = Key {
                members: self.members,
                expected,
            };
            match map.next_key_seed(key)? {
                None => break,
                Some(Found::Member(index)) => {
                    only_if(seen & (1 << index) == 0)?;
                    seen |= 1 << index;
                    expected = index + 1;
                    let member = &self.members[index];
                    map.next_value_seed(Slot {
                        shape: &member.shape,
                        nullable: member.nullable,
                        column: &mut self.columns[index],
                        row: self.row,
                    })?;
                }
                Some(Found::Other(key)) => match &mut others {
                    Some(others) => others.add(key, &mut map)?,
                    None => return Err(refused()),
                },
            }
        }
        let is_missing =
            |(index, member): (usize, &Member)| member.required && seen & (1 << index) == 0;
        only_if(!self.members.iter().enumerate().any(is_missing))
    }
}

enum Found<'de> {
    Member(usize),
    Other(Text<'de>),
}

struct Key<'a> {
    members: &'a [Member],
    /// The member after the previous one, which usually follows in files that Trajmeter wrote.
    expected: usize,
}

impl Key<'_> {
    fn member(&self, text: &str) -> Option<usize> {
        let expected = self.members.get(self.expected);
        if expected.is_some_and(|member| member.name == text) {
            return Some(self.expected);
        }
        self.members.iter().position(|member| member.name == text)
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'de>, D::Error> {
        let text = Text::deserialize(deserializer)?;
        Ok(self
            .member(&text.0)
            .map_or(Found::Other(text), Found::Member))
    }
}
