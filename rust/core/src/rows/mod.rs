//! Rows of a table as lines of text, from Arrow columns.
//!
//! Columns are borrowed from Arrow's memory. Whatever breaks Arrow's guarantees is [`Refused`], so
//! that the twin in `trajmeter.writers.lines` writes it or reports what is wrong.

mod csv;
mod json;

use std::ops::Range;

pub use csv::csv_lines;
pub use json::json_lines;

use crate::pool;

/// Rows per piece of work of a thread.
const ROWS: usize = 512;

/// A column is invalid, or holds a value that is left to the twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Booleans, eight per byte.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes, lowest bit first.
    pub bytes: &'a [u8],
    /// Index of the bit of the first value.
    pub first: usize,
}

impl Bits<'_> {
    fn get(&self, at: usize) -> Result<bool, Refused> {
        let bit = self.first + at;
        let byte = self.bytes.get(bit / 8).ok_or(Refused)?;
        Ok(byte >> (bit % 8) & 1 == 1)
    }
}

/// Texts, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    offsets: &'a [i32],
    text: &'a str,
}

impl<'a> Texts<'a> {
    /// Creates texts, each from its offset into `bytes` to the next.
    ///
    /// # Errors
    ///
    /// [`Refused`] if the offsets are out of range, or the bytes between them are not UTF-8.
    pub fn new(offsets: &'a [i32], bytes: &'a [u8]) -> Result<Self, Refused> {
        let end = usize::try_from(*offsets.last().unwrap_or(&0)).map_err(|_| Refused)?;
        let begin = usize::try_from(*offsets.first().unwrap_or(&0)).map_err(|_| Refused)?;
        let used = bytes.get(begin..end).ok_or(Refused)?;
        let text = std::str::from_utf8(used).map_err(|_| Refused)?;
        Ok(Self { offsets, text })
    }

    fn get(&self, at: usize) -> Result<&'a str, Refused> {
        let range = between(self.offsets, at)?;
        let first = self.offsets[0] as usize;
        let begin = range.start.checked_sub(first).ok_or(Refused)?;
        self.text.get(begin..range.end - first).ok_or(Refused)
    }
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values<'a> {
    /// True or false.
    Boolean(Bits<'a>),
    /// Integers.
    Integer(&'a [i64]),
    /// Doubles.
    Number(&'a [f64]),
    /// Texts.
    Text(Texts<'a>),
    /// Values of any type, as JSON.
    Json(Texts<'a>),
    /// Lists: the offsets of their items, and the items.
    List(&'a [i32], Box<Column<'a>>),
    /// Mappings: the offsets of their entries, the keys, and the values.
    Mapping(&'a [i32], Texts<'a>, Box<Column<'a>>),
    /// Records.
    Record(Vec<Member<'a>>),
}

/// A member of a record, or a column of a table.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Its name.
    pub name: String,
    /// Its values.
    pub column: Column<'a>,
    /// The JSON of the value that its absence means, in records that are read back: it is left out
    /// where it has this value or none.
    pub default: Option<String>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Whether each row has a value; all do if this is `None`.
    pub valid: Option<Bits<'a>>,
    /// The values; arbitrary in rows without a value.
    pub values: Values<'a>,
}

impl Column<'_> {
    fn has(&self, row: usize) -> Result<bool, Refused> {
        self.valid.as_ref().map_or(Ok(true), |valid| valid.get(row))
    }
}

fn value<T: Copy>(values: &[T], at: usize) -> Result<T, Refused> {
    values.get(at).copied().ok_or(Refused)
}

/// Returns the range between an offset and the next.
fn between(offsets: &[i32], at: usize) -> Result<Range<usize>, Refused> {
    let begin = usize::try_from(value(offsets, at)?).map_err(|_| Refused)?;
    let end = usize::try_from(value(offsets, at + 1)?).map_err(|_| Refused)?;
    if begin > end {
        return Err(Refused);
    }
    Ok(begin..end)
}

/// Writes all rows, many at a time on the available threads.
fn write_rows(
    rows: usize,
    write: impl Fn(&mut Vec<u8>, usize) -> Result<(), Refused> + Send + Sync,
) -> Result<Vec<Vec<u8>>, Refused> {
    let pieces = pool::map(pool::chunks(rows, ROWS), |piece| {
        let mut out = Vec::new();
        for row in piece {
            write(&mut out, row)?;
        }
        Ok(out)
    });
    pieces.into_iter().collect()
}
