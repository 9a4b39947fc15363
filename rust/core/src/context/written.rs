//! Lines of ranges as written in a log, where a reversed range has a negative number of lines.

use super::{Extent, File, View};

/// The same as in `file`, so that both measure the same lines.
const LIMIT: i64 = 1 << 62;

/// First and last line of views, by file.
#[derive(Debug, Clone, Default)]
pub(super) struct WrittenLines {
    ranges: Vec<(i64, i64, i64)>,
}

impl WrittenLines {
    /// Adds the lines of a view: as written for a line range, or the lines that bytes touch.
    pub fn add(&mut self, file: &File, view: &View) {
        let lines = match view.extent {
            Extent::Lines => view.start.zip(view.end),
            Extent::Bytes => {
                let touched = file.cover(Extent::Bytes, view.start, view.end).lines;
                touched.map(|(first, end)| (first, end - 1))
            }
            Extent::Whole | Extent::Unknown => None,
        };
        if let Some((first, last)) = lines {
            if first > 0 && last > 0 {
                let range = (file.code(), first.min(LIMIT), last.min(LIMIT));
                self.ranges.push(range);
            }
        }
    }

    /// Adds the lines of other views.
    pub fn extend(&mut self, other: &Self) {
        self.ranges.extend_from_slice(&other.ranges);
    }

    /// Number of lines; sorts the ranges.
    ///
    /// A reversed range that no earlier range reaches is not merged.
    pub fn size(&mut self) -> i128 {
        self.ranges.sort_unstable();
        let mut size = 0;
        let mut rest = self.ranges.iter();
        let Some(&(mut open)) = rest.next() else {
            return 0;
        };
        let length = |(_, first, last): (i64, i64, i64)| i128::from(last - first + 1);
        for &range in rest {
            if range.0 == open.0 && range.1 <= open.2 + 1 {
                open.2 = open.2.max(range.2);
            } else {
                size += length(open);
                open = range;
            }
        }
        size + length(open)
    }
}
