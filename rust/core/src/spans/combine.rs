//! Two sets made into one.

use std::cell::RefCell;
use std::iter;

use super::canonical::{self, KEPT};
use super::sink::Sink;
use super::{OTHER, SPAN, Set, Spans, Survey};
use crate::Result;

thread_local! {
    /// Room for two canonical sets, kept from one call to the next.
    static ROOM: RefCell<(Spans, Spans)> = RefCell::default();
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
    room: &mut (Spans, Spans),
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

/// The spans themselves, if they are a canonical set, and else what `merge` puts into `room`.
fn canonical_of<'a>(
    spans: Set<'a>,
    room: &'a mut Spans,
    merge: impl FnOnce(&mut Spans),
) -> Set<'a> {
    if spans.is_canonical() {
        return spans;
    }
    room.clear();
    merge(room);
    Set::new(&room.start, &room.end)
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
