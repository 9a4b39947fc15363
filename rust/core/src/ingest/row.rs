//! The next row, read from a line in any of the formats.

use std::collections::HashSet;
use std::iter;

use serde::de::Error;
use serde_json::Deserializer;

use super::column::Column;
use super::places::Places;
use super::raw::has_too_many_values;
use super::shape::Member;
use super::value::{Others, only_if, refused};
use super::{Format, messages, plain, plain_records, predictions, records};

/// Longest line to read here, so that the texts of a piece fit in 32-bit offsets.
const LONGEST: usize = 1 << 29;

/// The next row, and what it is read from.
pub(super) struct Row<'a> {
    pub members: &'a [Member],
    pub columns: &'a mut [Column],
    pub places: &'a Places,
    /// Keys of other formats.
    pub foreign: &'a HashSet<String>,
    pub index: usize,
    pub version_1: usize,
    pub file: String,
    /// Its line number; `None` in a document.
    pub line: Option<i64>,
    /// Its name within the file, if any.
    pub record: Option<String>,
}

impl Row<'_> {
    /// Reads a line as this row, trying the format `expected` first; returns its format. The next
    /// line is then the next row.
    pub(super) fn read(
        &mut self,
        line: &[u8],
        expected: Format,
        formats: &[Format],
    ) -> Option<Format> {
        if line.len() > LONGEST || has_too_many_values(line) {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?;
        let others = formats.iter().filter(|&&format| format != expected);
        iter::once(&expected)
            .filter(|expected| formats.contains(expected))
            .chain(others)
            .copied()
            .find(|&format| {
                let is_read = self.read_plain(line, format) || self.read_as(line, format).is_ok();
                self.end(is_read);
                is_read
            })
    }

    /// Ends the row; removes it unless it was read.
    pub(super) fn end(&mut self, is_read: bool) {
        for column in &mut *self.columns {
            if !is_read || !column.is_wanted() {
                column.clear(self.index);
            }
        }
        self.index += usize::from(is_read);
    }

    /// Reads a line by the fast reader of a format; returns whether that succeeded.
    pub(super) fn read_plain(&mut self, line: &str, format: Format) -> bool {
        let is_read = match format {
            Format::Own => plain_records::read(self, line).is_some(),
            Format::Prediction => plain::read(self, line).is_some(),
            Format::Messages => messages::read(self, line).is_some(),
            Format::Instance => messages::read_instance(self, line).is_some(),
            Format::Fenced => messages::read_fenced(self, line).is_some(),
            Format::List => messages::read_list(self, line).is_some(),
        };
        if !is_read {
            self.clear();
        }
        is_read
    }

    /// Whether an object with these keys, which no column takes, may have another format.
    pub(super) fn is_foreign(&self, others: &Others<'_>) -> bool {
        others.keys().any(|key| self.foreign.contains(key))
    }

    pub(super) fn clear(&mut self) {
        for column in &mut *self.columns {
            column.clear(self.index);
        }
    }

    fn read_as(&mut self, line: &str, format: Format) -> serde_json::Result<()> {
        let mut json = Deserializer::from_str(line);
        match format {
            Format::Own => records::read(self, &mut json)?,
            Format::Prediction => predictions::read(self, &mut json)?,
            Format::Messages | Format::Instance | Format::Fenced | Format::List => {
                return Err(refused());
            }
        }
        json.end()
    }

    /// Fills in where the row comes from.
    pub(super) fn source<E: Error>(&mut self) -> Result<(), E> {
        let Places {
            source,
            source_file,
            source_line,
            source_record,
            ..
        } = *self.places;
        let column = &mut self.columns[source];
        column.clear(self.index);
        column.pad(self.index);
        let row = column.len();
        let fields = column.columns(row).ok_or_else(refused)?;
        only_if(fields[source_file].text(row, &self.file))?;
        if let Some(line) = self.line {
            only_if(fields[source_line].integer(row, line))?;
        }
        if let Some(record) = &self.record {
            only_if(fields[source_record].text(row, record))?;
        }
        column.close();
        Ok(())
    }
}
