//! Receivers of the spans that an operation finds, which store them or count their bytes.

/// Receives covered bytes in the order of their starts.
pub trait Sink: Send {
    /// A part of the sink, for one of several workers.
    type Part<'a>: Sink
    where
        Self: 'a;

    /// Receives spans whose starts never decrease, including those of earlier calls.
    fn take(&mut self, spans: impl Iterator<Item = (i64, i64)>);

    /// Receives spans that neither overlap nor touch, and ignores those that are empty or reversed.
    fn take_apart(&mut self, spans: impl Iterator<Item = (i64, i64)>);

    /// Receives words of 64 bytes from `place` on, in which set bits are covered; they come after
    /// the bytes of earlier calls.
    fn take_words(&mut self, place: i64, words: impl Iterator<Item = u64>);

    /// Splits the sink into adjacent parts, each with room for so many spans.
    fn split(&mut self, counts: &[usize]) -> Vec<Self::Part<'_>>;

    /// Returns the number of spans received, or of bytes.
    fn result(&self) -> i64;

    /// Joins the contents of the parts, given how they were split and their results.
    fn join(&mut self, counts: &[usize], results: &[i64]);
}

/// Stores spans in memory, which must have room for all of them.
pub struct Filled<'a> {
    start: &'a mut [i64],
    end: &'a mut [i64],
    len: usize,
}

impl<'a> Filled<'a> {
    /// Creates a sink that fills this memory.
    pub fn new(start: &'a mut [i64], end: &'a mut [i64]) -> Self {
        Self { start, end, len: 0 }
    }

    /// Returns the number of spans.
    pub fn len(&self) -> usize {
        self.len
    }

    fn push(&mut self, start: i64, end: i64) {
        (self.start[self.len], self.end[self.len]) = (start, end);
        self.len += 1;
    }
}

impl Sink for Filled<'_> {
    type Part<'a>
        = Filled<'a>
    where
        Self: 'a;

    fn take(&mut self, spans: impl Iterator<Item = (i64, i64)>) {
        let mut spans = spans.filter(|(start, end)| start < end);
        if self.len == 0 {
            let Some((start, end)) = spans.next() else {
                return;
            };
            self.push(start, end);
        }
        let mut last = self.len - 1;
        let (mut open, mut reach) = (self.start[last], self.end[last]);
        for (start, end) in spans {
            // Whether a span joins the last one is unpredictable, so this is not a branch.
            let gap = start > reach;
            last += usize::from(gap);
            (open, reach) = (if gap { start } else { open }, reach.max(end));
            (self.start[last], self.end[last]) = (open, reach);
        }
        self.len = last + 1;
    }

    fn take_apart(&mut self, spans: impl Iterator<Item = (i64, i64)>) {
        let mut len = self.len;
        for (start, end) in spans {
            // Whether a span is empty is unpredictable, so this is not a branch.
            (self.start[len], self.end[len]) = (start, end);
            len += usize::from(start < end);
        }
        self.len = len;
    }

    fn take_words(&mut self, place: i64, words: impl Iterator<Item = u64>) {
        for (index, word) in words.enumerate() {
            let mut rest = word;
            while rest != 0 {
                let begin = place + index as i64 * i64::from(u64::BITS);
                let first = rest.trailing_zeros();
                let after = first + (!(rest >> first)).trailing_zeros();
                let (start, end) = (begin + i64::from(first), begin + i64::from(after));
                if self.len > 0 && self.end[self.len - 1] == start {
                    self.end[self.len - 1] = end;
                } else {
                    self.push(start, end);
                }
                rest &= u64::MAX.checked_shl(after).unwrap_or(0);
            }
        }
    }

    fn split(&mut self, counts: &[usize]) -> Vec<Filled<'_>> {
        let (mut starts, mut ends) = (&mut self.start[self.len..], &mut self.end[self.len..]);
        let mut parts = Vec::with_capacity(counts.len());
        for &count in counts {
            let (start, more_starts) = starts.split_at_mut(count);
            let (end, more_ends) = ends.split_at_mut(count);
            parts.push(Filled::new(start, end));
            (starts, ends) = (more_starts, more_ends);
        }
        parts
    }

    fn result(&self) -> i64 {
        self.len as i64
    }

    fn join(&mut self, counts: &[usize], results: &[i64]) {
        let mut begin = self.len;
        for (count, &result) in counts.iter().zip(results) {
            let mut part = begin..begin + result as usize;
            begin += count;
            // The first span may continue the last one of the previous part.
            if self.len > 0 && !part.is_empty() && self.end[self.len - 1] == self.start[part.start]
            {
                self.end[self.len - 1] = self.end[part.start];
                part.start += 1;
            }
            self.start.copy_within(part.clone(), self.len);
            self.end.copy_within(part.clone(), self.len);
            self.len += part.len();
        }
    }
}

/// Counts the covered bytes.
#[derive(Default)]
pub struct Total {
    bytes: i64,
    reach: i64,
}

impl Sink for Total {
    type Part<'a> = Total;

    fn take(&mut self, spans: impl Iterator<Item = (i64, i64)>) {
        for (start, end) in spans {
            self.bytes += (end - start.max(self.reach)).max(0);
            self.reach = self.reach.max(end);
        }
    }

    fn take_apart(&mut self, spans: impl Iterator<Item = (i64, i64)>) {
        self.bytes += spans.map(|(start, end)| (end - start).max(0)).sum::<i64>();
    }

    fn take_words(&mut self, _: i64, words: impl Iterator<Item = u64>) {
        self.bytes += words.map(|word| i64::from(word.count_ones())).sum::<i64>();
    }

    fn split(&mut self, counts: &[usize]) -> Vec<Total> {
        counts.iter().map(|_| Total::default()).collect()
    }

    fn result(&self) -> i64 {
        self.bytes
    }

    fn join(&mut self, _: &[usize], results: &[i64]) {
        self.bytes += results.iter().sum::<i64>();
    }
}
