//! Records of JSON lines, read straight into columns.
//!
//! The readers in Python, which make records, are the specification. What is here reads the lines
//! it is certain of, and refuses every other: the caller gives those to the record reader, which
//! reads them or says what is wrong. So messages, and whatever is rare, exist once.
//!
//! A block of lines is cut into pieces, each of which becomes columns of its own; where the cuts
//! lie depends on the block alone.

mod column;
mod context;
mod predictions;
mod raw;
mod records;
mod shape;
mod value;

use std::iter;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use serde::de::Error;
use serde_json::Deserializer;

pub use column::{Column, Texts, Values};
pub use shape::{Kind, Member, Shape};

use crate::pool;
pub(crate) use value::Text;
use value::{only_if, refused};

/// Bytes of a piece: large beside what a batch of columns costs.
const PIECE: usize = 1 << 20;

/// No line that is longer is read here: the texts of a piece end within 32-bit offsets.
const LONGEST: usize = 1 << 29;

/// What a line may hold besides its record: what `strip` takes away in the record reader.
const BLANK: &[u8] = b"\xef\xbb\xbf \t\r\n";

/// Reads lines of records into the columns of a shape.
#[derive(Debug)]
pub struct Reader {
    shape: Shape,
    wanted: Vec<bool>,
    places: Places,
    formats: &'static [Format],
}

/// Where the columns are that the readers of trajectories name.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    task_id: usize,
    model: usize,
    source: usize,
    turns: usize,
    final_views: usize,
    final_patch: usize,
    extra: usize,
    turn_views: usize,
    turn_extra: usize,
    turn_view: View,
    final_view: View,
    source_file: usize,
    source_line: usize,
}

/// Where the columns of a view are.
#[derive(Clone, Copy, Debug, Default)]
struct View {
    path: usize,
    extent: usize,
    start: usize,
    end: usize,
    symbols: usize,
    listed: usize,
}

/// A line that is left to the record reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// How many rows of the piece come before it.
    pub row: usize,
    /// Its number.
    pub line: i64,
    /// Where it stands in the block, with the newline that ends it.
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
    /// Number of the line behind the last.
    pub next_line: i64,
}

/// Formats of a line; which one it is shows when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Own,
    Prediction,
    Flat,
}

impl Reader {
    /// A reader of trajectories into the columns of `shape`, of which those are kept that
    /// `is_wanted`.
    ///
    /// # Errors
    ///
    /// A message, if a column is missing that a format needs.
    pub fn trajectories(shape: Shape, is_wanted: impl Fn(&str) -> bool) -> Result<Self, String> {
        let places = Places::of(&shape)?;
        let formats = &[Format::Own, Format::Prediction];
        Ok(Self {
            places,
            formats,
            ..Self::rows(shape, is_wanted)
        })
    }

    /// A reader of flat rows, whose keys are names of columns; it passes over other keys.
    #[must_use]
    pub fn rows(shape: Shape, is_wanted: impl Fn(&str) -> bool) -> Self {
        let names = shape.members.iter().map(|member| &member.name);
        let wanted = names.map(|name| is_wanted(name)).collect();
        Self {
            shape,
            wanted,
            places: Places::default(),
            formats: &[Format::Flat],
        }
    }

    /// The shape of the rows.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Reads a block of whole lines, of which the first has the number `line` in `file`.
    #[must_use]
    pub fn read(&self, block: &[u8], file: &str, line: i64) -> Vec<Piece> {
        let mut first = line;
        let mut tasks = Vec::new();
        for range in pieces(block) {
            let lines = memchr_iter(b'\n', &block[range.clone()]).count() as i64;
            tasks.push((range, first));
            first += lines;
        }
        pool::map(tasks.into_iter(), |(range, line)| {
            self.piece(block, range, file, line)
        })
    }

    fn piece(&self, block: &[u8], range: Range<usize>, file: &str, line: i64) -> Piece {
        let mut columns: Vec<Column> = Vec::with_capacity(self.wanted.len());
        for (member, &is_wanted) in self.shape.members.iter().zip(&self.wanted) {
            let column = Column::new(&member.shape, &member.default);
            columns.push(if is_wanted { column } else { column.not_kept() });
        }
        let mut refused = Vec::new();
        let mut row = Row {
            members: &self.shape.members,
            columns: &mut columns,
            places: &self.places,
            index: 0,
            file,
            line,
        };
        let mut format = self.formats[0];
        let mut begin = range.start;
        while begin < range.end {
            let rest = &block[begin..range.end];
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let bytes = begin..begin + length;
            let text = &block[bytes.clone()];
            if !text.iter().all(|byte| BLANK.contains(byte)) {
                match row.read(text, format, self.formats) {
                    Some(found) => {
                        format = found;
                        row.index += 1;
                    }
                    None => refused.push(Refused {
                        row: row.index,
                        line: row.line,
                        bytes,
                    }),
                }
            }
            row.line += 1;
            begin += length;
        }
        let (rows, next_line) = (row.index, row.line);
        let finish = |mut column: Column| {
            column.finish(rows);
            column.is_kept().then_some(column)
        };
        let columns = columns.into_iter().map(finish).collect();
        Piece {
            rows,
            columns,
            refused,
            next_line,
        }
    }
}

/// The next row, and what it is read from.
struct Row<'a> {
    members: &'a [Member],
    columns: &'a mut [Column],
    places: &'a Places,
    index: usize,
    file: &'a str,
    line: i64,
}

impl Row<'_> {
    /// Reads a line, most likely of the format `expected`, and says of which it was.
    fn read(&mut self, line: &[u8], expected: Format, formats: &[Format]) -> Option<Format> {
        if line.len() > LONGEST {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?;
        let others = formats.iter().filter(|&&format| format != expected);
        iter::once(&expected)
            .chain(others)
            .copied()
            .find(|&format| {
                let is_read = self.read_as(line, format).is_ok();
                for column in &mut *self.columns {
                    if !is_read || !column.is_kept() {
                        column.clear(self.index);
                    }
                }
                is_read
            })
    }

    fn read_as(&mut self, line: &str, format: Format) -> serde_json::Result<()> {
        let mut json = Deserializer::from_str(line);
        match format {
            Format::Own => records::read(self, false, &mut json)?,
            Format::Prediction => predictions::read(self, &mut json)?,
            Format::Flat => records::read(self, true, &mut json)?,
        }
        json.end()
    }

    /// Fills in where the row comes from.
    fn source<E: Error>(&mut self) -> Result<(), E> {
        let Places {
            source,
            source_file,
            source_line,
            ..
        } = *self.places;
        let column = &mut self.columns[source];
        column.clear(self.index);
        column.pad(self.index);
        let row = column.len();
        let fields = column.columns(row).ok_or_else(refused)?;
        only_if(fields[source_file].text(row, self.file))?;
        only_if(fields[source_line].integer(row, self.line))?;
        column.close();
        Ok(())
    }
}

impl Places {
    fn of(shape: &Shape) -> Result<Self, String> {
        let turns = place(shape, "turns")?;
        let turn = item(shape, turns)?;
        let source = place(shape, "source")?;
        let turn_views = place(turn, "views")?;
        let final_views = place(shape, "final_views")?;
        Ok(Self {
            task_id: place(shape, "task_id")?,
            model: place(shape, "model")?,
            source,
            turns,
            final_views,
            final_patch: place(shape, "final_patch")?,
            extra: place(shape, "extra")?,
            turn_views,
            turn_extra: place(turn, "extra")?,
            turn_view: View::of(item(turn, turn_views)?)?,
            final_view: View::of(item(shape, final_views)?)?,
            source_file: place(&shape.members[source].shape, "file")?,
            source_line: place(&shape.members[source].shape, "line")?,
        })
    }
}

impl View {
    fn of(shape: &Shape) -> Result<Self, String> {
        Ok(Self {
            path: place(shape, "path")?,
            extent: place(shape, "extent")?,
            start: place(shape, "start")?,
            end: place(shape, "end")?,
            symbols: place(shape, "symbols")?,
            listed: place(shape, "listed")?,
        })
    }
}

fn place(shape: &Shape, name: &str) -> Result<usize, String> {
    shape
        .position(name)
        .ok_or_else(|| format!("the shape lacks {name}"))
}

fn item(shape: &Shape, index: usize) -> Result<&Shape, String> {
    let item = shape.members[index].shape.item.as_deref();
    item.ok_or_else(|| format!("{} is not a list", shape.members[index].name))
}

/// Cuts a block behind newlines into pieces of about [`PIECE`] bytes.
fn pieces(block: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    while begin < block.len() {
        let target = block.len().min(begin + PIECE);
        let end = match memrchr(b'\n', &block[begin..target]) {
            _ if target == block.len() => target,
            Some(newline) => begin + newline + 1,
            // A line longer than a piece is a piece.
            None => memchr(b'\n', &block[target..]).map_or(block.len(), |end| target + end + 1),
        };
        pieces.push(begin..end);
        begin = end;
    }
    pieces
}

#[cfg(test)]
mod tests;
