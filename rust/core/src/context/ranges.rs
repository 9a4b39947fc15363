//! Ranges of views, how logs write them, and what they cover.

/// A half-open range.
pub type Range = (i64, i64);

/// How to interpret ranges and names in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Ranges are clipped to their file, and the file of every view counts.
    Default,
    /// Lines count as written in the log, and only files that it lists.
    AsWritten,
}

/// The unit of a view's range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Lines, 1-based, inclusive.
    Lines,
    /// Bytes, from 0, half-open.
    Bytes,
    /// The whole file.
    Whole,
    /// No range was recorded.
    Unknown,
}

impl Extent {
    /// All variants, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Lines, Self::Bytes, Self::Whole, Self::Unknown];
}

/// Lines, 1-based, and bytes, 0-based, both half-open; `None` if empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cover {
    /// Lines.
    pub lines: Option<Range>,
    /// Bytes.
    pub bytes: Option<Range>,
    /// Number of definitions that start before the first byte.
    pub(super) definitions_before: usize,
}

/// Denotes the end of the file, like a missing end.
const TO_THE_END: i64 = -1;

/// Numbers in logs are clamped to this, so that sums of a few fit in 64 bits.
const LIMIT: i64 = 1 << 62;

pub(super) fn to_the_end(end: Option<i64>) -> Option<i64> {
    end.filter(|&end| end != TO_THE_END)
}

/// Lines as written, if both ends are positive.
pub(super) fn positive(first: Option<i64>, last: Option<i64>) -> Option<Range> {
    ordered(bounded(first?), bounded(last?)).filter(|&(first, _)| first > 0)
}

pub(super) fn ordered(first: i64, last: i64) -> Option<Range> {
    (first <= last).then_some((first, last + 1))
}

pub(super) fn bounded(number: i64) -> i64 {
    number.clamp(-LIMIT, LIMIT)
}
