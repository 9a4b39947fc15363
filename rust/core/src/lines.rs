//! Lines of a file, and the bytes that each of them spans.
//!
//! Only LF separates lines. A newline belongs to the line that it ends. A file that ends in a
//! newline has one more line start, at its size: the *phantom line*, which holds no byte. The
//! phantom line is the only line of an empty file.

use crc32fast::Hasher;
use memchr::memchr_iter;

use crate::Result;
use crate::spans::{self, Spans};

/// Bytes that stay in the cache while they are read twice.
const CACHED: usize = 1 << 15;

/// Returns the byte at which each line begins.
#[must_use]
pub fn line_starts(buffer: &[u8]) -> Vec<i64> {
    let mut starts = Vec::with_capacity(memchr_iter(b'\n', buffer).count() + 1);
    starts.push(0);
    starts.extend(memchr_iter(b'\n', buffer).map(|newline| newline as i64 + 1));
    starts
}

/// Returns the CRC-32 of bytes that follow others with the CRC-32 `before`, and their number of
/// newlines.
#[must_use]
pub fn crc_and_newlines(block: &[u8], before: u32) -> (u32, usize) {
    let mut crc = Hasher::new_with_initial(before);
    let mut newlines = 0;
    for part in block.chunks(CACHED) {
        crc.update(part);
        newlines += memchr_iter(b'\n', part).count();
    }
    (crc.finalize(), newlines)
}

/// The lines of one file: where each begins, and how many bytes there are.
#[derive(Debug, Clone, Copy)]
pub struct LineTable<'a> {
    /// Line starts, as [`line_starts`] returns them.
    pub starts: &'a [i64],
    /// Size of the file in bytes.
    pub size: i64,
}

impl LineTable<'_> {
    /// Returns the first and last line that a checked span touches; the last is before the first if
    /// the span is empty.
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

/// Returns the first and last line that each span of one file touches.
///
/// # Errors
///
/// [`Error::NegativeSpan`](crate::Error::NegativeSpan) or
/// [`Error::ReversedSpan`](crate::Error::ReversedSpan), for the first bad span.
pub fn bytes_to_lines(table: LineTable, start: &[i64], end: &[i64]) -> Result<Spans> {
    spans::check("span", 0, start, end)?;
    Ok(start
        .iter()
        .zip(end)
        .map(|(&start, &end)| table.lines(start, end))
        .collect())
}
