//! Two sets made into one.

use std::cell::RefCell;
use std::iter;

use super::canonical::{self, KEPT, SLACK};
use super::sink::{Filled, Sink};
use super::{OTHER, SPAN, Set, Survey};
use crate::Result;

thread_local! {
    /// Room for two canonical sets, kept from one call to the next.
    static ROOM: RefCell<(Room, Room)> = RefCell::default();
}

/// Lets `operation` have the canonical sets of spans that are yet to be checked.
pub fn checked<T>(spans: Set, others: Set, operation: impl FnOnce(Set, Set) -> T) -> Result<T> {
    let surveys = (Survey::of(SPAN, 0, spans)?, Survey::of(OTHER, 0, others)?);
    // Taken, not borrowed: while this thread waits for others, it may be given another task.
    let mut room = ROOM.take();
    let result = operation(
        canonical_of(spans, &mut room.0, |room| {
            canonical::merge(&surveys.0, spans, room);
        }),
        canonical_of(others, &mut room.1, |room| {
            canonical::merge(&surveys.1, others, room);
        }),
    );
    if spans.len().max(others.len()) <= KEPT {
        ROOM.set(room);
    }
    Ok(result)
}

/// Lets `operation` have the canonical sets of two rows that have been checked.
pub fn rows<T>(
    spans: Set,
    others: Set,
    room: &mut (Room, Room),
    operation: impl FnOnce(Set, Set) -> T,
) -> T {
    operation(
        canonical_of(spans, &mut room.0, |room| {
            canonical::merge_row(spans, room);
        }),
        canonical_of(others, &mut room.1, |room| {
            canonical::merge_row(others, room);
        }),
    )
}

/// Memory for a canonical set. It only grows, so that making room costs nothing.
#[derive(Default)]
pub struct Room {
    start: Vec<i64>,
    end: Vec<i64>,
}

impl Room {
    /// What `fill` gives, which has room for so many spans.
    pub fn fill(&mut self, count: usize, fill: impl FnOnce(&mut Filled)) -> Set<'_> {
        if self.start.len() < count {
            self.start.resize(count, 0);
            self.end.resize(count, 0);
        }
        let mut filled = Filled::new(&mut self.start, &mut self.end);
        fill(&mut filled);
        let len = filled.len();
        Set::new(&self.start[..len], &self.end[..len])
    }
}

/// The spans themselves, if they are a canonical set, and else what `merge` puts into `room`.
fn canonical_of<'a>(
    spans: Set<'a>,
    room: &'a mut Room,
    merge: impl FnOnce(&mut Filled),
) -> Set<'a> {
    if spans.is_canonical() {
        return spans;
    }
    room.fill(spans.len() + SLACK, merge)
}

/// Gives what both canonical sets cover.
pub fn overlap(spans: Set, others: Set, sink: &mut impl Sink) {
    let (mut span, mut other) = (0, 0);
    sink.take_apart(iter::from_fn(|| {
        if span == spans.len() || other == others.len() {
            return None;
        }
        let low = spans.start[span].max(others.start[other]);
        let (high, other_high) = (spans.end[span], others.end[other]);
        // Whichever ends first overlaps nothing further.
        span += usize::from(high <= other_high);
        other += usize::from(other_high <= high);
        Some((low, high.min(other_high)))
    }));
}

/// Gives what the first canonical set covers and the other does not.
///
/// That is what it shares with the gaps of the other, each from an end to the next start.
pub fn without(spans: Set, others: Set, sink: &mut impl Sink) {
    let ends = others.end.iter().copied();
    let starts = others.start.iter().copied();
    let gap_start: Vec<_> = iter::once(0).chain(ends).collect();
    let gap_end: Vec<_> = starts.chain([i64::MAX]).collect();
    overlap(spans, Set::new(&gap_start, &gap_end), sink);
}
