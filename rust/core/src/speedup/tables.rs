//! Tables of benchmarks, read from JSON.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::entry::{Entry, EntrySeed};
use super::names::Numbers;
use crate::ingest::Text;
use crate::pool;

/// Texts of one piece of work, in bytes.
const PIECE: usize = 1 << 20;

/// Bytes of an entry, as most are.
const ENTRY: usize = 100;

/// What fc-eval's merge of several tables loses.
const LOST: &str = "error";

/// Tables of many attempts.
#[derive(Debug, Default)]
pub struct Tables {
    /// Name of each benchmark.
    pub names: Vec<String>,
    /// The benchmarks of all tables.
    pub entries: Vec<Entry>,
    /// Which entries each table has.
    pub tables: Vec<Range<usize>>,
}

impl Tables {
    /// Reads a table from each text; the second part says which could be read.
    #[must_use]
    pub fn read(texts: &[&str], is_merged: bool) -> (Self, Vec<bool>) {
        let mut all = Self::default();
        let mut are_read = Vec::with_capacity(texts.len());
        let mut numbers = Numbers::default();
        let pieces = pool::map(pieces(texts).into_iter(), |range| {
            Piece::of(&texts[range], is_merged)
        });
        let count = pieces.iter().map(|piece| piece.entries.len()).sum();
        all.entries.reserve_exact(count);
        for piece in pieces {
            let Piece {
                names,
                entries,
                tables,
                ..
            } = piece;
            let names = names.into_names();
            let numbers: Vec<_> = names.into_iter().map(|name| numbers.number(name)).collect();
            let offset = all.entries.len();
            all.entries.extend(entries.into_iter().map(|entry| Entry {
                benchmark: numbers[entry.benchmark as usize],
                ..entry
            }));
            for table in tables {
                are_read.push(table.is_some());
                let range = table.unwrap_or_default();
                all.tables.push(range.start + offset..range.end + offset);
            }
        }
        let names = numbers.into_names().into_iter();
        all.names = names.map(Cow::into_owned).collect();
        (all, are_read)
    }
}

fn pieces(texts: &[&str]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len();
        if bytes >= PIECE {
            pieces.push(begin..index + 1);
            (begin, bytes) = (index + 1, 0);
        }
    }
    pieces.push(begin..texts.len());
    pieces
}

/// Tables of some attempts.
#[derive(Default)]
struct Piece<'t> {
    names: Numbers<'t>,
    entries: Vec<Entry>,
    /// Entries of each table; none where it could not be read.
    tables: Vec<Option<Range<usize>>>,
    /// Number of the last table that each name was met in, from 1.
    met: Vec<usize>,
}

impl<'t> Piece<'t> {
    fn of(texts: &[&'t str], is_merged: bool) -> Self {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let mut piece = Self {
            entries: Vec::with_capacity(bytes / ENTRY),
            ..Self::default()
        };
        for text in texts {
            let begin = piece.entries.len();
            let mut json = serde_json::Deserializer::from_str(text);
            let seed = TableSeed {
                is_merged,
                piece: &mut piece,
            };
            let is_read = seed.deserialize(&mut json).is_ok() && json.end().is_ok();
            if !is_read {
                piece.entries.truncate(begin);
            }
            let end = piece.entries.len();
            piece.tables.push(is_read.then_some(begin..end));
        }
        piece
    }
}

struct TableSeed<'p, 't> {
    is_merged: bool,
    piece: &'p mut Piece<'t>,
}

impl<'de> DeserializeSeed<'de> for TableSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TableSeed<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let seed = EntrySeed {
            booleans_are_numbers: self.is_merged,
        };
        let piece = self.piece;
        let table = piece.tables.len() + 1;
        while let Some(Text(name)) = map.next_key()? {
            if self.is_merged && name == LOST {
                return Err(A::Error::custom("a name that a merge loses"));
            }
            let benchmark = piece.names.number(name);
            let index = benchmark as usize;
            if index >= piece.met.len() {
                piece.met.resize(index + 1, 0);
            }
            if std::mem::replace(&mut piece.met[index], table) == table {
                return Err(A::Error::custom("a benchmark twice"));
            }
            let entry = map.next_value_seed(seed)?;
            piece.entries.push(Entry { benchmark, ..entry });
        }
        Ok(())
    }
}
