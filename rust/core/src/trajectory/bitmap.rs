//! Dense lines: a bit per byte, with the spans in chronological order.
//!
//! If the line is short compared with the number of spans, nothing has to be sorted: one bitmap
//! holds what has been seen, another what is gold, and a span adds the bits in its range that were
//! not set. A union-find skips full words, so a word is visited only by the spans that begin or end
//! in it, and by the one that fills it. This takes O(n α(n)) time plus the length of the line / 64.

use super::input::Trajectory;
use super::step::{self, Step};

/// Bits of a word.
pub(super) const WORD: u64 = 64;

/// Memory of the bitmaps.
#[derive(Debug, Default)]
pub(super) struct Bitmap {
    seen: Vec<u64>,
    gold: Vec<u64>,
    /// For each word, an index from it on before which every word is full.
    next: Vec<u32>,
    sorted: Vec<(u64, u64)>,
}

/// The first and the last word that `start..end` touches, and its bits in them; an empty span has
/// no bits.
#[derive(Debug, Clone, Copy)]
struct Reach {
    first: usize,
    last: usize,
    head: u64,
    tail: u64,
}

impl Reach {
    #[inline]
    fn of((start, end): (u64, u64)) -> Option<Self> {
        (start < end).then(|| Self {
            first: (start / WORD) as usize,
            last: ((end - 1) / WORD) as usize,
            head: u64::MAX << (start % WORD),
            tail: u64::MAX >> (WORD - 1 - (end - 1) % WORD),
        })
    }

    /// Returns the bits of `word`, which must be from `first` to `last`.
    #[inline]
    fn bits(&self, word: usize) -> u64 {
        let head = if word == self.first {
            self.head
        } else {
            u64::MAX
        };
        let tail = if word == self.last {
            self.tail
        } else {
            u64::MAX
        };
        head & tail
    }
}

impl Bitmap {
    /// Fills `steps`, and returns the size of the gold.
    ///
    /// `place` maps a span to the line, which is `length` bytes long.
    pub fn score(
        &mut self,
        trajectory: &Trajectory<'_>,
        length: u64,
        place: impl Fn((i64, i64, i64)) -> (u64, u64),
        steps: &mut [Step],
    ) -> u64 {
        // One word more than the line needs; it is never full, so every search ends there.
        self.clear((length / WORD) as usize + 1);
        let mut gold_size = 0;
        for reach in trajectory
            .gold
            .iter()
            .filter_map(|span| Reach::of(place(span)))
        {
            gold_size += self.mark_gold(reach);
        }
        for (index, step) in steps.iter_mut().enumerate() {
            let spans = trajectory.step(index);
            step.size = step::size(&spans, &mut self.sorted, &place);
            for reach in spans.iter().filter_map(|span| Reach::of(place(span))) {
                self.see(reach, step);
            }
        }
        gold_size
    }

    /// Returns the bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<u64>() * (self.seen.capacity() + self.gold.capacity())
            + size_of::<u32>() * self.next.capacity()
            + size_of::<(u64, u64)>() * self.sorted.capacity()
    }

    fn clear(&mut self, words: usize) {
        self.seen.clear();
        self.seen.resize(words, 0);
        self.gold.clear();
        self.gold.resize(words, 0);
        self.next.clear();
        self.next.extend(0..words as u32);
    }

    /// Sets the bits of a gold span; returns how many were not set.
    fn mark_gold(&mut self, reach: Reach) -> u64 {
        let mut fresh = 0;
        for word in reach.first..=reach.last {
            let bits = reach.bits(word) & !self.gold[word];
            self.gold[word] |= bits;
            fresh += u64::from(bits.count_ones());
        }
        fresh
    }

    /// Sets the bits of a span, and counts those that were not set for `step`.
    #[inline]
    fn see(&mut self, reach: Reach, step: &mut Step) {
        let mut word = self.not_full(reach.first);
        while word <= reach.last {
            let fresh = reach.bits(word) & !self.seen[word];
            if fresh != 0 {
                step.added += u64::from(fresh.count_ones());
                step.gold_added += u64::from((fresh & self.gold[word]).count_ones());
                self.seen[word] |= fresh;
                if self.seen[word] == u64::MAX {
                    self.next[word] = word as u32 + 1;
                }
            }
            if word == reach.last {
                break;
            }
            word = self.not_full(word + 1);
        }
    }

    /// Returns the first word from `word` on that is not full, with path halving.
    #[inline]
    fn not_full(&mut self, mut word: usize) -> usize {
        loop {
            let next = self.next[word] as usize;
            if next == word {
                return word;
            }
            let after = self.next[next];
            self.next[word] = after;
            word = after as usize;
        }
    }
}
