//! Merging spans into a canonical set, by the method that suits them.
//!
//! Spans that come sorted need one sweep. Others are cut into buckets by the high bits of their
//! starts, so that what follows happens within the cache; a bucket then fills a bitmap, if the bytes
//! it spans are few beside its spans, and is sorted otherwise. Of many spans, pieces are cut into
//! the same buckets, and ranges of buckets merged, in parallel.

use std::cell::RefCell;
use std::iter;
use std::ops::Range;

use super::bitmap::Bitmap;
use super::buckets::{Buckets, Plan, unpack};
use super::order::Order;
use super::sink::Sink;
use super::{Set, Survey};
use crate::pool;

/// Below this many spans, sorting them at once is fastest.
const FEW: usize = 64;

/// A bitmap pays up to this many bytes of file for each span: one word of it.
const DENSE: usize = 64;

/// From this many spans on, they are cut up and merged in parallel.
const MANY: usize = 1 << 17;

/// Pieces that many spans are cut into, of which the threads take one after the other.
const PIECES: usize = 8;

/// Spans that are pieces of others while they are merged.
pub const SLACK: usize = PIECES;

thread_local! {
    /// Kept from one call to the next: memory that is new to a process costs more than the sorting.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static PAIRS: RefCell<Vec<(i64, i64)>> = RefCell::default();
}

/// Spans whose scratch memory is kept.
pub const KEPT: usize = 1 << 20;

/// Memory that merging needs.
#[derive(Default)]
struct Scratch {
    pieces: Vec<Buckets>,
    one: OneBucket,
}

/// Memory that merging a bucket needs.
#[derive(Default)]
struct OneBucket {
    bitmap: Bitmap,
    order: Order,
}

/// Gives the canonical set of checked spans to `sink`; `survey` is what is known of them.
///
/// There has to be room for as many spans, and for [`SLACK`] more.
pub fn merge<S: Sink>(survey: &Survey, spans: Set, sink: &mut S) {
    if survey.sorted {
        return sink.take(spans.iter());
    }
    let plan = Plan::new(spans.len(), survey.low, survey.high);
    let Some(plan) = plan.filter(|_| spans.len() >= FEW) else {
        return sort(spans, sink);
    };
    // Taken, not borrowed: while this thread waits for others, it may be given another merge.
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

/// As [`merge`], without a survey, for sets that are small as a rule.
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
    // One more than spans, as what leads out of the range before comes first.
    let counts: Vec<_> = ranges.iter().map(|range| 1 + count(range)).collect();
    let parts = sink.split(&counts).into_iter().zip(ranges);
    let results = pool::map(parts, |(mut part, range)| {
        merge_buckets(plan, pieces, range, &mut OneBucket::default(), &mut part);
        part.result()
    });
    sink.join(&counts, &results);
}

/// Merges a range of buckets, one after the other; what leads out of a bucket begins the next.
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
        // Within the bucket, all positions count from its begin.
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
