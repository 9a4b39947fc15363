//! Division of work, such as files or runs of lines, among threads.
//!
//! A thread reads a stretch of consecutive items into columns of its own. One that has nothing left
//! takes over half of what another has left, so all finish at about the same time, and few rows
//! must be copied to put the stretches together.

use std::iter;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::pool;

/// Bytes of items that are read into one batch, unless their columns are small.
const PART: u64 = 1 << 25;
/// Least bytes that are divided between two threads: enough to outweigh the cost of columns.
const LEAST: u64 = 1 << 18;

/// Items, such as files, of which every thread takes one after another.
pub(super) struct Shares {
    /// Bytes up to the end of each item.
    ends: Vec<u64>,
    stretches: Mutex<Vec<Stretch>>,
}

/// Consecutive items that are read by one thread.
struct Stretch {
    /// The batch that its rows belong to.
    part: usize,
    /// Number of its first item.
    begin: usize,
    /// The items that are left.
    rest: Range<usize>,
    /// The end of the part, if the stretch is its first.
    last: Option<usize>,
    is_taken: bool,
}

impl Shares {
    /// Divides items of these sizes into parts, which depend on the sizes alone.
    pub(super) fn new(sizes: impl IntoIterator<Item = u64>) -> Self {
        let ends = sizes.into_iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        });
        let mut shares = Self {
            ends: ends.collect(),
            stretches: Mutex::default(),
        };
        let whole = shares.bytes(&(0..shares.ends.len()));
        let count = (whole / PART).max(1);
        let mut begin = 0;
        for part in 0..count {
            let target = whole * (part + 1) / count;
            let end = shares.ends.partition_point(|&end| end <= target);
            shares.add(part as usize, begin..end);
            begin = end;
        }
        shares
    }

    fn add(&mut self, part: usize, items: Range<usize>) {
        let stretches = self.stretches.get_mut();
        let stretches = stretches.unwrap_or_else(PoisonError::into_inner);
        stretches.push(Stretch::new(part, items));
    }

    fn bytes(&self, items: &Range<usize>) -> u64 {
        let end = |count: usize| count.checked_sub(1).map_or(0, |last| self.ends[last]);
        end(items.end) - end(items.start)
    }

    /// Stretches hold numbers, which a panic leaves valid.
    fn stretches(&self) -> MutexGuard<'_, Vec<Stretch>> {
        self.stretches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all stretches on `width` threads, and arranges the results by parts, in the order of
    /// the items.
    pub(super) fn read<T: Send>(
        self,
        width: usize,
        stretch: impl Fn(&Self, usize) -> T + Send + Sync,
    ) -> Vec<Vec<T>> {
        let results = pool::map(0..width, |_| {
            let taken = iter::from_fn(|| self.take());
            let results = taken.map(|number| (number, stretch(&self, number)));
            results.collect::<Vec<_>>()
        });
        self.arranged(results.into_iter().flatten())
    }

    /// Takes a stretch that no thread has taken, or the later half of the longest; `None` if too
    /// little is left.
    fn take(&self) -> Option<usize> {
        let mut stretches = self.stretches();
        if let Some(free) = stretches.iter().position(|stretch| !stretch.is_taken) {
            stretches[free].is_taken = true;
            return Some(free);
        }
        let longest = stretches
            .iter_mut()
            .max_by_key(|stretch| self.bytes(&stretch.rest))?;
        let (left, rest) = (self.bytes(&longest.rest), longest.rest.clone());
        if left < LEAST || rest.len() < 2 {
            return None;
        }
        let middle = self.ends[rest.end - 1] - left / 2;
        let begin = self.ends.partition_point(|&end| end < middle);
        let begin = begin.clamp(rest.start + 1, rest.end - 1);
        longest.rest.end = begin;
        let later = Stretch {
            last: None,
            is_taken: true,
            ..Stretch::new(longest.part, begin..rest.end)
        };
        stretches.push(later);
        Some(stretches.len() - 1)
    }

    /// Returns the items of a stretch one by one, as long as no other thread takes them over.
    pub(super) fn items(&self, stretch: usize) -> impl Iterator<Item = usize> {
        iter::from_fn(move || self.stretches()[stretch].rest.next())
    }

    /// Returns how many times as many bytes its columns will hold as were read of a stretch so far.
    /// The rows of stretches that were taken over are added to those of the first of a part.
    pub(super) fn left(&self, stretch: usize) -> f64 {
        let Stretch {
            begin, rest, last, ..
        } = &self.stretches()[stretch];
        let left = rest.start..last.unwrap_or(rest.end);
        self.bytes(&left) as f64 / self.bytes(&(*begin..rest.start)).max(1) as f64
    }

    /// Arranges the results of all stretches by parts, in the order of the items.
    fn arranged<T>(self, results: impl IntoIterator<Item = (usize, T)>) -> Vec<Vec<T>> {
        let stretches = self.stretches.into_inner();
        let stretches = stretches.unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<_> = results.into_iter().collect();
        found.sort_by_key(|&(stretch, _)| stretches[stretch].begin);
        let mut parts = Vec::new();
        for (stretch, result) in found {
            parts.resize_with(parts.len().max(stretches[stretch].part + 1), Vec::new);
            parts[stretches[stretch].part].push(result);
        }
        parts
    }
}

impl Stretch {
    fn new(part: usize, items: Range<usize>) -> Self {
        Self {
            part,
            begin: items.start,
            last: Some(items.end),
            rest: items,
            is_taken: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, PART, Shares};

    fn read(shares: &Shares, stretch: usize, most: usize) -> Vec<usize> {
        shares.items(stretch).take(most).collect()
    }

    #[test]
    fn parts_are_of_about_the_same_size() {
        let parts = |sizes: &[u64]| {
            let shares = Shares::new(sizes.iter().copied());
            let stretches = shares.stretches();
            let ends = stretches.iter().map(|stretch| stretch.rest.end);
            ends.collect::<Vec<_>>()
        };
        assert_eq!(parts(&[]), [0]);
        assert_eq!(parts(&[0, 0]), [2]);
        assert_eq!(parts(&[PART; 3]), [1, 2, 3]);
        assert_eq!(parts(&[PART / 2; 5]), [2, 5]);
        assert_eq!(parts(&[3 * PART, 1]), [0, 0, 2]);
    }

    #[test]
    fn threads_share_what_is_left() {
        let shares = Shares::new([LEAST; 8]);
        assert_eq!(shares.take(), Some(0));
        assert_eq!(read(&shares, 0, 1), [0]);
        assert_eq!(shares.take(), Some(1));
        assert_eq!(read(&shares, 1, 2), [4, 5]);
        assert_eq!(shares.take(), Some(2));
        assert_eq!(read(&shares, 0, 9), [1]);
        assert_eq!(read(&shares, 1, 9), [6, 7]);
        assert_eq!(read(&shares, 2, 9), [2, 3]);
        assert_eq!(shares.take(), None);
        let results = [(1, 'c'), (2, 'b'), (0, 'a')];
        assert_eq!(shares.arranged(results), [['a', 'b', 'c']]);
    }

    #[test]
    fn one_item_or_few_bytes_are_not_divided() {
        for sizes in [&[PART][..], &[1, 1]] {
            let shares = Shares::new(sizes.iter().copied());
            assert_eq!((shares.take(), shares.take()), (Some(0), None));
        }
    }
}
