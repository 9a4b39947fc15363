//! The tables in the files of attempts; a file may hold those of every agent of its trial.

use std::borrow::Cow;

use memchr::memmem;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Rows;
use super::json::push_text;
use crate::ingest::Text;
use crate::text::Texts;

/// Names of agents with their models, `agent:model`.
pub struct Keys<'a> {
    /// Each name once.
    pub names: &'a [String],
    /// Index of each attempt's name.
    pub own: &'a [i64],
    /// Index of the name to which the table without a name belongs; -1 if unknown.
    pub last: &'a [i64],
}

/// The contents of the files of all attempts.
pub struct Files<'a> {
    /// Tables by name, as JSON; empty if there are none.
    pub named: Texts<'a>,
    /// A table without a name, as JSON; empty if there is none.
    pub unnamed: Texts<'a>,
    /// The only table of a file, under the attempt's own name.
    pub rows: Rows<'a>,
    /// Whether anything was measured.
    pub is_measured: &'a [bool],
    /// The names of the attempts.
    pub keys: Keys<'a>,
}

/// Attempts that are compared with one another.
pub struct Trials<'a> {
    /// Trial `i` has the members `offsets[i]..offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// The attempts of each trial; those that are scored in it come first.
    pub members: &'a [i64],
    /// Number of attempts that are scored in each trial.
    pub scored: &'a [i64],
}

/// A table.
#[derive(Clone, Copy, PartialEq)]
pub enum Table<'a> {
    /// As JSON.
    Text(&'a str),
    /// The rows of this attempt.
    Rows(usize),
}

impl Table<'_> {
    /// Returns whether this is an object.
    pub(super) fn is_object(&self) -> bool {
        match self {
            Self::Text(text) => text.starts_with('{'),
            Self::Rows(_) => true,
        }
    }
}

/// Tables of a file, with their names; `None` if the file is left to the record form.
pub(super) type Named<'a> = Option<Vec<(Cow<'a, str>, Table<'a>)>>;

impl<'a> Files<'a> {
    /// Returns the tables in a file with their names.
    pub(super) fn named(&self, row: usize, guess: bool) -> Named<'a> {
        let key = self.keys.name(row);
        if !self.rows.range(row).is_empty() {
            return Some(vec![(Cow::Borrowed(key), Table::Rows(row))]);
        }
        let Some(text) = json(self.named, row) else {
            return Some(Vec::new());
        };
        if let Some(table) = guess.then(|| only(text, key)).flatten() {
            return Some(vec![(Cow::Borrowed(key), Table::Text(table))]);
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let named = json.deserialize_map(All).ok()?;
        json.end().ok()?;
        Some(named)
    }

    /// Returns the table without a name in a file.
    pub(super) fn unnamed(&self, row: usize) -> Option<&'a str> {
        json(self.unnamed, row)
    }
}

/// Returns the JSON text of a row; `None` if it is empty or not UTF-8.
fn json(texts: Texts<'_>, row: usize) -> Option<&str> {
    texts.get(row).filter(|text| !text.is_empty())
}

/// Returns the table in a file, if the file appears to hold only the table of `key`.
fn only<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut begin = vec![b'{'];
    push_text(&mut begin, key);
    begin.push(b':');
    let rest = text.as_bytes().strip_prefix(&begin[..])?;
    let is_last = memmem::find(rest, b"}}").is_some_and(|place| place + 3 == rest.len());
    (is_last && rest.ends_with(b"}}}")).then(|| text[begin.len()..text.len() - 1].trim_start())
}

/// Reads an object of tables, each as JSON text.
struct All;

impl<'de> Visitor<'de> for All {
    type Value = Vec<(Cow<'de, str>, Table<'de>)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some((Text(key), table)) = map.next_entry::<_, &RawValue>()? {
            found.push((key, Table::Text(table.get())));
        }
        Ok(found)
    }
}

impl<'a> Keys<'a> {
    pub(super) fn name(&self, row: usize) -> &'a str {
        &self.names[self.own[row] as usize]
    }
}

impl<'a> Trials<'a> {
    pub(super) fn members(&self, trial: usize) -> &'a [i64] {
        &self.members[self.offsets[trial] as usize..self.offsets[trial + 1] as usize]
    }
}
