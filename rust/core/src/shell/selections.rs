//! Selections of lines from the input of a program.
//!
//! Lines are selected by number, in ranges that are sorted and disjoint; an open range has no end.
//! Lines selected by content, or counted from the end, are unknown.

use super::Uncertain;

/// A line number. Sums of the numbers in commands, with 18 digits each, never overflow it.
pub(super) type Line = i128;
pub(super) type Range = (Line, Option<Line>);
pub(super) type Ranges = Vec<Range>;

/// Scripts with more commands select unknown lines.
pub(super) const MOST_COMMANDS: usize = 200;

/// With more pairs of ranges than this, selecting takes too long.
const MOST_PAIRS: usize = 1 << 16;

/// The lines of its input that a program prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picked {
    /// The lines; `None` if their numbers are unknown.
    pub ranges: Option<Ranges>,
    /// Whether each is printed once, on a line of its own and in order, so that they can be
    /// counted.
    pub is_exact: bool,
    /// Whether each is printed after its number.
    pub has_numbers: bool,
    /// Whether an unknown number of lines at the end is omitted.
    pub is_cut: bool,
}

impl Picked {
    pub(super) fn of(ranges: Ranges) -> Self {
        Self {
            ranges: Some(ranges),
            ..Self::unknown()
        }
    }

    pub(super) fn all() -> Self {
        Self::of(all())
    }

    pub(super) fn unknown() -> Self {
        Self {
            ranges: None,
            is_exact: true,
            has_numbers: false,
            is_cut: false,
        }
    }

    pub(super) fn is_all(&self) -> bool {
        self.is_exact && !self.has_numbers && !self.is_cut && is_all(self.ranges.as_deref())
    }
}

pub(super) fn all() -> Ranges {
    vec![(1, None)]
}

/// Returns whether all lines are selected.
pub(super) fn is_all(ranges: Option<&[Range]>) -> bool {
    ranges == Some(&[(1, None)])
}

/// Returns the number of lines; `None` if it is unbounded.
pub(super) fn size(ranges: &[Range]) -> Option<Line> {
    let sizes = ranges.iter().map(|&(first, last)| Some(last? - first + 1));
    sizes.sum()
}

/// Sorts the ranges, and removes overlaps and empty ranges.
pub(super) fn merged(mut ranges: Ranges) -> Ranges {
    ranges.sort_by_key(|&(first, _)| first);
    let mut found: Ranges = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        if last.is_some_and(|last| last < first) {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if end.is_none_or(|end| first <= end + 1) => {
                *end = end.zip(last).map(|(end, last)| end.max(last));
            }
            _ => found.push((first, last)),
        }
    }
    found
}

/// Selects lines of a file by their position among `lines`.
pub(super) fn picked_from(lines: &[Range], picks: &[Range]) -> Result<Ranges, Uncertain> {
    if is_all(Some(lines)) {
        return Ok(picks.to_vec());
    }
    if lines.len().saturating_mul(picks.len()) > MOST_PAIRS {
        return Err(Uncertain);
    }
    let mut found = Vec::new();
    let mut place = 1;
    for &(first, last) in lines {
        let shift = first - place;
        for &(begin, end) in picks {
            let low = first.max(begin + shift);
            // A bound of 0 means no bound.
            let ends = [end.map(|end| end + shift), last];
            let high = ends.into_iter().flatten().filter(|&bound| bound != 0).min();
            if high.is_none_or(|high| low <= high) {
                found.push((low, high));
            }
        }
        let Some(last) = last else { break };
        place += last - first + 1;
    }
    Ok(merged(found))
}

/// Returns all other lines.
pub(super) fn others(lines: &[Range]) -> Ranges {
    let mut found = Vec::new();
    let mut after = 1;
    for &(first, last) in lines {
        if first > after {
            found.push((after, Some(first - 1)));
        }
        let Some(last) = last else { return found };
        after = last + 1;
    }
    found.push((after, None));
    found
}
