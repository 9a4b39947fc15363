//! A set of disjoint pieces, to which spans are added one by one.
//!
//! The pieces are stored in chunks of bounded length, so that adding a span costs a binary search
//! and at most one chunk's length, regardless of their number. A flat vector would be quadratic on
//! spans that never overlap, and a tree costs twice as much with 10^5 pieces.

use super::{Range, Span, place};

/// A chunk that grows longer is halved. Longer chunks are slower to insert into, and shorter ones
/// mean more chunks to search; the difference between 64 and 256 is small.
const LONGEST_CHUNK: usize = 128;

/// Disjoint, non-adjacent spans in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces {
    /// Only the first may be empty, if there are no pieces.
    chunks: Vec<Vec<Span>>,
    /// The last piece of each chunk.
    last: Vec<Span>,
}

impl Pieces {
    /// Adds a non-empty span, and calls `new` with its new parts, in order.
    pub fn add(&mut self, span: Span, mut new: impl FnMut(Range)) {
        let Some(last_chunk) = self.last.len().checked_sub(1) else {
            self.chunks.resize_with(1, Vec::new);
            self.chunks[0].push(span);
            self.last.push(span);
            return new((span.start, span.end));
        };
        let begin = place(span.key, span.start);
        let ends_before = |piece: &Span| place(piece.key, piece.end) < begin;
        let chunk = if last_chunk == 0 {
            0
        } else {
            let behind = self.last.partition_point(ends_before);
            behind.min(last_chunk)
        };
        let pieces = &mut self.chunks[chunk];
        let low = pieces.partition_point(ends_before);
        let mut gaps = Gaps::new(span);
        let high = low + gaps.swallow(&pieces[low..], &mut new);
        if high == pieces.len() && chunk < last_chunk {
            self.swallow_behind(chunk + 1, &mut gaps, &mut new);
        }
        gaps.close(&mut new);
        if !gaps.found {
            return;
        }
        let pieces = &mut self.chunks[chunk];
        if low == high {
            pieces.insert(low, gaps.union);
        } else {
            pieces[low] = gaps.union;
            pieces.drain(low + 1..high);
        }
        self.settle(chunk);
    }

    /// Removes all pieces, but keeps the memory of one chunk.
    pub fn clear(&mut self) {
        self.last.clear();
        self.chunks.truncate(1);
        self.chunks.iter_mut().for_each(Vec::clear);
    }

    /// Removes the pieces that touch the span in the chunks from `behind` on.
    fn swallow_behind(&mut self, behind: usize, gaps: &mut Gaps, new: &mut impl FnMut(Range)) {
        let mut emptied = behind;
        while let Some(pieces) = self.chunks.get_mut(emptied) {
            let count = gaps.swallow(pieces, new);
            if count < pieces.len() {
                pieces.drain(..count);
                break;
            }
            emptied += 1;
        }
        self.chunks.drain(behind..emptied);
        self.last.drain(behind..emptied);
    }

    /// Updates the last piece of a changed chunk, and halves the chunk if it is too long.
    fn settle(&mut self, chunk: usize) {
        let pieces = &mut self.chunks[chunk];
        if pieces.len() > LONGEST_CHUNK {
            let second = pieces.split_off(pieces.len() / 2);
            self.last.insert(chunk + 1, second[second.len() - 1]);
            self.chunks.insert(chunk + 1, second);
        }
        let pieces = &self.chunks[chunk];
        self.last[chunk] = pieces[pieces.len() - 1];
    }
}

/// A span being added: its union with the pieces it touches, and its new parts.
struct Gaps {
    union: Span,
    end: i64,
    /// Position up to which the span has been compared.
    place: i64,
    /// Whether anything was new.
    found: bool,
}

impl Gaps {
    fn new(span: Span) -> Self {
        Self {
            union: span,
            end: span.end,
            place: span.start,
            found: false,
        }
    }

    /// Absorbs the leading pieces that touch the span, and returns their number.
    fn swallow(&mut self, pieces: &[Span], new: &mut impl FnMut(Range)) -> usize {
        let mut count = 0;
        for piece in pieces {
            if piece.key != self.union.key || piece.start > self.end {
                break;
            }
            if self.place < piece.start {
                self.found = true;
                new((self.place, piece.start));
            }
            self.place = piece.end;
            self.union.start = self.union.start.min(piece.start);
            self.union.end = self.union.end.max(piece.end);
            count += 1;
        }
        count
    }

    fn close(&mut self, new: &mut impl FnMut(Range)) {
        if self.place < self.end {
            self.found = true;
            new((self.place, self.end));
        }
    }
}
