//! JSON trees that borrow from their text, for values that are read in no fixed order or kept as
//! written.
//!
//! Strings are unescaped on demand, and objects remember the text that they were parsed from, so
//! that JSON columns are copied from the file. Only values that mean the same to every parser are
//! accepted; if a key occurs twice, the last value counts.

use std::borrow::Cow;

use super::escapes::{Escapes, unescaped};
use super::raw::{Uncertain, is_certain};
use super::value::are_distinct;

/// A JSON string as written, with its quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quoted<'a> {
    pub json: &'a str,
    pub escapes: Escapes,
}

impl<'a> Quoted<'a> {
    /// Creates a string without escapes from its JSON.
    pub(super) fn plain(json: &'a str) -> Self {
        Self {
            json,
            escapes: Escapes::Absent,
        }
    }

    /// Returns the content between its quotes.
    pub(super) fn inside(self) -> &'a str {
        &self.json[1..self.json.len() - 1]
    }

    pub(super) fn is_empty(self) -> bool {
        self.json.len() == 2
    }

    /// Returns the unescaped text; `None` if it contains half a surrogate pair.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self.escapes {
            Escapes::Absent => Some(Cow::Borrowed(self.inside())),
            Escapes::Named | Escapes::Other => unescaped(self.inside()),
        }
    }

    /// Returns the unescaped text.
    ///
    /// # Errors
    ///
    /// [`Uncertain`] if it contains half a surrogate pair.
    pub(super) fn certain(self) -> Result<Cow<'a, str>, Uncertain> {
        self.text().ok_or(Uncertain)
    }

    pub(super) fn is(self, text: &str) -> bool {
        if self.escapes != Escapes::Absent {
            return self.text().is_some_and(|own| own == text);
        }
        self.inside() == text
    }
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Boolean(bool),
    /// A number as written.
    Number(&'a str),
    Text(Quoted<'a>),
    List(List<'a>),
    Object(Object<'a>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct List<'a> {
    /// The text that it was parsed from; `None` once it was changed.
    pub json: Option<&'a str>,
    pub items: Vec<Node<'a>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object<'a> {
    /// The text that it was parsed from; `None` once it was changed.
    pub json: Option<&'a str>,
    pub members: Vec<(Quoted<'a>, Node<'a>)>,
}

/// The value of an absent key.
static NULL: Node<'static> = Node::Null;

impl<'a> Object<'a> {
    /// Returns the value of a key, if present.
    pub(super) fn find(&self, key: &str) -> Option<&Node<'a>> {
        let mut members = self.members.iter().rev();
        members.find(|(own, _)| own.is(key)).map(|(_, value)| value)
    }

    /// Returns the value of a key; null if absent.
    pub(super) fn get(&self, key: &str) -> &Node<'a> {
        self.find(key).unwrap_or(&NULL)
    }

    /// Removes a key and returns its value, if present.
    pub(super) fn take(&mut self, key: &str) -> Option<Node<'a>> {
        let at = self.members.iter().rposition(|(own, _)| own.is(key))?;
        self.json = None;
        Some(self.members.remove(at).1)
    }

    /// Removes every occurrence of a key.
    pub(super) fn remove(&mut self, key: &str) {
        let count = self.members.len();
        self.members.retain(|(own, _)| !own.is(key));
        self.json = self.json.filter(|_| self.members.len() == count);
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Returns whether every key occurs once; `false` if a key contains half a surrogate pair.
    pub(super) fn has_distinct_keys(&self) -> bool {
        let keys: Option<Vec<_>> = self.members.iter().map(|(key, _)| key.text()).collect();
        keys.is_some_and(|keys| are_distinct(keys.len(), || keys.iter().map(|key| &**key)))
    }
}

impl<'a> Node<'a> {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether the value is truthy in Python.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Number(digits) => number(digits) != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.items.is_empty(),
            Self::Object(object) => !object.members.is_empty(),
        }
    }

    pub(super) fn or<'n>(&'n self, other: &'n Self) -> &'n Self {
        if self.is_true() { self } else { other }
    }

    pub(super) fn quoted(&self) -> Option<Quoted<'a>> {
        match self {
            Self::Text(text) => Some(*text),
            _ => None,
        }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.quoted().is_some_and(|own| own.is(text))
    }

    pub(super) fn object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(&list.items),
            _ => None,
        }
    }

    /// Returns the value as JSON, as written if it was not changed; `None` if it is not certain to
    /// mean the same to the record reader.
    pub(super) fn json(&self) -> Option<Cow<'a, str>> {
        let written = match self {
            Self::Null => "null",
            Self::Boolean(true) => "true",
            Self::Boolean(false) => "false",
            Self::Number(digits) => digits,
            Self::Text(text) if text.escapes != Escapes::Other => text.json,
            Self::Text(Quoted { json, .. })
            | Self::List(List {
                json: Some(json), ..
            })
            | Self::Object(Object {
                json: Some(json), ..
            }) => {
                return is_certain(json).then_some(Cow::Borrowed(json));
            }
            Self::List(_) | Self::Object(_) => {
                let mut json = String::new();
                self.write(&mut json);
                return is_certain(&json).then_some(Cow::Owned(json));
            }
        };
        Some(Cow::Borrowed(written))
    }

    fn write(&self, json: &mut String) {
        match self {
            Self::List(List { json: None, items }) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    json.push_str(if index > 0 { ", " } else { "" });
                    item.write(json);
                }
                json.push(']');
            }
            Self::Object(Object {
                json: None,
                members,
            }) => {
                json.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    json.push_str(if index > 0 { ", " } else { "" });
                    json.push_str(key.json);
                    json.push_str(": ");
                    value.write(json);
                }
                json.push('}');
            }
            Self::List(List {
                json: Some(own), ..
            })
            | Self::Object(Object {
                json: Some(own), ..
            }) => json.push_str(own),
            Self::Text(text) => json.push_str(text.json),
            Self::Number(digits) => json.push_str(digits),
            Self::Boolean(value) => json.push_str(if *value { "true" } else { "false" }),
            Self::Null => json.push_str("null"),
        }
    }
}

/// Parses a valid JSON number.
pub(super) fn number(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::NAN)
}

/// Returns whether Python parses a number as an integer.
pub(super) fn is_integer(digits: &str) -> bool {
    !digits.contains(['.', 'e', 'E'])
}
