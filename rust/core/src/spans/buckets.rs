//! Spans cut into buckets by the high bits of their starts.
//!
//! Positions within a bucket take 32 bits, so that a span is one 64-bit number, which sorts by its
//! start. A span that leads out of its bucket is cut there, and the bucket remembers how far it led.

/// Spans in a bucket, about: they and their bitmap stay within a core's own cache.
const SPANS: usize = 2048;

/// Buckets at most: more places to write to than this, and finding them takes longer than writing.
const MOST: usize = 1024;

/// Buckets of spans, in the order of their starts.
#[derive(Default)]
pub struct Buckets {
    low: i64,
    shift: u32,
    /// Where each bucket ends among the spans.
    ends: Vec<usize>,
    /// How far the spans of each bucket reach.
    reaches: Vec<i64>,
    spans: Vec<u64>,
}

/// One bucket.
pub struct Bucket<'a> {
    /// Where it begins.
    pub begin: i64,
    /// How many bytes it spans.
    pub width: i64,
    /// How far its spans reach, beyond its end where they do.
    pub reach: i64,
    /// Start and end of each span, in the upper and the lower half; counted from `begin`.
    pub spans: &'a mut [u64],
}

impl Buckets {
    /// Takes in at least one span; false where the spans lie too far apart for buckets.
    pub fn fill(&mut self, start: &[i64], end: &[i64]) -> bool {
        let (low, high) = limits(start);
        let most = (start.len() / SPANS).next_power_of_two().min(MOST);
        // The least shift that leaves no more than `most` buckets.
        let bits = i64::BITS - (high - low).leading_zeros();
        let shift = bits.saturating_sub(most.ilog2());
        if shift > 31 {
            return false;
        }
        (self.low, self.shift) = (low, shift);
        let count = ((high - low) >> shift) as usize + 1;
        let of = |start: i64| ((start - low) >> shift) as usize;

        self.ends.clear();
        self.ends.resize(count + 1, 0);
        for &start in start {
            self.ends[of(start) + 1] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
        self.ends.pop();
        // Now each entry tells where its bucket begins; writing moves it to where the bucket ends.
        self.reaches.clear();
        self.reaches.resize(count, 0);
        self.spans.resize(start.len(), 0);
        for (&start, &end) in start.iter().zip(end) {
            let bucket = of(start);
            let begin = low + ((bucket as i64) << shift);
            let place = &mut self.ends[bucket];
            let reach = &mut self.reaches[bucket];
            *reach = (*reach).max(end);
            let cut = (end - begin).min(1 << shift);
            self.spans[*place] = ((start - begin) as u64) << 32 | cut as u64;
            *place += 1;
        }
        true
    }

    /// Where the last bucket ends.
    pub fn end(&self) -> i64 {
        self.low
            .saturating_add((self.ends.len() as i64) << self.shift)
    }

    /// The buckets, in order.
    pub fn iter(&mut self) -> impl Iterator<Item = Bucket<'_>> {
        let (low, shift) = (self.low, self.shift);
        let mut rest = self.spans.as_mut_slice();
        let mut begin = 0;
        self.ends
            .iter()
            .zip(&self.reaches)
            .enumerate()
            .map(move |(index, (&end, &reach))| {
                let (spans, others) = std::mem::take(&mut rest).split_at_mut(end - begin);
                (rest, begin) = (others, end);
                Bucket {
                    begin: low + ((index as i64) << shift),
                    width: 1 << shift,
                    reach,
                    spans,
                }
            })
    }
}

/// Start and end of a span.
pub fn unpack(span: u64) -> (u32, u32) {
    ((span >> 32) as u32, span as u32)
}

fn limits(start: &[i64]) -> (i64, i64) {
    start.iter().fold((i64::MAX, 0), |(low, high), &start| {
        (low.min(start), high.max(start))
    })
}
