//! Sorting of the spans of one bucket, by a bucket sort with insertion.

use super::buckets::Plan;

/// Below this many spans, a comparison sort is fastest.
const FEW: usize = 48;

/// With more spans than this in a cell, a comparison sort is faster than inserting them.
const CROWDED: u32 = 16;

/// Sorts spans by their starts, and keeps the memory for it.
///
/// The range of starts is divided into about as many cells as there are spans. A span is placed
/// directly in its cell, and insertion orders the few spans that share a cell.
#[derive(Default)]
pub struct Order {
    cells: Vec<u32>,
    sorted: Vec<u64>,
}

impl Order {
    /// Sorts the spans of some slices, each one number, by their starts; `first` comes before all
    /// others.
    pub fn sort<'a>(
        &mut self,
        plan: Plan,
        first: u64,
        slices: impl Iterator<Item = &'a [u64]> + Clone,
    ) -> &[u64] {
        self.sorted.clear();
        self.sorted.push(first);
        let count = slices.clone().map(<[u64]>::len).sum();
        if count < FEW || !self.spread(plan, count, slices.clone()) {
            slices.for_each(|slice| self.sorted.extend_from_slice(slice));
            self.sorted.sort_unstable();
        }
        &self.sorted
    }

    /// Sorts by cells; returns false without doing anything if a cell is crowded.
    fn spread<'a>(
        &mut self,
        plan: Plan,
        count: usize,
        slices: impl Iterator<Item = &'a [u64]> + Clone,
    ) -> bool {
        let cells = count.next_power_of_two();
        let shift = u32::BITS + plan.width().ilog2().saturating_sub(cells.ilog2());
        self.cells.clear();
        self.cells.resize(cells, 0);
        for &span in slices.clone().flatten() {
            self.cells[(span >> shift) as usize] += 1;
        }
        // Turns the number of spans in each cell into the start of the cell, after `first`.
        let (mut sum, mut most) = (1, 0);
        for cell in &mut self.cells {
            most = most.max(*cell);
            sum += std::mem::replace(cell, sum);
        }
        if most > CROWDED {
            return false;
        }
        self.sorted.resize(1 + count, 0);
        for &span in slices.flatten() {
            let place = &mut self.cells[(span >> shift) as usize];
            self.sorted[*place as usize] = span;
            *place += 1;
        }
        for index in 2..self.sorted.len() {
            let span = self.sorted[index];
            let mut place = index;
            while place > 1 && self.sorted[place - 1] > span {
                self.sorted[place] = self.sorted[place - 1];
                place -= 1;
            }
            self.sorted[place] = span;
        }
        true
    }
}
