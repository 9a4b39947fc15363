//! Reading of benchmark tables, from JSON or from rows in columns.

use std::borrow::Cow;
use std::fmt;
use std::mem;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::entry::{Entry, EntrySeed};
use super::files::Table;
use super::names::Numbers;
use super::plain::{Name, Reader};
use super::written::Rows;
use crate::ingest::Text;
use crate::pool;

/// Bytes of text per piece of work.
const PIECE: usize = 1 << 20;

/// Typical bytes of an entry.
const ENTRY: usize = 100;

/// The key that fc-eval's merge of several tables drops.
const LOST: &str = "error";

/// Tables of many attempts.
#[derive(Debug, Default)]
pub struct Tables {
    /// Name of each benchmark.
    pub names: Vec<String>,
    /// The benchmarks of all tables, as each piece of work read them.
    entries: Vec<Vec<Entry>>,
    /// The piece of each table, and the range of its entries there.
    places: Vec<(usize, Range<usize>)>,
}

impl Tables {
    /// Reads each table, from text or from these rows; also returns which could be read.
    #[must_use]
    pub fn read(tables: &[Table], rows: &Rows, is_merged: bool) -> (Self, Vec<bool>) {
        let mut all = Self::default();
        let mut are_read = Vec::with_capacity(tables.len());
        let mut numbers = Numbers::default();
        let pieces = pool::map(pieces(tables, rows).into_iter(), |range| {
            Piece::of(&tables[range], rows, is_merged)
        });
        for (piece, read) in pieces.into_iter().enumerate() {
            let Piece {
                names,
                mut entries,
                tables,
                ..
            } = read;
            let names = names.into_names();
            let numbers: Vec<_> = names.into_iter().map(|name| numbers.number(name)).collect();
            if numbers.iter().zip(0..).any(|(&number, own)| number != own) {
                for entry in &mut entries {
                    entry.benchmark = numbers[entry.benchmark as usize];
                }
            }
            all.entries.push(entries);
            for table in tables {
                are_read.push(table.is_some());
                all.places.push((piece, table.unwrap_or_default()));
            }
        }
        let names = numbers.into_names().into_iter();
        all.names = names.map(Cow::into_owned).collect();
        (all, are_read)
    }

    /// Returns the entries of a table.
    #[must_use]
    pub fn table(&self, index: usize) -> &[Entry] {
        let (piece, range) = &self.places[index];
        &self.entries[*piece][range.clone()]
    }

    /// Returns the entries of every table.
    pub fn iter(&self) -> impl Iterator<Item = &[Entry]> {
        (0..self.places.len()).map(|index| self.table(index))
    }
}

fn pieces(tables: &[Table], rows: &Rows) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (index, table) in tables.iter().enumerate() {
        bytes += size(table, rows);
        if bytes >= PIECE {
            pieces.push(begin..index + 1);
            (begin, bytes) = (index + 1, 0);
        }
    }
    pieces.push(begin..tables.len());
    pieces
}

/// Returns the number of bytes of a table as text, roughly.
fn size(table: &Table, rows: &Rows) -> usize {
    match table {
        Table::Text(text) => text.len(),
        Table::Rows(attempt) => rows.range(*attempt).len() * ENTRY,
    }
}

/// Tables of some attempts.
#[derive(Default)]
struct Piece<'t> {
    names: Numbers<'t>,
    reader: Reader<'t>,
    entries: Vec<Entry>,
    /// Range of the entries of each table; `None` if it could not be read.
    tables: Vec<Option<Range<usize>>>,
    /// Number of the name with each index among the names of rows.
    of_code: Vec<Option<u32>>,
    /// Number of tables begun.
    begun: usize,
    /// Number of the last table, from 1, in which each name was seen.
    met: Vec<usize>,
}

impl<'t> Piece<'t> {
    fn of(tables: &[Table<'t>], rows: &Rows<'t>, is_merged: bool) -> Self {
        let bytes: usize = tables.iter().map(|table| size(table, rows)).sum();
        let mut piece = Self {
            entries: Vec::with_capacity(bytes / ENTRY),
            ..Self::default()
        };
        for table in tables {
            let begin = piece.entries.len();
            let is_read = match table {
                Table::Rows(attempt) => piece.rows(rows, *attempt, is_merged).is_some(),
                Table::Text(text) => {
                    piece.plain(text, is_merged).is_some() || {
                        piece.entries.truncate(begin);
                        piece.any(text, is_merged).is_some()
                    }
                }
            };
            if !is_read {
                piece.entries.truncate(begin);
            }
            let end = piece.entries.len();
            piece.tables.push(is_read.then_some(begin..end));
        }
        piece
    }

    fn plain(&mut self, text: &'t str, is_merged: bool) -> Option<()> {
        self.begun += 1;
        let mut reader = mem::take(&mut self.reader);
        let read = reader.read(text, is_merged, |name, entry| {
            let benchmark = match name {
                Name::Known(number) => self.once(number)?,
                Name::Text(name) => self.number(name, is_merged)?,
            };
            self.entries.push(Entry { benchmark, ..entry });
            Some(benchmark)
        });
        self.reader = reader;
        read
    }

    fn any(&mut self, text: &'t str, is_merged: bool) -> Option<()> {
        self.begun += 1;
        let mut json = serde_json::Deserializer::from_str(text);
        let seed = TableSeed {
            is_merged,
            piece: self,
        };
        seed.deserialize(&mut json).ok()?;
        json.end().ok()
    }

    fn rows(&mut self, rows: &Rows<'t>, attempt: usize, is_merged: bool) -> Option<()> {
        self.begun += 1;
        for row in rows.range(attempt) {
            let code = usize::try_from(rows.benchmark[row]).ok()?;
            let benchmark = if let Some(&Some(number)) = self.of_code.get(code) {
                self.once(number)?
            } else {
                let number = self.number(Cow::Borrowed(*rows.names.get(code)?), is_merged)?;
                if code >= self.of_code.len() {
                    self.of_code.resize(code + 1, None);
                }
                self.of_code[code] = Some(number);
                number
            };
            let entry = rows.entry(row, is_merged)?;
            self.entries.push(Entry { benchmark, ..entry });
        }
        Some(())
    }

    /// Returns the number of the table's next name; `None` if its value is uncertain.
    fn number(&mut self, name: Cow<'t, str>, is_merged: bool) -> Option<u32> {
        if is_merged && name == LOST {
            return None;
        }
        let benchmark = self.names.number(name);
        self.once(benchmark)
    }

    /// Returns the number of a benchmark; `None` if the table already has it.
    fn once(&mut self, benchmark: u32) -> Option<u32> {
        let index = benchmark as usize;
        if index >= self.met.len() {
            self.met.resize(index + 1, 0);
        }
        let is_twice = mem::replace(&mut self.met[index], self.begun) == self.begun;
        (!is_twice).then_some(benchmark)
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
        while let Some(Text(name)) = map.next_key()? {
            let lost = || A::Error::custom("a benchmark twice, or one that a merge loses");
            let benchmark = piece.number(name, self.is_merged).ok_or_else(lost)?;
            let entry = map.next_value_seed(seed)?;
            piece.entries.push(Entry { benchmark, ..entry });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
