//! Tables of the lines and the definitions of a file, to look up what a range covers.

use super::ranges::{Cover, Extent, Range, Rules, positive, to_the_end};

/// Lines and definitions of a file in a snapshot.
#[derive(Debug, Clone)]
pub struct Tables {
    size: i64,
    lines: Lines,
    line_count: i64,
    definitions: Vec<Definition>,
}

// The data of a lookup is adjacent and compact: in a large repository, each access misses the
// cache.

/// The lines of a file.
#[derive(Debug, Clone)]
enum Lines {
    /// A file of less than 4 GiB.
    Near(Vec<Line<u32>>),
    Far(Vec<Line<i64>>),
}

/// A line.
#[derive(Debug, Clone, Copy)]
struct Line<T> {
    start: T,
    /// Number of definitions that start before the line.
    definitions: u32,
}

impl Lines {
    /// The line at `index`, from 0.
    fn get(&self, index: usize) -> Option<Line<i64>> {
        match self {
            Self::Near(lines) => lines.get(index).map(|line| Line {
                start: i64::from(line.start),
                definitions: line.definitions,
            }),
            Self::Far(lines) => lines.get(index).copied(),
        }
    }

    /// Number of lines that start at or before `byte`.
    fn up_to(&self, byte: i64) -> usize {
        match self {
            Self::Near(lines) => lines.partition_point(|line| i64::from(line.start) <= byte),
            Self::Far(lines) => lines.partition_point(|line| line.start <= byte),
        }
    }
}

/// A definition.
#[derive(Debug, Clone, Copy)]
struct Definition {
    start: i64,
    end: i64,
    /// Nearest preceding definition that ends later.
    wider: Option<u32>,
}

impl Tables {
    /// Builds the tables of a file of `size` bytes.
    ///
    /// `line_starts` increases from 0 and also contains `size` if the file ends in a newline.
    /// Definitions are `[start, end)`, sorted by start. The caller has checked this.
    #[must_use]
    pub fn new(
        rules: Rules,
        size: i64,
        line_starts: &[i64],
        definitions: impl Iterator<Item = Range>,
    ) -> Self {
        // `AsWritten` counts a line after the last newline.
        let phantom = rules == Rules::Default && line_starts.last() == Some(&size);
        let definitions = nested(definitions);
        let mut before = 0;
        let mut definitions_before = |start| {
            while definitions
                .get(before)
                .is_some_and(|next: &Definition| next.start < start)
            {
                before += 1;
            }
            before as u32
        };
        let lines = line_starts.iter().map(|&start| Line {
            start,
            definitions: definitions_before(start),
        });
        Self {
            size,
            line_count: line_starts.len() as i64 - i64::from(phantom),
            lines: if u32::try_from(size).is_ok() {
                let near = |line: Line<i64>| Line {
                    start: line.start as u32,
                    definitions: line.definitions,
                };
                Lines::Near(lines.map(near).collect())
            } else {
                Lines::Far(lines.collect())
            },
            definitions,
        }
    }

    /// The line `number`, 1-based, which must exist.
    fn line(&self, number: i64) -> Line<i64> {
        let none = Line {
            start: self.size,
            definitions: 0,
        };
        self.lines.get(number as usize - 1).unwrap_or(none)
    }

    pub(super) fn cover(
        &self,
        rules: Rules,
        extent: Extent,
        start: Option<i64>,
        end: Option<i64>,
    ) -> Cover {
        match (extent, rules) {
            (Extent::Unknown, _) => Cover::default(),
            (Extent::Lines, Rules::Default) => self.cover_lines(start, end),
            (Extent::Lines, Rules::AsWritten) => Cover {
                lines: positive(start, end),
                ..self.bytes_as_written(start, end)
            },
            (Extent::Bytes, _) => self.cover_bytes(start, end),
            (Extent::Whole, _) => self.cover_bytes(Some(0), Some(self.size)),
        }
    }

    fn cover_lines(&self, start: Option<i64>, end: Option<i64>) -> Cover {
        let first = start.unwrap_or(1).max(1);
        let last = to_the_end(end).unwrap_or(self.line_count);
        let last = last.min(self.line_count);
        if first > last {
            return Cover::default();
        }
        let line = self.line(first);
        Cover {
            lines: Some((first, last + 1)),
            bytes: Some((line.start, self.line_end(last))),
            definitions_before: line.definitions as usize,
        }
    }

    fn cover_bytes(&self, start: Option<i64>, end: Option<i64>) -> Cover {
        let first = start.unwrap_or(0).max(0);
        let last = to_the_end(end).unwrap_or(self.size).min(self.size);
        if first >= last {
            return Cover::default();
        }
        let line = self.line_of(first);
        let before = self.line(line).definitions as usize;
        let within = leading(&self.definitions[before..], |definition| {
            definition.start < first
        });
        Cover {
            lines: Some((line, self.line_of(last - 1) + 1)),
            bytes: Some((first, last)),
            definitions_before: before + within,
        }
    }

    /// Bytes of a line range as written, including bytes that do not exist.
    ///
    /// An empty file has one byte, and the line after the last newline has one past the end. The
    /// first line is at least 1, and the last at least the first.
    fn bytes_as_written(&self, start: Option<i64>, end: Option<i64>) -> Cover {
        let (Some(start), Some(end)) = (start, end) else {
            return Cover::default();
        };
        // Any line of an empty file is its first.
        let first = if self.size == 0 { 1 } else { start.max(1) };
        if first > self.line_count {
            return Cover::default();
        }
        let line = self.line(first);
        let last = end.max(first).min(self.line_count);
        Cover {
            lines: None,
            bytes: Some((line.start, self.line_end(last).max(line.start + 1))),
            definitions_before: line.definitions as usize,
        }
    }

    fn line_of(&self, byte: i64) -> i64 {
        self.lines.up_to(byte) as i64
    }

    fn line_end(&self, line: i64) -> i64 {
        self.lines
            .get(line as usize)
            .map_or(self.size, |line| line.start)
    }

    pub(super) fn definitions(&self, rules: Rules, cover: &Cover, mut found: impl FnMut(Range)) {
        let Some((start, end)) = cover.bytes else {
            return;
        };
        let low = cover.definitions_before;
        let inside = leading(&self.definitions[low..], |definition| {
            definition.start < end
        });
        if inside > 0 {
            found((low as i64, (low + inside) as i64));
        }
        // With `AsWritten`, a definition that ends where the range starts counts too.
        let reach = start - i64::from(rules == Rules::AsWritten);
        let mut next = low.checked_sub(1);
        while let Some(index) = next {
            let definition = &self.definitions[index];
            if definition.end > reach {
                found((index as i64, index as i64 + 1));
                next = index.checked_sub(1);
            } else {
                next = definition.wider.map(|index| index as usize);
            }
        }
    }
}

/// Number of leading elements that fulfil `condition`, which is monotone.
///
/// A line or a view touches few definitions, so the first few are checked one by one.
fn leading<T>(values: &[T], condition: impl Fn(&T) -> bool) -> usize {
    const FEW: usize = 8;
    let near = &values[..values.len().min(FEW)];
    let count = near.iter().take_while(|value| condition(value)).count();
    if count < FEW {
        return count;
    }
    FEW + values[FEW..].partition_point(condition)
}

fn nested(spans: impl Iterator<Item = Range>) -> Vec<Definition> {
    let mut definitions: Vec<Definition> = Vec::new();
    for (start, end) in spans {
        let mut wider = definitions.len().checked_sub(1).map(|before| before as u32);
        while let Some(before) = wider.map(|before| &definitions[before as usize]) {
            if before.end > end {
                break;
            }
            wider = before.wider;
        }
        definitions.push(Definition { start, end, wider });
    }
    definitions
}
