//! Intersection and difference of two sets.

use std::cell::RefCell;
use std::iter;

use super::canonical::{self, KEPT, SLACK};
use super::sink::{Filled, Sink};
use super::{OTHER, SPAN, Set, Survey};
use crate::Result;

thread_local! {
    /// Memory for two canonical sets, kept from one call to the next.
    static ROOM: RefCell<(Room, Room)> = RefCell::default();
}

/// Calls `operation` with the canonical sets of spans that are not checked yet.
pub fn checked<T>(spans: Set, others: Set, operation: impl FnOnce(Set, Set) -> T) -> Result<T> {
    let surveys = (Survey::of(SPAN, 0, spans)?, Survey::of(OTHER, 0, others)?);
    // Taken, not borrowed: while this thread waits for others, it may be assigned another task.
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

/// Calls `operation` with the canonical sets of two checked rows.
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

/// Memory for a canonical set. It only grows, so that reusing it costs nothing.
#[derive(Default)]
pub struct Room {
    start: Vec<i64>,
    end: Vec<i64>,
}

impl Room {
    /// Returns the spans that `fill` writes, at most `count`.
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

/// Returns the spans themselves if they are canonical, and otherwise their merge in `room`.
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

/// Passes the intersection of two canonical sets to `sink`.
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

/// Passes the difference of two canonical sets to `sink`.
///
/// This is the intersection with the gaps of the second set, each from an end to the next start.
pub fn without(spans: Set, others: Set, sink: &mut impl Sink) {
    let ends = others.end.iter().copied();
    let starts = others.start.iter().copied();
    let gap_start: Vec<_> = iter::once(0).chain(ends).collect();
    let gap_end: Vec<_> = starts.chain([i64::MAX]).collect();
    overlap(spans, Set::new(&gap_start, &gap_end), sink);
}
