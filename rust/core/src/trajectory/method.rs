//! The choice of the method for a trajectory, by its size and by how dense its line is.
//!
//! | line | method |
//! |---|---|
//! | at most [`CROWDED`] bytes per span | `bitmap` |
//! | at most [`SHORT`] spans | `packed`: sort all starts, sweep |
//! | more | `buckets`: sort the starts bucket by bucket, sweep |
//! | too long for the integers above | `wide`: sort and sweep file by file |

use super::bitmap::{self, Bitmap};
use super::buckets::Buckets;
use super::input::{Trajectory, bits};
use super::line::{Line, number_keys};
use super::packed::{Packed, SHORT};
use super::step::Step;
use super::wide;

/// Bytes of a line per span up to which a bitmap is faster than a sort.
///
/// At the limit, a span clears and fills 25 bytes of each bitmap.
const CROWDED: u64 = 200;

/// Bytes of the longest line for a bitmap, whose words are counted in 32 bits.
const LONGEST: u64 = bitmap::WORD * u32::MAX as u64;

/// Keys per span up to which tables are indexed by key without renumbering the keys.
const SPARSE: usize = 4;

/// Bytes that a thread keeps for its next trajectory; more is freed.
///
/// Fresh memory costs more than most of what is done with it.
const KEPT: usize = 64 << 20;

/// Memory of the methods, kept from one trajectory to the next.
#[derive(Default)]
pub(super) struct Memory {
    /// Figures of the last trajectory.
    pub steps: Vec<Step>,
    line: Line,
    bitmap: Bitmap,
    packed: Packed,
    buckets: Buckets,
}

impl Memory {
    /// Computes a trajectory into `steps`, and returns the size of its gold.
    pub fn score(&mut self, trajectory: &Trajectory<'_>) -> u64 {
        self.steps.clear();
        self.steps.resize(trajectory.len(), Step::default());
        let spans = trajectory.spans.len();
        let total = spans + trajectory.gold.len();
        let (key_bits, end_bits) = (trajectory.key_bits, trajectory.end_bits);
        // Here each file takes 2^end_bits bytes: quick to lay out, though rarely the shortest line.
        if key_bits + end_bits <= crowded(total).max(1).ilog2() {
            let place = |(key, start, end)| {
                (
                    (key << end_bits | start) as u64,
                    (key << end_bits | end) as u64,
                )
            };
            return self.bitmap.score(
                trajectory,
                1 << (key_bits + end_bits),
                place,
                &mut self.steps,
            );
        }
        if spans <= SHORT {
            return match Packed::index_bits(trajectory) {
                Some(index_bits) => self.packed.score(trajectory, index_bits, &mut self.steps),
                None => wide::score(trajectory, &mut self.steps),
            };
        }
        if 1 << key_bits.min(63) <= SPARSE * total {
            return self.long(trajectory);
        }
        let (keys, gold_keys, count) = number_keys(&trajectory.spans, &trajectory.gold);
        self.long(&trajectory.with_keys(&keys, &gold_keys, bits(count as u64)))
    }

    /// Computes a trajectory of many spans, whose keys index tables.
    fn long(&mut self, trajectory: &Trajectory<'_>) -> u64 {
        if self.line.lay(trajectory).is_none() {
            return wide::score(trajectory, &mut self.steps);
        }
        let line = &self.line;
        let total = trajectory.spans.len() + trajectory.gold.len();
        if line.length <= crowded(total) {
            return self.bitmap.score(
                trajectory,
                line.length,
                |span| line.place(span),
                &mut self.steps,
            );
        }
        match Buckets::shift(trajectory, line) {
            Some(shift) => self.buckets.score(trajectory, line, shift, &mut self.steps),
            None => wide::score(trajectory, &mut self.steps),
        }
    }

    /// Frees memory if it exceeds [`KEPT`].
    pub fn trim(&mut self) {
        let methods = self.bitmap.bytes() + self.packed.bytes() + self.buckets.bytes();
        let kept = methods + self.line.bytes() + size_of::<Step>() * self.steps.capacity();
        if kept > KEPT {
            *self = Self::default();
        }
    }
}

/// Returns the length up to which a line with so many spans, including gold, is dense.
fn crowded(spans: usize) -> u64 {
    (spans as u64).saturating_mul(CROWDED).min(LONGEST)
}
