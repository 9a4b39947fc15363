//! What becomes of the bytes that an operation finds: spans, or their number.

use super::Spans;

/// Spans for which room is made at once.
const BLOCK: usize = 256;

/// Receives what spans cover, in the order of their starts.
pub trait Sink: Send {
    /// An empty one, with room for so many spans; memory that stays unused is never touched.
    fn with_room(count: usize) -> Self;

    /// Takes spans whose starts never fall, also not below those of earlier calls; at most `count`.
    fn take(&mut self, count: usize, spans: impl Iterator<Item = (i64, i64)>);

    /// Takes spans that neither overlap nor touch, and passes over those that are empty or reversed.
    fn take_apart(&mut self, spans: impl Iterator<Item = (i64, i64)>);

    /// Takes over what another received, which lies after all that this one did.
    fn append(&mut self, later: Self);

    /// Takes 64 bytes from `place` on, of which those are covered whose bit is set; the bytes of an
    /// earlier call are not among them.
    fn take_word(&mut self, place: i64, word: u64);
}

impl Sink for Spans {
    fn with_room(count: usize) -> Self {
        let (start, end) = (Vec::with_capacity(count), Vec::with_capacity(count));
        Self { start, end }
    }

    fn take(&mut self, count: usize, spans: impl Iterator<Item = (i64, i64)>) {
        let mut spans = spans.filter(|(start, end)| start < end);
        if self.start.is_empty() {
            let Some((start, end)) = spans.next() else {
                return;
            };
            self.start.push(start);
            self.end.push(end);
        }
        let mut last = self.start.len() - 1;
        self.start.resize(last + 1 + count, 0);
        self.end.resize(last + 1 + count, 0);
        // Whether a span joins the last one is a toss-up, so it is no branch.
        let (mut open, mut reach) = (self.start[last], self.end[last]);
        for (start, end) in spans {
            let gap = start > reach;
            last += usize::from(gap);
            (open, reach) = (if gap { start } else { open }, reach.max(end));
            (self.start[last], self.end[last]) = (open, reach);
        }
        self.start.truncate(last + 1);
        self.end.truncate(last + 1);
    }

    fn take_apart(&mut self, mut spans: impl Iterator<Item = (i64, i64)>) {
        loop {
            let mut next = self.start.len();
            self.start.resize(next + BLOCK, 0);
            self.end.resize(next + BLOCK, 0);
            let mut left = BLOCK;
            // Whether a span is one is a toss-up, so it is no branch.
            for (start, end) in spans.by_ref().take(BLOCK) {
                (self.start[next], self.end[next]) = (start, end);
                next += usize::from(start < end);
                left -= 1;
            }
            self.start.truncate(next);
            self.end.truncate(next);
            if left > 0 {
                return;
            }
        }
    }

    fn append(&mut self, later: Self) {
        let Some(&start) = later.start.first() else {
            return;
        };
        let joined = self.end.last() == Some(&start);
        if joined {
            self.end.pop();
        }
        self.start
            .extend_from_slice(&later.start[usize::from(joined)..]);
        self.end.extend(later.end);
    }

    fn take_word(&mut self, place: i64, word: u64) {
        let mut rest = word;
        while rest != 0 {
            let first = rest.trailing_zeros();
            let after = first + (!(rest >> first)).trailing_zeros();
            let (start, end) = (place + i64::from(first), place + i64::from(after));
            match self.end.last_mut() {
                Some(reach) if *reach == start => *reach = end,
                _ => {
                    self.start.push(start);
                    self.end.push(end);
                }
            }
            rest &= u64::MAX.checked_shl(after).unwrap_or(0);
        }
    }
}

/// Adds up the bytes that are covered.
#[derive(Default)]
pub struct Total {
    /// How many there are.
    pub bytes: i64,
    reach: i64,
}

impl Sink for Total {
    fn with_room(_: usize) -> Self {
        Self::default()
    }

    fn take(&mut self, _: usize, spans: impl Iterator<Item = (i64, i64)>) {
        for (start, end) in spans {
            self.bytes += (end - start.max(self.reach)).max(0);
            self.reach = self.reach.max(end);
        }
    }

    fn take_apart(&mut self, spans: impl Iterator<Item = (i64, i64)>) {
        self.bytes += spans.map(|(start, end)| (end - start).max(0)).sum::<i64>();
    }

    fn append(&mut self, later: Self) {
        self.bytes += later.bytes;
        self.reach = later.reach;
    }

    fn take_word(&mut self, _: i64, word: u64) {
        self.bytes += i64::from(word.count_ones());
    }
}
