//! Merging spans into a canonical set, by the method that suits them.
//!
//! Spans that come sorted need one sweep. Others are cut into buckets by the high bits of their
//! starts, so that what follows happens within the cache; a bucket then fills a bitmap, if the bytes
//! it reaches over are few beside its spans, and is sorted otherwise.

use std::cell::RefCell;
use std::iter;

use super::bitmap::Bitmap;
use super::buckets::{Buckets, unpack};
use super::{Result, Sink, check};

/// Below this many spans, sorting them at once is fastest.
const FEW: usize = 64;

/// A bitmap pays up to this many bytes of file for each span: one word of it.
const DENSE: usize = 64;

/// What one look at all spans tells about them.
pub struct Survey {
    /// The starts never fall.
    pub sorted: bool,
    /// The spans are a canonical set as they are.
    pub canonical: bool,
}

impl Survey {
    /// Checks spans and surveys them.
    pub fn of(what: &'static str, start: &[i64], end: &[i64]) -> Result<Self> {
        check(what, 0, start, end)?;
        Ok(Self::of_checked(start, end))
    }

    /// Surveys spans that have been checked.
    pub fn of_checked(start: &[i64], end: &[i64]) -> Self {
        let sorted = start.is_sorted();
        let canonical = sorted
            && start.iter().zip(end).all(|(start, end)| start < end)
            && start.iter().skip(1).zip(end).all(|(next, end)| next > end);
        Self { sorted, canonical }
    }
}

/// Memory that merging needs.
#[derive(Default)]
struct Scratch {
    pairs: Vec<(i64, i64)>,
    buckets: Buckets,
    bitmap: Bitmap,
}

thread_local! {
    /// Kept from one call to the next: memory that is new to a process costs more than the sorting.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Spans whose scratch memory is kept.
const KEPT: usize = 1 << 20;

/// Gives the canonical set of checked spans to `sink`.
pub fn merge(survey: &Survey, start: &[i64], end: &[i64], sink: &mut impl Sink) {
    if survey.sorted {
        sink.take(start.len(), start.iter().copied().zip(end.iter().copied()));
    } else if start.len() > KEPT {
        merge_unsorted(start, end, &mut Scratch::default(), sink);
    } else {
        SCRATCH.with_borrow_mut(|scratch| merge_unsorted(start, end, scratch, sink));
    }
}

fn merge_unsorted(start: &[i64], end: &[i64], scratch: &mut Scratch, sink: &mut impl Sink) {
    if start.len() < FEW || !scratch.buckets.fill(start, end) {
        let pairs = &mut scratch.pairs;
        pairs.clear();
        pairs.extend(start.iter().copied().zip(end.iter().copied()));
        pairs.sort_unstable_by_key(|&(start, _)| start);
        sink.take(pairs.len(), pairs.iter().copied());
    } else {
        merge_buckets(scratch, sink);
    }
}

/// Merges one bucket after the other; what reaches beyond a bucket begins the next.
fn merge_buckets(scratch: &mut Scratch, sink: &mut impl Sink) {
    let Scratch {
        buckets, bitmap, ..
    } = scratch;
    let mut reach = 0;
    let after = buckets.end();
    for bucket in buckets.iter() {
        // Within the bucket, all positions count from its begin.
        let carried = (reach - bucket.begin).clamp(0, bucket.width) as u32;
        reach = reach.max(bucket.reach);
        let spans = bucket.spans;
        if (bucket.width as usize) <= DENSE * spans.len() {
            bitmap.clear(bucket.width as usize);
            bitmap.fill(0, carried);
            for &packed in spans.iter() {
                let (start, end) = unpack(packed);
                bitmap.fill(start, end);
            }
            bitmap.give(bucket.begin, sink);
        } else {
            spans.sort_unstable();
            let unpacked = iter::once((0, carried)).chain(spans.iter().copied().map(unpack));
            let placed = unpacked.map(|(start, end)| {
                (
                    bucket.begin + i64::from(start),
                    bucket.begin + i64::from(end),
                )
            });
            sink.take(spans.len() + 1, placed);
        }
    }
    sink.take(1, iter::once((after, reach)));
}
