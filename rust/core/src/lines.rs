//! Lines of a file and the bytes they lie at.
//!
//! Only LF separates lines. A newline belongs to the line that it ends, and a file that ends in one
//! has one more line start, at its size: the *phantom line*, which holds no byte. So has the empty
//! file, as its only one.

use memchr::memchr_iter;

use crate::spans::{self, Spans};
use crate::{Error, Result};

/// The byte at which each line begins.
#[must_use]
pub fn line_starts(buffer: &[u8]) -> Vec<i64> {
    let mut starts = Vec::with_capacity(memchr_iter(b'\n', buffer).count() + 1);
    starts.push(0);
    starts.extend(memchr_iter(b'\n', buffer).map(|newline| newline as i64 + 1));
    starts
}

/// The lines of one file: where each begins, and how many bytes there are.
#[derive(Debug, Clone, Copy)]
pub struct LineTable<'a> {
    /// Line starts, as [`line_starts`] gives them.
    pub starts: &'a [i64],
    /// Bytes in the file.
    pub size: i64,
}

impl LineTable<'_> {
    /// Bytes of the lines `first..=last`, half-open; `[size, size)` for a range after the last line.
    ///
    /// `index` is the place of the range among those of the caller.
    ///
    /// # Errors
    ///
    /// [`Error::LineRange`] if the range begins before line 1 or ends before it begins.
    pub fn bytes(&self, index: usize, first: i64, last: i64) -> Result<(i64, i64)> {
        if first < 1 || last < first {
            return Err(Error::LineRange { index, first, last });
        }
        let at = |line: i64| self.starts.get(line as usize).copied();
        let Some(start) = at(first - 1) else {
            return Ok((self.size, self.size));
        };
        Ok((start, at(last).unwrap_or(self.size)))
    }

    /// First and last line that a checked span touches; the last is before the first for an empty one.
    #[must_use]
    pub fn lines(&self, start: i64, end: i64) -> (i64, i64) {
        let line = |byte| self.starts.partition_point(|&start| start <= byte) as i64;
        let (start, end) = (start.min(self.size), end.min(self.size));
        let first = line(start);
        (
            first,
            if end > start {
                line(end - 1)
            } else {
                first - 1
            },
        )
    }
}

/// Bytes of ranges of lines of one file, in the order of the ranges.
///
/// # Errors
///
/// [`Error::LineRange`], for the first bad range.
pub fn lines_to_bytes(table: LineTable, first: &[i64], last: &[i64]) -> Result<Spans> {
    let ranges = first.iter().zip(last).enumerate();
    ranges
        .map(|(index, (&first, &last))| table.bytes(index, first, last))
        .collect()
}

/// Bytes of ranges of lines, range i of the file `file[i]`.
///
/// File f has the line starts `offsets[f]..offsets[f + 1]` and `size[f]` bytes.
///
/// # Errors
///
/// [`Error::Code`] or [`Error::LineRange`], for the first bad range.
pub fn lines_to_bytes_batched(
    line_starts: &[i64],
    offsets: &[i64],
    size: &[i64],
    file: &[i64],
    first: &[i64],
    last: &[i64],
) -> Result<Spans> {
    let count = size.len();
    let ranges = file.iter().zip(first.iter().zip(last)).enumerate();
    ranges
        .map(|(index, (&code, (&first, &last)))| {
            let what = "file";
            let Some(file) = usize::try_from(code).ok().filter(|&file| file < count) else {
                return Err(Error::Code {
                    what,
                    index,
                    code,
                    count,
                });
            };
            let starts = &line_starts[offsets[file] as usize..offsets[file + 1] as usize];
            LineTable {
                starts,
                size: size[file],
            }
            .bytes(index, first, last)
        })
        .collect()
}

/// First and last line that each span of one file touches.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`], for the first bad span.
pub fn bytes_to_lines(table: LineTable, start: &[i64], end: &[i64]) -> Result<Spans> {
    spans::check("span", 0, start, end)?;
    Ok(start
        .iter()
        .zip(end)
        .map(|(&start, &end)| table.lines(start, end))
        .collect())
}
