//! The sweep: one pass along a line of spans, sorted by start, that says whom each byte counts for.
//!
//! A byte counts for the first step that covers it. At any place of the line that is the smallest
//! of the steps whose spans are open there, the *owner*; the others wait in a heap. A span that ends
//! before its owner's never waits, for all its bytes belong to somebody earlier. Only where the
//! ownership changes is something handed out: the stretch since the last change, and how much of it
//! is gold, which is sorted too and so followed by a cursor.
//!
//! Every span enters and leaves the heap at most once: O(n log n), whatever the number of steps and
//! however the spans overlap. Where they hardly do, the heap stays empty and the pass is linear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Records what the owners get.
pub(super) trait Ledger {
    /// `owner` gets `length` bytes, `gold` of them gold.
    fn give(&mut self, owner: u64, length: u64, gold: u64);
}

/// Open spans that wait for the owner's end: (owner, end), the earliest owner first.
pub(super) type Waiting = BinaryHeap<Reverse<(u64, u64)>>;

/// A sweep under way. Owners are numbers, of which the smaller is the earlier.
pub(super) struct Sweep<'a, L: ?Sized> {
    pub ledger: &'a mut L,
    /// Sorted and disjoint; without the pieces that end at `position` or before.
    gold: &'a [(u64, u64)],
    waiting: &'a mut Waiting,
    /// Up to here everything has been given.
    position: u64,
    owner: u64,
    /// End of the owner's span; not above `position` where nothing is open.
    end: u64,
}

impl<'a, L: Ledger + ?Sized> Sweep<'a, L> {
    /// Begins at 0 on a line with this gold, sorted and disjoint.
    pub fn new(ledger: &'a mut L, gold: &'a [(u64, u64)], waiting: &'a mut Waiting) -> Self {
        waiting.clear();
        Self {
            ledger,
            gold,
            waiting,
            position: 0,
            owner: 0,
            end: 0,
        }
    }

    /// Takes the next span, which starts no earlier than the one before.
    #[inline]
    pub fn push(&mut self, start: u64, end: u64, owner: u64) {
        if start >= self.end {
            self.close(start);
        }
        if start >= self.end {
            self.position = start;
            self.owner = owner;
            self.end = end;
        } else if owner < self.owner {
            self.give(start);
            if self.end > end {
                self.waiting.push(Reverse((self.owner, self.end)));
            }
            self.owner = owner;
            self.end = end;
        } else if end > self.end {
            self.waiting.push(Reverse((owner, end)));
        }
    }

    /// Gives to its owners what is still open.
    pub fn finish(mut self) {
        self.close(u64::MAX);
    }

    /// Closes the owner, and those that wait, until one reaches past `start` or none is left.
    #[inline]
    fn close(&mut self, start: u64) {
        if self.position < self.end {
            self.give(self.end);
        }
        while let Some(Reverse((owner, end))) = self.waiting.pop() {
            if end > self.position {
                self.owner = owner;
                self.end = end;
                if end > start {
                    return;
                }
                self.give(end);
            }
        }
    }

    /// Gives the stretch from `position` to `to` to the owner.
    #[inline]
    fn give(&mut self, to: u64) {
        let mut gold = 0;
        while let [(start, end), rest @ ..] = self.gold {
            if *start >= to {
                break;
            }
            gold += to.min(*end).saturating_sub(self.position.max(*start));
            if *end > to {
                break;
            }
            self.gold = rest;
        }
        self.ledger.give(self.owner, to - self.position, gold);
        self.position = to;
    }
}
