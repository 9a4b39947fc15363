//! A bitmap with a bit per byte of a section of a file, which spans fill in any order.

use super::sink::Sink;

const WORD: usize = u64::BITS as usize;

/// The bytes that spans cover.
///
/// A long span sets bits only in the words at its two ends and records that the words in between
/// are covered, so its length costs nothing.
#[derive(Default)]
pub struct Bitmap {
    words: Vec<u64>,
    /// Change, at each word, in the number of spans that cover whole words.
    changes: Vec<i32>,
}

impl Bitmap {
    /// Clears the bitmap, and makes room for `bytes`.
    pub fn clear(&mut self, bytes: usize) {
        let words = bytes.div_ceil(WORD) + 1;
        self.words.clear();
        self.words.resize(words, 0);
        self.changes.clear();
        self.changes.resize(words, 0);
    }

    /// Covers a span.
    pub fn fill(&mut self, start: u32, end: u32) {
        if start >= end {
            return;
        }
        let last = end - 1;
        let (first_word, last_word) = (start as usize / WORD, last as usize / WORD);
        let head = u64::MAX << (start % u64::BITS);
        let tail = u64::MAX >> (u64::BITS - 1 - last % u64::BITS);
        // Whether both ends are in one word is unpredictable, so this is not a branch.
        let one_word = if first_word == last_word { 0 } else { u64::MAX };
        self.words[first_word] |= head & (tail | one_word);
        self.words[last_word] |= tail & (head | one_word);
        if last_word > first_word + 1 {
            self.changes[first_word + 1] += 1;
            self.changes[last_word] -= 1;
        }
    }

    /// Passes the covered bytes to `sink`, in order, with `begin` as the position of the first bit.
    pub fn give(&self, begin: i64, sink: &mut impl Sink) {
        let mut open = 0;
        let words = self.words.iter().zip(&self.changes);
        sink.take_words(
            begin,
            words.map(|(&word, &change)| {
                open += change;
                if open > 0 { u64::MAX } else { word }
            }),
        );
    }
}
