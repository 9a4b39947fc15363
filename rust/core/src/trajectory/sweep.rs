//! The sweep: one pass along a line of spans, sorted by start, that assigns each byte to a step.
//!
//! A byte belongs to the first step that covers it. At any position of the line, this is the
//! smallest of the steps with open spans, the *owner*; the others wait in a heap. A span that ends
//! before its owner's never waits, because all its bytes belong to an earlier step. Bytes are
//! assigned only when the owner changes: the stretch since the last change, and its gold, which is
//! sorted too and followed by a cursor.
//!
//! Every span enters and leaves the heap at most once, which takes O(n log n) time, whatever the
//! number of steps and however the spans overlap. If they hardly overlap, the heap stays empty and
//! the pass is linear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Records the bytes of each owner.
pub(super) trait Ledger {
    /// Assigns `length` bytes to `owner`, of which `gold` are gold.
    fn give(&mut self, owner: u64, length: u64, gold: u64);
}

/// Open spans waiting for the owner's end: (owner, end), the earliest owner first.
pub(super) type Waiting = BinaryHeap<Reverse<(u64, u64)>>;

/// A sweep in progress. Owners are numbers; smaller is earlier.
pub(super) struct Sweep<'a, L: ?Sized> {
    pub ledger: &'a mut L,
    /// Sorted and disjoint, without the pieces that end at or before `position`.
    gold: &'a [(u64, u64)],
    waiting: &'a mut Waiting,
    /// Everything before this position has been assigned.
    position: u64,
    owner: u64,
    /// End of the owner's span; at most `position` if no span is open.
    end: u64,
}

impl<'a, L: Ledger + ?Sized> Sweep<'a, L> {
    /// Starts at 0 on a line with this gold, which must be sorted and disjoint.
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

    /// Adds the next span, which must not start before the previous one.
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

    /// Assigns what is still open to its owners.
    pub fn finish(mut self) {
        self.close(u64::MAX);
    }

    /// Closes the owner and those that wait, until one extends past `start` or none is left.
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

    /// Assigns the stretch from `position` to `to` to the owner.
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
