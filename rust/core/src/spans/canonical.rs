//! Merging of spans into a canonical set, by the fastest method for their shape.
//!
//! Sorted spans take one sweep. Others are divided into buckets by the high bits of their starts,
//! so that the rest happens in the cache. A bucket is merged with a bitmap if it has few bytes per
//! span, and is sorted otherwise. A large set is divided into buckets piece by piece, and then
//! merged by ranges of buckets, in parallel.

use std::cell::RefCell;
use std::iter;
use std::ops::Range;

use super::bitmap::Bitmap;
use super::buckets::{Buckets, Plan, unpack};
use super::order::Order;
use super::sink::Sink;
use super::{Set, Survey};
use crate::pool;

/// Below this many spans, sorting them directly is fastest.
const FEW: usize = 64;

/// A bitmap pays off up to this many bytes of file per span: one word.
const DENSE: usize = 64;

/// From this many spans on, the work is parallel.
const MANY: usize = 1 << 17;

/// Number of pieces of a large set, which the threads take in turn.
const PIECES: usize = 8;

/// Most additional spans during merging, from spans cut at the borders of pieces.
pub const SLACK: usize = PIECES;

thread_local! {
    /// Kept from one call to the next, because fresh memory costs a process more than the sorting.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static PAIRS: RefCell<Vec<(i64, i64)>> = RefCell::default();
}

/// Number of spans for which scratch memory is kept.
pub const KEPT: usize = 1 << 20;

/// Memory for merging.
#[derive(Default)]
struct Scratch {
    pieces: Vec<Buckets>,
    one: OneBucket,
}

/// Memory for merging a bucket.
#[derive(Default)]
struct OneBucket {
    bitmap: Bitmap,
    order: Order,
}

/// Passes the canonical set of checked spans, with their survey, to `sink`.
///
/// The sink must have room for as many spans plus [`SLACK`].
pub fn merge<S: Sink>(survey: &Survey, spans: Set, sink: &mut S) {
    if survey.sorted {
        return sink.take(spans.iter());
    }
    let plan = Plan::new(spans.len(), survey.low, survey.high);
    let Some(plan) = plan.filter(|_| spans.len() >= FEW) else {
        return sort(spans, sink);
    };
    // Taken, not borrowed: while this thread waits for others, it may be assigned another merge.
    let mut scratch = SCRATCH.take();
    if spans.len() < MANY || !pool::has_threads() {
        scratch.pieces.resize_with(1, Buckets::default);
        scratch.pieces[0].fill(plan, spans.start, spans.end);
        merge_buckets(plan, &scratch.pieces, 0..plan.count, &mut scratch.one, sink);
    } else {
        merge_many(plan, spans, &mut scratch, sink);
    }
    if spans.len() <= KEPT {
        SCRATCH.set(scratch);
    }
}

/// As [`merge`] without a survey, for sets that are usually small.
pub fn merge_row(spans: Set, sink: &mut impl Sink) {
    if spans.start.is_sorted() {
        sink.take(spans.iter());
    } else if spans.len() < FEW {
        sort(spans, sink);
    } else {
        merge(&Survey::of_checked(spans), spans, sink);
    }
}

fn sort(spans: Set, sink: &mut impl Sink) {
    PAIRS.with_borrow_mut(|pairs| {
        pairs.clear();
        pairs.extend(spans.iter());
        pairs.sort_unstable_by_key(|&(start, _)| start);
        sink.take(pairs.iter().copied());
        pairs.shrink_to(KEPT);
    });
}

fn merge_many<S: Sink>(plan: Plan, spans: Set, scratch: &mut Scratch, sink: &mut S) {
    let size = spans.len().div_ceil(PIECES);
    let pieces = spans.start.chunks(size).zip(spans.end.chunks(size));
    scratch.pieces.resize_with(pieces.len(), Buckets::default);
    let tasks = scratch.pieces.iter_mut().zip(pieces);
    pool::map(tasks, |(buckets, (start, end))| {
        buckets.fill(plan, start, end);
    });
    let pieces = &scratch.pieces;
    let ranges: Vec<_> = pool::chunks(plan.count, plan.count.div_ceil(PIECES)).collect();
    let count = |range| pieces.iter().map(|piece| piece.count(range)).sum::<usize>();
    // One more than the spans, for the part that extends into the range from before.
    let counts: Vec<_> = ranges.iter().map(|range| 1 + count(range)).collect();
    let parts = sink.split(&counts).into_iter().zip(ranges);
    let results = pool::map(parts, |(mut part, range)| {
        merge_buckets(plan, pieces, range, &mut OneBucket::default(), &mut part);
        part.result()
    });
    sink.join(&counts, &results);
}

/// Merges a range of buckets in order; what extends beyond a bucket begins the next.
fn merge_buckets(
    plan: Plan,
    pieces: &[Buckets],
    range: Range<usize>,
    scratch: &mut OneBucket,
    sink: &mut impl Sink,
) {
    let leads_to = |bucket| {
        pieces
            .iter()
            .map(|piece| piece.reach(bucket))
            .max()
            .unwrap_or(0)
    };
    let mut reach = (0..range.start).map(leads_to).max().unwrap_or(0);
    let width = plan.width();
    for bucket in range.clone() {
        let begin = plan.begin(bucket);
        // Within the bucket, all positions are relative to its start.
        let carried = (reach - begin).clamp(0, width) as u32;
        reach = reach.max(leads_to(bucket));
        let count: usize = pieces.iter().map(|piece| piece.spans(bucket).len()).sum();
        if width as usize <= DENSE * count {
            let bitmap = &mut scratch.bitmap;
            bitmap.clear(width as usize);
            bitmap.fill(0, carried);
            for piece in pieces {
                for &span in piece.spans(bucket) {
                    let (start, end) = unpack(span);
                    bitmap.fill(start, end);
                }
            }
            bitmap.give(begin, sink);
        } else {
            let slices = pieces.iter().map(|piece| piece.spans(bucket));
            let sorted = scratch.order.sort(plan, u64::from(carried), slices);
            let spans = sorted.iter().copied().map(unpack);
            let placed = |(start, end)| (begin + i64::from(start), begin + i64::from(end));
            sink.take(spans.map(placed));
        }
    }
    if range.end == plan.count {
        sink.take(iter::once((plan.begin(range.end), reach)));
    }
}
