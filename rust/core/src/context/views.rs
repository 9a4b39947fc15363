//! The spans of views, collected step by step.

use super::{Cover, Extent, File, GRANULARITIES, Range, Rules, Span, Tally};

const FILE: usize = 0;
const SYMBOL: usize = 1;
const BYTES: usize = 2;
const LINE: usize = 3;

/// The recorded range of one view.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// The unit of the range.
    pub extent: Extent,
    /// First line or byte.
    pub start: Option<i64>,
    /// Last line, or the byte after the last.
    pub end: Option<i64>,
    /// Whether the file was listed as seen.
    pub listed: bool,
}

/// Views of some steps.
#[derive(Debug, Clone, Default)]
pub struct Views {
    /// Spans of all steps, by granularity.
    pub(super) spans: [Vec<Span>; GRANULARITIES],
    /// End of each step in the spans, by granularity.
    pub(super) ends: [Vec<i64>; GRANULARITIES],
    /// Whether a range was recorded for a resolved file.
    pub(super) has_range: bool,
    pub(super) tally: Tally,
    /// Definitions that the open step requests by name.
    named: Vec<Span>,
    has_names: bool,
}

impl Views {
    /// Adds lines of gold, outside any step; `in_lines`: whether they count at line granularity.
    pub fn add_gold(&mut self, file: &File, first: i64, last: i64, in_lines: bool) {
        self.spans[FILE].push(Span::unit(0, file.code()));
        let kept = self.spans[LINE].len();
        let cover = file.cover(Extent::Lines, Some(first), Some(last));
        self.add_range(file, &cover);
        if !in_lines {
            self.spans[LINE].truncate(kept);
        }
    }

    /// The spans of all steps, by granularity.
    #[must_use]
    pub fn into_spans(self) -> [Vec<Span>; GRANULARITIES] {
        self.spans
    }

    /// Counts a view whose path refers to no file; `path` is a number that identifies the path.
    pub fn add_unresolved(&mut self, path: u64, leak: bool) {
        self.tally.views += 1;
        self.tally.leaked_views += i64::from(leak);
        self.tally.unresolved.push(path);
    }

    /// Adds a view to the open step; `leak` says whether it shows a patch of the benchmark.
    pub fn add(&mut self, rules: Rules, file: &File, leak: bool, view: View) {
        let cover = file.cover(view.extent, view.start, view.end);
        self.add_covered(rules, file, leak, view, &cover);
    }

    /// Like [`Self::add`], for a view with a known cover.
    pub(super) fn add_covered(
        &mut self,
        rules: Rules,
        file: &File,
        leak: bool,
        view: View,
        cover: &Cover,
    ) {
        self.tally.views += 1;
        self.tally.leaked_views += i64::from(leak);
        if view.listed || rules == Rules::Default {
            self.add_file(file);
        }
        // With `AsWritten`, only line views have ranges: a whole file is only listed.
        match (view.extent, rules) {
            (Extent::Unknown, _) | (Extent::Whole, Rules::AsWritten) => return,
            _ => self.has_range = true,
        }
        self.add_range(file, cover);
        self.tally.empty_ranges += i64::from(file.is_known() && cover.lines.is_none());
    }

    /// Adds a file to the open step, unless it was just added: a step often lists the files whose
    /// lines it shows.
    fn add_file(&mut self, file: &File) {
        const FEW: usize = 8;
        let files = &mut self.spans[FILE];
        let begin = self.ends[FILE].last().copied().unwrap_or(0) as usize;
        let recent = files.len().saturating_sub(FEW).max(begin);
        let span = Span::unit(0, file.code());
        if !files[recent..]
            .iter()
            .any(|other| other.start == span.start)
        {
            files.push(span);
        }
    }

    /// Adds the definitions of a file that a view of the open step requests by name.
    pub fn add_named(&mut self, file: &File, definitions: impl Iterator<Item = i64>) {
        self.has_names = true;
        let key = file.code();
        self.named
            .extend(definitions.map(|index| Span::unit(key, index)));
    }

    /// Ends the open step.
    pub fn end_step(&mut self, rules: Rules) {
        // With `AsWritten`, the names of a step, if any, replace its ranges.
        if self.has_names && rules == Rules::AsWritten {
            let begin = self.ends[SYMBOL].last().copied().unwrap_or(0);
            self.spans[SYMBOL].truncate(begin as usize);
        }
        self.spans[SYMBOL].append(&mut self.named);
        self.has_names = false;
        for (ends, spans) in self.ends.iter_mut().zip(&self.spans) {
            ends.push(spans.len() as i64);
        }
    }

    /// Adds the views of `other`, which has no finished step, to the open step.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (spans, more) in self.spans.iter_mut().zip(&other.spans) {
            spans.extend_from_slice(more);
        }
        self.has_range |= other.has_range;
        self.tally.add(&other.tally);
        self.named.extend_from_slice(&other.named);
        self.has_names |= other.has_names;
    }

    /// Spans of the open step that are final, by granularity: with `AsWritten`, later names may
    /// replace definitions.
    pub(super) fn certain(&self, rules: Rules) -> [[&[Span]; 2]; GRANULARITIES] {
        let [file, symbol, bytes, line] = &self.spans;
        let symbols: [&[Span]; 2] = match rules {
            Rules::Default => [symbol, &self.named],
            Rules::AsWritten => [&[], &[]],
        };
        [[file, &[]], symbols, [bytes, &[]], [line, &[]]]
    }

    /// Number of finished steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.ends[FILE].len()
    }

    /// Number of spans at all granularities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.iter().map(Vec::len).sum()
    }

    /// Whether no view covers anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(Vec::is_empty)
    }

    /// Removes everything, but keeps the memory.
    pub fn clear(&mut self) {
        for (spans, ends) in self.spans.iter_mut().zip(&mut self.ends) {
            spans.clear();
            ends.clear();
        }
        self.has_range = false;
        self.tally.clear();
        self.named.clear();
        self.has_names = false;
    }

    fn add_range(&mut self, file: &File, cover: &Cover) {
        let key = file.code();
        if let Some(lines) = cover.lines {
            self.spans[LINE].push(Span::of(key, lines));
        }
        if let Some(bytes) = cover.bytes {
            self.spans[BYTES].push(Span::of(key, bytes));
            let symbols = &mut self.spans[SYMBOL];
            file.definitions(cover, |range: Range| symbols.push(Span::of(key, range)));
        }
    }
}
