//! Reads blocks of JSON lines. Threads divide a block into runs of lines, without any effect on the
//! rows.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::merge::merged;
use super::shares::Shares;
use super::{BLANK, Format, Piece, Reader, Refused, Row};
use crate::pool;

/// Bytes of a run of lines; threads take one run at a time.
const RUN: usize = 1 << 16;
/// Runs of a stretch, from 0, after which room is reserved for the rest.
const EXPECTING: [usize; 2] = [0, 3];
/// A block of at most this many bytes is read on the calling thread.
const SERIAL: usize = 1 << 21;

impl Reader {
    /// Reads a block of whole lines that begins with line number `line` of `file`. Applies `finish`
    /// to its rows, which are one piece, or a few if the block is large.
    pub fn read<T: Send>(
        &self,
        block: &[u8],
        file: &str,
        line: i64,
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> Vec<T> {
        let runs = runs(block, line);
        if runs.is_empty() {
            return Vec::new();
        }
        let shares = Shares::new(runs.iter().map(|run| run.bytes.len() as u64));
        let width = if block.len() > SERIAL {
            pool::width()
        } else {
            1
        };
        let pieces = shares.read(width, |shares, stretch| {
            let mut next_line = line;
            let mut format = self.formats.first().copied().unwrap_or(Format::Own);
            let mut piece = self.gather(file, |row, refused| {
                for (place, number) in shares.items(stretch).enumerate() {
                    next_line = self.run(block, &runs[number], &mut format, row, refused);
                    if EXPECTING.contains(&place) {
                        row.expect(shares.left(stretch));
                    }
                }
            });
            piece.next_line = next_line;
            piece
        });
        merged(pieces, finish)
    }

    /// Reads a run of lines into rows; returns the number of the line after them. `format` is the
    /// format to try first, and becomes that of the last line.
    fn run(
        &self,
        block: &[u8],
        run: &Run,
        format: &mut Format,
        row: &mut Row<'_>,
        refused: &mut Vec<Refused>,
    ) -> i64 {
        let mut number = run.line;
        let Range { start, end } = run.bytes;
        let mut begin = start;
        while begin < end {
            let rest = &block[begin..end];
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let bytes = begin..begin + length;
            let text = &block[bytes.clone()];
            if !text.iter().all(|byte| BLANK.contains(byte)) {
                row.line = Some(number);
                match row.read(text, *format, &self.formats) {
                    Some(found) => *format = found,
                    None => refused.push(Refused {
                        row: row.index,
                        number,
                        bytes,
                    }),
                }
            }
            number += 1;
            begin += length;
        }
        number
    }
}

/// Consecutive lines of a block.
struct Run {
    bytes: Range<usize>,
    /// Number of the first line.
    line: i64,
}

fn runs(block: &[u8], mut line: i64) -> Vec<Run> {
    let run = |bytes: Range<usize>| {
        let first = line;
        line += memchr_iter(b'\n', &block[bytes.clone()]).count() as i64;
        Run { bytes, line: first }
    };
    pieces(block, RUN).into_iter().map(run).collect()
}

/// Cuts a block behind newlines into pieces of about `size` bytes.
pub(crate) fn pieces(block: &[u8], size: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    while begin < block.len() {
        let target = block.len().min(begin + size);
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
