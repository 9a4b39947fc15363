//! Strings, and values that are kept as JSON text, as deserialized from a line.
//!
//! A refusal carries no reason, because the record reader reads the line again and reports what is
//! wrong.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::escapes::json_text;
use super::raw::is_certain;

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
