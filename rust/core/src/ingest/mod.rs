//! Records of JSON lines, read straight into columns.
//!
//! The readers in Python, which make records, are the specification. What is here reads the lines
//! it is certain of, and refuses every other: the caller gives those to the record reader, which
//! reads them or says what is wrong. So messages, and whatever is rare, exist once.

mod absent;
mod alike;
mod blocks;
mod certainty;
mod column;
mod context;
pub(crate) mod cursor;
mod documents;
pub mod equality;
mod escapes;
mod flat;
mod inspect;
mod lines;
mod logs;
mod merge;
mod messages;
mod objects;
mod parser;
mod places;
mod plain;
mod plain_records;
mod predictions;
pub(crate) mod raw;
mod records;
mod room;
mod row;
mod shape;
mod shares;
mod slots;
mod texts;
mod tree;
mod value;
mod wanted;
mod written;

use std::collections::HashSet;
use std::ops::Range;

pub use column::{Column, Values};
pub use documents::Document;
pub use inspect::Log;
pub(crate) use lines::pieces;
pub use shape::{Kind, Member, Shape};
pub use texts::Texts;
pub use wanted::Wanted;

pub(crate) use blocks::{BLOCK, Block};
pub(crate) use cursor::{Cursor, Scalar};
use places::{Places, View, item, place};
use row::Row;
pub(crate) use value::{Raw, Text};

/// What a line may hold besides its record: what `strip` takes away in the record reader.
pub(crate) const BLANK: &[u8] = b"\xef\xbb\xbf \t\r\n";

/// Reads lines of records into the columns of a shape.
#[derive(Debug)]
pub struct Reader {
    shape: Shape,
    wanted: Wanted,
    places: Places,
    formats: Vec<Format>,
    foreign: HashSet<String>,
}

/// A line, or a file, that is left to the record reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// How many rows of the piece come before it.
    pub row: usize,
    /// Its number: that of a line from 1, that of a file from 0.
    pub number: i64,
    /// Where a line stands in the block, with the newline that ends it.
    pub bytes: Range<usize>,
}

/// The rows of some lines that follow one another.
#[derive(Debug)]
pub struct Piece {
    /// How many rows there are.
    pub rows: usize,
    /// A column for each member of the shape; none for one that is not wanted.
    pub columns: Vec<Option<Column>>,
    /// The lines that made no row, in order.
    pub refused: Vec<Refused>,
    /// Number of the line behind the last, where lines are read.
    pub next_line: i64,
    /// How many rows are runs of mini-swe-agent 1; of logs, the others are of its version 2.
    pub version_1: usize,
}

/// Formats of a line; which one it is shows when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A record of our own.
    Own,
    /// A prediction of `ContextBench` or SWE-bench.
    Prediction,
    /// A row with a list of messages.
    Messages,
    /// A run of an instance with a list of messages, as in data sets of `OpenHands`.
    Instance,
    /// A run of an instance with fenced actions, as in data sets of `SWE-agent`.
    Fenced,
    /// A list of messages by itself.
    List,
}

impl Reader {
    /// A reader of trajectories into the columns of `shape` that are wanted.
    ///
    /// # Errors
    ///
    /// A message, if a column is missing that a format needs.
    pub fn trajectories(shape: Shape, wanted: Wanted) -> Result<Self, String> {
        let places = Places::of(&shape)?;
        Ok(Self {
            shape,
            wanted,
            places,
            formats: vec![
                Format::Own,
                Format::Prediction,
                Format::Messages,
                Format::Instance,
                Format::Fenced,
            ],
            foreign: HashSet::new(),
        })
    }

    /// The reader of lines of these formats only, which refuses every line that has one of the keys
    /// `foreign` where it would be kept without being understood.
    #[must_use]
    pub fn only(self, formats: Vec<Format>, foreign: impl IntoIterator<Item = String>) -> Self {
        let foreign = foreign.into_iter().collect();
        Self {
            formats,
            foreign,
            ..self
        }
    }

    /// The shape of the rows.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The columns of the rows that `read` reads, and what it refuses.
    fn gather(&self, file: &str, read: impl FnOnce(&mut Row<'_>, &mut Vec<Refused>)) -> Piece {
        let column = |member: &Member| {
            Column::new(&member.shape, &member.default, &member.name, &self.wanted)
        };
        let mut columns: Vec<Column> = self.shape.members.iter().map(column).collect();
        let mut refused = Vec::new();
        let mut row = Row {
            members: &self.shape.members,
            columns: &mut columns,
            places: &self.places,
            foreign: &self.foreign,
            index: 0,
            version_1: 0,
            file: file.to_owned(),
            line: None,
            record: None,
        };
        read(&mut row, &mut refused);
        let (rows, version_1) = (row.index, row.version_1);
        let finish = |mut column: Column| {
            column.finish(rows);
            column.is_wanted().then_some(column)
        };
        Piece {
            rows,
            columns: columns.into_iter().map(finish).collect(),
            refused,
            next_line: 1,
            version_1,
        }
    }

    /// The columns of numbered items, each of which `read` reads as a row, and the numbers of those
    /// that it refuses.
    fn gather_each(
        &self,
        file: &str,
        numbers: impl Iterator<Item = usize>,
        mut read: impl FnMut(&mut Row<'_>, usize) -> bool,
    ) -> Piece {
        self.gather(file, |row, refused| {
            for number in numbers {
                if !read(row, number) {
                    refused.push(Refused {
                        row: row.index,
                        number: number as i64,
                        bytes: 0..0,
                    });
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
