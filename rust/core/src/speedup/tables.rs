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
mod tests {
    use super::{Entry, Piece};

    /// Formats the entries and the names that were seen; `None` if the table is refused.
    fn read(text: &str, is_merged: bool, is_plain: bool) -> Option<String> {
        let mut piece = Piece::default();
        if is_plain {
            piece.plain(text, is_merged)?;
        } else {
            piece.any(text, is_merged)?;
        }
        Some(format!(
            "{:?} {:?}",
            piece.entries,
            piece.names.into_names()
        ))
    }

    #[test]
    fn plain_tables_are_read_alike() {
        let plain = [
            r"{}",
            r#" { "a" : { "agent/nop" : 1.1 , "oracle/nop" : 0.30000000000000004 } } "#,
            r#"{"a": {"agent/nop": 1, "oracle/nop": null, "significant": true}, "b": {}}"#,
            r#"{"\u00e9\n": {"agent/nop": -0, "oracle/nop": 0.0, "fallback_to_baseline": true}}"#,
            r#"{"a": {"nop_seconds": 2, "agent_seconds": 1e-3, "agent/nop": null, "x": 1}}"#,
            r#"{"a": {"agent/nop": true, "oracle/nop": 18446744073709551616, "significant": 1}}"#,
        ];
        let left = [
            r#"{"a": {"agent/nop": "1"}}"#,
            r#"{"a": {"x": [1, {}]}}"#,
            r#"{"a": null, "b": 1}"#,
            r#"{"a": {"agent_seconds": {"value": 1}}}"#,
        ];
        let refused = [
            r#"{"a": {}, "a": {}}"#,
            r#"{"a": {"agent/nop": 1, "agent/nop": 1}}"#,
            r#"{"a": {"agent/nop": 1e999}}"#,
            r#"{"a": {"agent/nop": NaN}}"#,
            r#"{"a": {"agent/nop": 01}}"#,
            r#"{"a": {}} x"#,
            r#"{"a": {},}"#,
            r#"{"a": {}"#,
            r"[]",
            "",
        ];
        for is_merged in [false, true] {
            for text in plain {
                let own = read(text, is_merged, true);
                assert!(own.is_some(), "{text}");
                assert_eq!(own, read(text, is_merged, false), "{text}");
            }
            for text in left.iter().chain(&refused) {
                assert_eq!(read(text, is_merged, true), None, "{text}");
            }
            for text in refused {
                assert_eq!(read(text, is_merged, false), None, "{text}");
            }
        }
        assert_eq!(read(r#"{"error": {}}"#, true, true), None);
        assert!(read(r#"{"error": {}}"#, false, true).is_some());
    }

    #[test]
    fn tables_are_read_alike_after_others() {
        let texts = [
            r#"{"a": {"agent/nop": 1.5, "oracle/nop": 2}, "b": {"agent/nop": 1, "oracle/nop": 3}}"#,
            r#"{"a": {"agent/nop": 0.1, "oracle/nop": null}, "b": {"agent/nop": 2, "oracle/nop": 4}}"#,
            r#"{"b": {"agent/nop": 5, "oracle/nop": 6}, "a": {"agent/nop": 7, "oracle/nop": 8}}"#,
            r#"{"a":{"agent/nop":1,"oracle/nop":2},"b":{"agent/nop":1}}"#,
            r#"{"a":{"agent/nop":3,"oracle/nop":4},"b":{"agent/nop":5}}"#,
            r#"{"a":{"agent/nop":3} , "b" : {"agent/nop":5, "oracle/nop":1, "x":1} , "c":{} }"#,
            r#"{"a":{"oracle/nop":3} , "b" : {"agent/nop":5, "oracle/nop":1, "y":1} , "c":{"x":1}}"#,
            r#"{"a": {"agent/nop": 1.5}, "a": {"agent/nop": 1.5}}"#,
            r#"{"a": {"agent/nop": 1.5, "oracle/nop": 2}, "a": {"agent/nop": 1.5, "oracle/nop": 2}}"#,
            r#"{"a": {"agent/nop": 1.5, "oracle/nop": 01}}"#,
            r#"{"a": {"agent/nop": 1.5, "oracle/nop": 1}"#,
            r#"{"ab": {"agent/nop": 1.5, "oracle/nop": 2, "significant": true}}"#,
            r#"{"\u0061": {"agent/nop": 1.5, "oracle/nop": 2, "significant": true}}"#,
            "{}",
            r#"{"a": {"agent/nop": 2, "oracle/nop": 2, "fallback_to_baseline": true}}"#,
        ];
        for is_merged in [false, true] {
            for (first, second) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
                let [plain, any] = [true, false].map(|is_plain| {
                    let mut piece = Piece::default();
                    let mut found = Vec::new();
                    for text in [first, second, first] {
                        let begin = piece.entries.len();
                        let read = if is_plain {
                            piece.plain(text, is_merged)
                        } else {
                            piece.any(text, is_merged)
                        };
                        if read.is_none() {
                            piece.entries.truncate(begin);
                        }
                        found.push((read, piece.entries.len()));
                    }
                    let names = piece.names.into_names();
                    // Numbers may differ: a refused table assigns some too.
                    let entries = piece.entries.iter().map(|&entry| {
                        let name = &names[entry.benchmark as usize];
                        let benchmark = 0;
                        (name, Entry { benchmark, ..entry })
                    });
                    format!("{found:?} {:?}", entries.collect::<Vec<_>>())
                });
                assert_eq!(plain, any, "{first} {second}");
            }
        }
    }
}
