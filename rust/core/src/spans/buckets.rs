//! Spans cut into buckets by the high bits of their starts.
//!
//! Positions within a bucket take 32 bits, so that a span is one 64-bit number, which sorts by its
//! start. A span that leads out of its bucket is cut there, and the bucket remembers how far it led.

use std::ops::Range;

/// Spans in a bucket, about: they and their bitmap stay within a core's own cache.
const SPANS: usize = 2048;

/// Buckets at most: more places to write to than this, and finding them takes longer than writing.
const MOST: usize = 1024;

/// Which starts fall into which bucket.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    low: i64,
    shift: u32,
    /// How many buckets there are.
    pub count: usize,
}

impl Plan {
    /// Plans buckets for so many spans that start from `low` to `high`; `None` where they lie too
    /// far apart.
    pub fn new(spans: usize, low: i64, high: i64) -> Option<Self> {
        let most = (spans / SPANS).next_power_of_two().min(MOST);
        // The least shift that leaves no more than `most` buckets.
        let bits = i64::BITS - (high - low).leading_zeros();
        let shift = bits.saturating_sub(most.ilog2());
        let count = ((high - low) >> shift) as usize + 1;
        (shift < u32::BITS).then_some(Self { low, shift, count })
    }

    /// How many bytes a bucket spans.
    pub fn width(self) -> i64 {
        1 << self.shift
    }

    /// Where a bucket begins; the one after the last may begin past the greatest offset.
    pub fn begin(self, bucket: usize) -> i64 {
        self.low.saturating_add((bucket as i64) << self.shift)
    }

    fn bucket(self, start: i64) -> usize {
        ((start - self.low) >> self.shift) as usize
    }
}

/// Spans in the order of their buckets.
#[derive(Default)]
pub struct Buckets {
    /// Where each bucket ends among the spans.
    ends: Vec<usize>,
    /// How far the spans of each bucket lead out of it; 0 where none does.
    reaches: Vec<i64>,
    spans: Vec<u64>,
}

impl Buckets {
    /// Takes in spans, and forgets all others.
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
        // Now each entry says where its bucket begins; writing moves it to where the bucket ends.
        self.reaches.clear();
        self.reaches.resize(plan.count, 0);
        self.spans.resize(start.len(), 0);
        let width = plan.width();
        for (&start, &end) in start.iter().zip(end) {
            let bucket = plan.bucket(start);
            let begins = (start - plan.low) & (width - 1);
            // One more than fits is enough to show that a span leads out.
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

    /// The spans of a bucket, each as one number that [`unpack`] takes apart.
    pub fn spans(&self, bucket: usize) -> &[u64] {
        let begin = if bucket == 0 {
            0
        } else {
            self.ends[bucket - 1]
        };
        &self.spans[begin..self.ends[bucket]]
    }

    /// How many spans a range of buckets holds.
    pub fn count(&self, range: &Range<usize>) -> usize {
        range.clone().map(|bucket| self.spans(bucket).len()).sum()
    }

    /// How far spans of a bucket lead out of it; 0 where none does.
    pub fn reach(&self, bucket: usize) -> i64 {
        self.reaches[bucket]
    }
}

/// Start and end of a span, counted from where its bucket begins.
pub fn unpack(span: u64) -> (u32, u32) {
    ((span >> 32) as u32, span as u32)
}
