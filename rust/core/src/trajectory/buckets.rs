//! Long trajectories: the line is divided into buckets, each of which is sorted and swept in the
//! cache.
//!
//! Most of the cost of a long trajectory is access to memory out of order. So the spans are written
//! to slots by bucket and, within a bucket, in chronological order. Each bucket is sorted and swept
//! while it is in the cache, which leaves in each slot what its span added. A last pass in
//! chronological order then reads the results from the front of every bucket, in the order in which
//! the spans were written.

use super::input::{Trajectory, bits};
use super::line::{Line, merge};
use super::packed::SHORT;
use super::step::{self, Step};
use super::sweep::{Ledger, Sweep, Waiting};

/// Memory of the buckets.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    gold: Vec<(u64, u64)>,
    waiting: Waiting,
    slots: Vec<Slot>,
    /// Next slot of each bucket.
    fronts: Vec<u32>,
    /// Start within the bucket and slot of each span, from the high bits to the low.
    order: Vec<u64>,
    sorted: Vec<(u64, u64)>,
}

/// One span.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    step: u32,
    /// Before the sweep reaches the span: start within its bucket. Afterwards: bytes it added.
    start_or_added: u32,
    /// Before the sweep reaches the span: length. Afterwards: gold bytes it added.
    length_or_gold: u32,
}

/// Owners hold the step in the high 32 bits, and the slot in the low.
impl Ledger for [Slot] {
    #[inline]
    fn give(&mut self, owner: u64, length: u64, gold: u64) {
        let slot = &mut self[owner as u32 as usize];
        slot.start_or_added += length as u32;
        slot.length_or_gold += gold as u32;
    }
}

impl Buckets {
    /// Returns the power of two that is a bucket's length; `None` if slots have too few bits.
    pub fn shift(trajectory: &Trajectory<'_>, line: &Line) -> Option<u32> {
        let count = (trajectory.spans.len() / SHORT).next_power_of_two();
        let shift = bits(line.length / count as u64);
        let fits = shift <= u32::BITS
            && trajectory.length_bits <= u32::BITS
            && u32::try_from(trajectory.spans.len()).is_ok()
            && u32::try_from(trajectory.len()).is_ok();
        fits.then_some(shift)
    }

    /// Fills `steps`, and returns the size of the gold.
    pub fn score(
        &mut self,
        trajectory: &Trajectory<'_>,
        line: &Line,
        shift: u32,
        steps: &mut [Step],
    ) -> u64 {
        self.gold.clear();
        self.gold
            .extend(trajectory.gold.iter().map(|span| line.place(span)));
        let gold_size = merge(&mut self.gold);
        self.measure(trajectory, line, shift);
        self.scatter(trajectory, line, shift);
        self.sweep(trajectory.spans.len(), shift);
        self.gather(trajectory, line, shift, steps);
        gold_size
    }

    /// Returns the bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<(u64, u64)>()
            * (self.gold.capacity() + self.waiting.capacity() + self.sorted.capacity())
            + size_of::<Slot>() * self.slots.capacity()
            + size_of::<u32>() * self.fronts.capacity()
            + size_of::<u64>() * self.order.capacity()
    }

    /// Counts the spans of each bucket, and sets `fronts` to its first slot, followed by the end.
    fn measure(&mut self, trajectory: &Trajectory<'_>, line: &Line, shift: u32) {
        let buckets = (line.length >> shift) as usize + 1;
        self.fronts.clear();
        self.fronts.resize(buckets + 1, 0);
        for (key, start, _) in trajectory.spans.iter() {
            self.fronts[(line.at(key, start) >> shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for front in &mut self.fronts {
            sum += *front;
            *front = sum;
        }
    }

    /// Writes each span to the next slot of its bucket; `fronts` becomes the ends of the buckets.
    fn scatter(&mut self, trajectory: &Trajectory<'_>, line: &Line, shift: u32) {
        if self.slots.len() < trajectory.spans.len() {
            self.slots.resize(trajectory.spans.len(), Slot::default());
        }
        for step in 0..trajectory.len() {
            for (key, start, end) in trajectory.step(step).iter() {
                let at = line.at(key, start);
                let front = &mut self.fronts[(at >> shift) as usize];
                self.slots[*front as usize] = Slot {
                    step: step as u32,
                    start_or_added: (at & ((1 << shift) - 1)) as u32,
                    length_or_gold: (end - start) as u32,
                };
                *front += 1;
            }
        }
    }

    /// Sorts and sweeps the buckets one by one.
    fn sweep(&mut self, spans: usize, shift: u32) {
        let slots = &mut self.slots[..spans];
        let mut sweep = Sweep::new(slots, &self.gold, &mut self.waiting);
        let mut begin = 0;
        for (bucket, &end) in (0..).zip(&self.fronts) {
            self.order.clear();
            self.order.extend((begin..end).map(|index| {
                let start = sweep.ledger[index as usize].start_or_added;
                u64::from(start) << u32::BITS | u64::from(index)
            }));
            self.order.sort_unstable();
            for &packed in &self.order {
                let index = packed as u32;
                let slot = &mut sweep.ledger[index as usize];
                let start = (bucket << shift) + (packed >> u32::BITS);
                let end = start + u64::from(slot.length_or_gold);
                let owner = u64::from(slot.step) << u32::BITS | u64::from(index);
                slot.start_or_added = 0;
                slot.length_or_gold = 0;
                sweep.push(start, end, owner);
            }
            begin = end;
        }
        sweep.finish();
    }

    /// Adds up what the spans of each step added.
    fn gather(&mut self, trajectory: &Trajectory<'_>, line: &Line, shift: u32, steps: &mut [Step]) {
        // The end of a bucket is the start of the next.
        self.fronts.rotate_right(1);
        self.fronts[0] = 0;
        for (index, step) in steps.iter_mut().enumerate() {
            let spans = trajectory.step(index);
            step.size = step::size(&spans, &mut self.sorted, |span| line.place(span));
            for (key, start, _) in spans.iter() {
                let front = &mut self.fronts[(line.at(key, start) >> shift) as usize];
                let slot = self.slots[*front as usize];
                step.added += u64::from(slot.start_or_added);
                step.gold_added += u64::from(slot.length_or_gold);
                *front += 1;
            }
        }
    }
}
