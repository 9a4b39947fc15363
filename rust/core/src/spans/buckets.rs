//! Spans divided into buckets by the high bits of their starts.
//!
//! Positions within a bucket take 32 bits, so that a span is a 64-bit number that sorts by start. A
//! span that extends beyond its bucket is cut there, and the bucket records how far it extends.

use std::ops::Range;

/// Approximate spans per bucket: they and their bitmap fit in a core's own cache.
const SPANS: usize = 2048;

/// Most buckets: with more targets, scattering the spans would take longer than writing them.
const MOST: usize = 1024;

/// The assignment of starts to buckets.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    low: i64,
    shift: u32,
    /// Number of buckets.
    pub count: usize,
}

impl Plan {
    /// Plans buckets for spans that start from `low` to `high`; `None` if they are too far apart.
    pub fn new(spans: usize, low: i64, high: i64) -> Option<Self> {
        let most = (spans / SPANS).next_power_of_two().min(MOST);
        // The least shift that leaves at most `most` buckets.
        let bits = i64::BITS - (high - low).leading_zeros();
        let shift = bits.saturating_sub(most.ilog2());
        let count = ((high - low) >> shift) as usize + 1;
        (shift < u32::BITS).then_some(Self { low, shift, count })
    }

    /// Returns the number of bytes that a bucket spans.
    pub fn width(self) -> i64 {
        1 << self.shift
    }

    /// Returns the start of a bucket; that of the one after the last may exceed the greatest
    /// offset.
    pub fn begin(self, bucket: usize) -> i64 {
        self.low.saturating_add((bucket as i64) << self.shift)
    }

    fn bucket(self, start: i64) -> usize {
        ((start - self.low) >> self.shift) as usize
    }
}

/// Spans, grouped by bucket.
#[derive(Default)]
pub struct Buckets {
    /// End of each bucket among the spans.
    ends: Vec<usize>,
    /// How far the spans of each bucket extend beyond it; 0 if none does.
    reaches: Vec<i64>,
    spans: Vec<u64>,
}

impl Buckets {
    /// Replaces the stored spans with these.
    pub fn fill(&mut self, plan: Plan, start: &[i64], end: &[i64]) {
        self.ends.clear();
        self.ends.resize(plan.count, 0);
        for &start in start {
            self.ends[plan.bucket(start)] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            sum += std::mem::replace(end, sum);
        }
        // Each entry is now the start of its bucket; writing advances it to the end.
        self.reaches.clear();
        self.reaches.resize(plan.count, 0);
        self.spans.resize(start.len(), 0);
        let width = plan.width();
        for (&start, &end) in start.iter().zip(end) {
            let bucket = plan.bucket(start);
            let begins = (start - plan.low) & (width - 1);
            // One more than fits is enough to show that a span extends beyond its bucket.
            let mut ends = begins + (end - start).min(width + 1);
            if ends > width {
                ends = width;
                self.reaches[bucket] = self.reaches[bucket].max(end);
            }
            let place = &mut self.ends[bucket];
            self.spans[*place] = (begins as u64) << 32 | ends as u64;
            *place += 1;
        }
    }

    /// Returns the spans of a bucket, each as one number for [`unpack`].
    pub fn spans(&self, bucket: usize) -> &[u64] {
        let begin = if bucket == 0 {
            0
        } else {
            self.ends[bucket - 1]
        };
        &self.spans[begin..self.ends[bucket]]
    }

    /// Returns the number of spans in a range of buckets.
    pub fn count(&self, range: &Range<usize>) -> usize {
        range.clone().map(|bucket| self.spans(bucket).len()).sum()
    }

    /// Returns how far the spans of a bucket extend beyond it; 0 if none does.
    pub fn reach(&self, bucket: usize) -> i64 {
        self.reaches[bucket]
    }
}

/// Returns the start and end of a span, relative to its bucket.
pub fn unpack(span: u64) -> (u32, u32) {
    ((span >> 32) as u32, span as u32)
}
