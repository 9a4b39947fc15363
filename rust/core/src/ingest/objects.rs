//! Deserializers for objects, key by key, and for lists of values. Any other value is an error.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::value::{Text, only_if};

/// A type that reads an object key by key.
pub(super) trait Object<'de> {
    /// Reads the value of a key.
    fn key<A: MapAccess<'de>>(&mut self, key: Text<'de>, map: &mut A) -> Result<(), A::Error>;
}

/// Reads an object into `T`; null counts as an empty object if `nullable`.
pub(super) struct Into<'a, T> {
    pub target: &'a mut T,
    pub nullable: bool,
}

impl<'de, T: Object<'de>> DeserializeSeed<'de> for Into<'_, T> {
    /// Whether there was an object.
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for Into<'_, T> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<bool, E> {
        only_if(self.nullable)?;
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            self.target.key(key, &mut map)?;
        }
        Ok(true)
    }
}

/// Marks a key as seen; an error if it was seen before.
pub(super) fn once<E: serde::de::Error>(seen: &mut u16, bit: u8) -> Result<(), E> {
    only_if(*seen & (1 << bit) == 0)?;
    *seen |= 1 << bit;
    Ok(())
}

/// Appends the items of a list, or of null, to `values`.
pub(super) struct List<'a, T> {
    pub values: &'a mut Vec<T>,
    pub nullable: bool,
}

/// An item of a list.
pub(super) trait Item<'de>: Sized {
    /// Reads the next item, if there is one.
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error>;
}

impl<'de> Item<'de> for Text<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        list.next_element()
    }
}

impl<'de, T: Item<'de>> DeserializeSeed<'de> for List<'_, T> {
    /// Whether there was a list.
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Item<'de>> Visitor<'de> for List<'_, T> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<bool, E> {
        only_if(self.nullable)?;
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        while let Some(value) = T::next(&mut list)? {
            self.values.push(value);
        }
        Ok(true)
    }
}

/// Reads the next object of a list.
pub(super) fn next_object<'de, T, A>(list: &mut A) -> Result<Option<T>, A::Error>
where
    T: Object<'de> + Default,
    A: SeqAccess<'de>,
{
    let mut value = T::default();
    let into = Into {
        target: &mut value,
        nullable: false,
    };
    Ok(list.next_element_seed(into)?.map(|_| value))
}
