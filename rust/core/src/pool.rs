//! The thread pool of batched kernels, and the division of a batch into pieces of work.
//!
//! The pool is separate from rayon's global one and remembers the process that created it. A forked
//! child has none of its parent's threads and would wait for them forever, so it computes serially.
//! `RAYON_NUM_THREADS` sets the number of threads.
//!
//! Pieces depend only on the batch, never on the number of threads, and so do the results.

use std::iter;
use std::ops::Range;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Result;

/// Rows and values per piece of work: takes long compared with the microsecond that handing it over
/// costs.
const PIECE: usize = 1 << 15;

/// A batch with fewer rows and values is computed on the calling thread, and no thread is started.
pub(crate) const SERIAL: usize = 2 * PIECE;

struct Pool {
    process: u32,
    threads: ThreadPool,
}

static POOL: OnceLock<Option<Pool>> = OnceLock::new();
static CLAIMED: AtomicBool = AtomicBool::new(false);

/// Returns the pool, or `None` if the calling thread must compute alone.
///
/// Never waits: a caller that arrives while the pool is being created computes serially. This also
/// keeps a child safe that was forked at that moment.
fn threads() -> Option<&'static ThreadPool> {
    if POOL.get().is_none() && !CLAIMED.swap(true, Ordering::AcqRel) {
        let built = ThreadPoolBuilder::new()
            .thread_name(|index| format!("trajmeter-{index}"))
            .build();
        let process = process::id();
        POOL.get_or_init(|| built.ok().map(|threads| Pool { process, threads }));
    }
    POOL.get()?
        .as_ref()
        .filter(|pool| pool.process == process::id() && pool.threads.current_num_threads() > 1)
        .map(|pool| &pool.threads)
}

/// Returns whether there are threads to share the work; starts them if necessary.
#[must_use]
pub fn has_threads() -> bool {
    threads().is_some()
}

/// Returns the number of threads that share the work.
#[must_use]
pub fn width() -> usize {
    threads().map_or(1, ThreadPool::current_num_threads)
}

/// Applies `work` to consecutive ranges of the rows that `offsets` delimit; returns the results in
/// the order of the rows.
///
/// # Errors
///
/// The error of the first range that fails, as if the ranges were processed one by one.
pub fn map_rows<T: Send>(
    offsets: &[i64],
    work: impl Fn(Range<usize>) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    run(pieces(offsets), work)
}

/// Splits `length` into consecutive pieces of `size`; the last may be shorter.
pub fn chunks(length: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    let begins = (0..length).step_by(size);
    begins.map(move |begin| begin..length.min(begin + size))
}

/// Applies `work` to every task; returns the results in order.
pub fn map<I: Send, T: Send>(
    tasks: impl Iterator<Item = I>,
    work: impl Fn(I) -> T + Send + Sync,
) -> Vec<T> {
    let tasks: Vec<_> = tasks.collect();
    match if tasks.len() > 1 { threads() } else { None } {
        None => tasks.into_iter().map(work).collect(),
        Some(pool) => pool.install(|| tasks.into_par_iter().map(work).collect()),
    }
}

/// Fills `out`, one element per row, by applying `work` range by range.
///
/// # Errors
///
/// The error of the first range that fails, as if the ranges were processed one by one.
pub fn fill_rows<T: Send>(
    offsets: &[i64],
    out: &mut [T],
    work: impl Fn(Range<usize>, &mut [T]) -> Result<()> + Send + Sync,
) -> Result<()> {
    let mut rest = out;
    let mut tasks = Vec::new();
    for rows in pieces(offsets) {
        let (head, tail) = rest.split_at_mut(rows.len());
        tasks.push((rows, head));
        rest = tail;
    }
    run(tasks, |(rows, out)| work(rows, out))?;
    Ok(())
}

pub(crate) fn run<I: Send, T: Send>(
    tasks: Vec<I>,
    work: impl Fn(I) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    // Collecting into a `Result` in parallel would return whichever error occurred first in time.
    map(tasks.into_iter(), work).into_iter().collect()
}

/// Divides the rows into ranges of about [`PIECE`] rows and values each.
pub(crate) fn pieces(offsets: &[i64]) -> Vec<Range<usize>> {
    let rows = offsets.len() - 1;
    let weight = |row: usize| (offsets[row] - offsets[0]) as usize + row;
    if weight(rows) < SERIAL {
        return iter::once(0..rows).collect();
    }
    let mut pieces = Vec::with_capacity(weight(rows) / PIECE + 1);
    let mut begin = 0;
    while begin < rows {
        let target = weight(begin) + PIECE;
        let end = begin + 1 + first_row(begin + 1..rows, |row| weight(row) >= target);
        pieces.push(begin..end.min(rows));
        begin = end;
    }
    pieces
}

/// Returns how far into `rows` the first row is for which `reached` holds, by bisection.
fn first_row(rows: Range<usize>, reached: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = low.midpoint(high);
        if reached(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low - rows.start
}

#[cfg(test)]
mod tests {
    use super::{PIECE, fill_rows, map_rows, pieces};
    use crate::Error;

    fn offsets(lengths: &[i64]) -> Vec<i64> {
        let mut sum = 7;
        let mut offsets = vec![sum];
        offsets.extend(lengths.iter().map(|length| {
            sum += length;
            sum
        }));
        offsets
    }

    #[test]
    fn small_batch_is_one_piece() {
        for lengths in [&[1, 2, 3][..], &[]] {
            let pieces = pieces(&offsets(lengths));
            assert_eq!((pieces.len(), &pieces[0]), (1, &(0..lengths.len())));
        }
    }

    #[test]
    fn pieces_cover_every_row_once() {
        let huge = 10 * PIECE as i64;
        for lengths in [
            vec![1; 200_000],
            vec![huge, 0, 0, huge],
            vec![0; 300_000],
            vec![huge],
        ] {
            let pieces = pieces(&offsets(&lengths));
            assert_eq!(pieces[0].start, 0);
            assert_eq!(pieces[pieces.len() - 1].end, lengths.len());
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(pieces.iter().all(|rows| !rows.is_empty()));
        }
    }

    #[test]
    fn results_come_in_order_of_rows() {
        let offsets = offsets(&vec![1; 200_000]);
        let starts = map_rows(&offsets, |rows| Ok(rows.start));
        assert!(starts.is_ok_and(|starts| starts.len() > 4 && starts.is_sorted()));
        let mut out = vec![0; 200_000];
        let filled = fill_rows(&offsets, &mut out, |rows, out| {
            out.iter_mut().zip(rows).for_each(|(slot, row)| *slot = row);
            Ok(())
        });
        assert_eq!(filled, Ok(()));
        assert!(out.iter().copied().eq(0..200_000));
    }

    #[test]
    fn first_error_wins() {
        let offsets = offsets(&vec![1; 200_000]);
        let fail = |index: usize| Error::NegativeSpan {
            what: "span",
            index,
            start: -1,
            end: 0,
        };
        let result = map_rows(&offsets, |rows| {
            if rows.start == 0 {
                Ok(())
            } else {
                Err(fail(rows.start))
            }
        });
        assert_eq!(result, Err(fail(pieces(&offsets)[1].start)));
    }
}
