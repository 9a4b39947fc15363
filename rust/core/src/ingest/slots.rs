//! Deserialization of JSON directly into a column, by its shape. Any other value is refused.
//!
//! A refusal may leave a partly written row, which the caller removes.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::column::Column;
use super::shape::{Kind, Member, Shape};
use super::value::{Others, Text, are_distinct, is_empty, only_if, raw, refused};

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
