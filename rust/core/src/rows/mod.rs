//! Rows of a table as lines of text, from the columns that Arrow keeps them in.
//!
//! Columns are borrowed as they lie in memory. Whatever is not as Arrow promises is [`Refused`], so
//! that the twin in `trajmeter.writers.lines` writes it, or says what is wrong.

mod csv;
mod json;

use std::ops::Range;

pub use csv::csv_lines;
pub use json::json_lines;

use crate::pool;

/// Rows that one thread writes at a time.
const ROWS: usize = 512;

/// A column is not what it should be, or holds a value that the twin has to decide about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Truth values, eight a byte.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    /// The bytes; the lowest bit comes first.
    pub bytes: &'a [u8],
    /// Number of the bit that belongs to the first value.
    pub first: usize,
}

impl Bits<'_> {
    fn get(&self, at: usize) -> Result<bool, Refused> {
        let bit = self.first + at;
        let byte = self.bytes.get(bit / 8).ok_or(Refused)?;
        Ok(byte >> (bit % 8) & 1 == 1)
    }
}

/// Texts, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    offsets: &'a [i32],
    text: &'a str,
}

impl<'a> Texts<'a> {
    /// Texts, each from its offset into `bytes` to the next.
    ///
    /// # Errors
    ///
    /// The offsets lie outside, or the bytes between them are not UTF-8.
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
    /// Values of any shape, as JSON.
    Json(Texts<'a>),
    /// Lists, by where the items of each begin.
    List(&'a [i32], Box<Column<'a>>),
    /// Mappings, by where the keys and values of each begin.
    Mapping(&'a [i32], Texts<'a>, Box<Column<'a>>),
    /// Records, by the columns of their members.
    Record(Vec<(String, Column<'a>)>),
}

/// One column.
#[derive(Clone, Debug)]
pub struct Column<'a> {
    /// Whether each row has a value; all have, where there are no bits.
    pub valid: Option<Bits<'a>>,
    /// The values; where a row has none, anything may stand.
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

/// What lies between an offset and the next.
fn between(offsets: &[i32], at: usize) -> Result<Range<usize>, Refused> {
    let begin = usize::try_from(value(offsets, at)?).map_err(|_| Refused)?;
    let end = usize::try_from(value(offsets, at + 1)?).map_err(|_| Refused)?;
    if begin > end {
        return Err(Refused);
    }
    Ok(begin..end)
}

/// Writes every row, many at a time in the threads there are.
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
