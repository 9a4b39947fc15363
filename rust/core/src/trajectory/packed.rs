//! Short trajectories: all starts are sorted as packed integers, then swept.
//!
//! File, start and index of a span are packed into a 64-bit integer, so that the sort moves nothing
//! else and compares in one operation.

use super::input::{Trajectory, bits};
use super::line::merge;
use super::step::{self, Step};
use super::sweep::{Sweep, Waiting};

/// Up to this many spans, their packed starts fit in the cache during the sort.
pub(super) const SHORT: usize = 4096;

/// Memory of the sort.
#[derive(Debug, Default)]
pub(super) struct Packed {
    gold: Vec<(u64, u64)>,
    waiting: Waiting,
    /// Key, start and index of each span, from the high bits to the low.
    order: Vec<u64>,
    step_of: Vec<u32>,
    sorted: Vec<(u64, u64)>,
}

impl Packed {
    /// Returns the number of low bits of the index; `None` if a span does not fit into 64 bits.
    pub fn index_bits(trajectory: &Trajectory<'_>) -> Option<u32> {
        let index_bits = bits(trajectory.spans.len() as u64);
        let fits = trajectory.key_bits + trajectory.end_bits + index_bits <= u64::BITS
            && u32::try_from(trajectory.len()).is_ok();
        fits.then_some(index_bits)
    }

    /// Fills `steps`, and returns the size of the gold.
    pub fn score(
        &mut self,
        trajectory: &Trajectory<'_>,
        index_bits: u32,
        steps: &mut [Step],
    ) -> u64 {
        let place = |(key, start, end): (i64, i64, i64)| {
            let origin = (key as u64) << trajectory.end_bits;
            (origin | start as u64, origin | end as u64)
        };
        self.gold.clear();
        self.gold.extend(trajectory.gold.iter().map(place));
        let gold_size = merge(&mut self.gold);

        self.step_of.clear();
        for (index, step) in steps.iter_mut().enumerate() {
            self.step_of
                .resize(trajectory.range(index).end, index as u32);
            step.size = step::size(&trajectory.step(index), &mut self.sorted, place);
        }
        self.order.clear();
        self.order.extend(
            trajectory
                .spans
                .iter()
                .zip(0..)
                .map(|(span, index)| place(span).0 << index_bits | index),
        );
        self.order.sort_unstable();

        let spans = trajectory.spans;
        let mut sweep = Sweep::new(steps, &self.gold, &mut self.waiting);
        for &packed in &self.order {
            let index = (packed & ((1 << index_bits) - 1)) as usize;
            let start = packed >> index_bits;
            let length = spans.end[index] - spans.start[index];
            sweep.push(start, start + length as u64, self.step_of[index].into());
        }
        sweep.finish();
        gold_size
    }

    /// Returns the bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<(u64, u64)>()
            * (self.gold.capacity() + self.waiting.capacity() + self.sorted.capacity())
            + size_of::<u64>() * self.order.capacity()
            + size_of::<u32>() * self.step_of.capacity()
    }
}
