//! What a pipeline prints, and what filters and searches leave of it.

use std::rc::Rc;

use super::Uncertain;
use super::revisions::Diff;
use super::searches::Search;
use super::selections::{Line, Picked, Ranges, is_all, picked_from, size};

/// Lines of one file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub path: Rc<str>,
    pub picked: Picked,
    /// Whether the lines are search hits.
    pub is_search: bool,
}

impl Part {
    /// Returns whether all lines are printed.
    pub(super) fn is_whole(&self) -> bool {
        is_all(self.picked.ranges.as_deref()) && !self.picked.is_cut
    }

    /// Returns the greatest number of lines; `None` if it is unbounded.
    pub(super) fn size(&self) -> Option<Line> {
        let ranges = self.picked.ranges.as_ref()?;
        if ranges.is_empty() {
            return None;
        }
        size(ranges)
    }

    fn with(&self, ranges: Option<Ranges>, has_numbers: bool) -> Self {
        let mut part = self.clone();
        part.picked.ranges = ranges;
        part.picked.has_numbers = has_numbers;
        part
    }
}

/// What a pipeline prints.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub parts: Vec<Part>,
    pub is_headed: bool,
    pub search: Option<Search>,
    pub diff: Option<Diff>,
    pub literal: Option<String>,
    /// Number of lines, if known without the output.
    pub size: Option<Line>,
    /// Folder to which the paths in a search's output are relative.
    pub folder: Option<Rc<str>>,
}

impl Printed {
    pub(super) fn lines(size: Line) -> Self {
        Self {
            size: Some(size),
            ..Self::default()
        }
    }

    pub(super) fn parts(parts: Vec<Part>) -> Self {
        Self {
            parts,
            ..Self::default()
        }
    }

    /// Returns whether lines of files are printed.
    pub(super) fn shows(&self) -> bool {
        !self.parts.is_empty() || self.is_headed || self.search.is_some() || self.diff.is_some()
    }
}

/// Returns the lines that pass a filter.
pub(super) fn filtered(before: Printed, picked: &Picked) -> Result<Printed, Uncertain> {
    if before.search.is_some() || before.diff.is_some() {
        // Hits that were numbered by the filter itself are unknown.
        return Ok(if picked.has_numbers {
            Printed::default()
        } else {
            before
        });
    }
    if picked.is_all() {
        return Ok(before);
    }
    let [part] = &before.parts[..] else {
        return Ok(without_lines(&before));
    };
    if before.is_headed {
        return Ok(without_lines(&before));
    }
    let old = &part.picked;
    // Numbers added by a filter come first; they are those of the file if the filter reads it from
    // its start.
    let starts_file = matches!(old.ranges.as_deref(), Some([(1, _)]));
    let mut ranges = None;
    if let (Some(lines), Some(picks)) = (&old.ranges, &picked.ranges) {
        let kept = picked_from(lines, picks)?;
        if kept.is_empty() {
            return Ok(Printed::lines(0));
        }
        ranges = Some(kept);
    }
    let is_open = matches!(ranges.as_deref(), Some([.., (_, None)]));
    let mut part = part.with(
        ranges,
        if picked.has_numbers {
            starts_file
        } else {
            old.has_numbers
        },
    );
    part.picked.is_exact &= picked.is_exact;
    part.picked.is_cut = picked.is_cut || (part.picked.is_cut && is_open);
    Ok(Printed::parts(vec![part]))
}

fn without_lines(before: &Printed) -> Printed {
    let parts = before.parts.iter().map(|part| part.with(None, false));
    Printed::parts(parts.collect())
}

/// Returns the hits of a search in the lines that it reads.
pub(super) fn searched(before: &Printed, found: &Search) -> Printed {
    if before.search.is_some() || before.diff.is_some() {
        return Printed {
            search: before.search.clone(),
            diff: before.diff,
            folder: before.folder.clone(),
            ..Printed::default()
        };
    }
    let is_only = before.parts.len() == 1;
    let parts = before.parts.iter().map(|part| {
        let has_numbers = part.picked.has_numbers;
        let adds = found.is_numbered && part.is_whole() && !has_numbers && is_only;
        Part {
            is_search: true,
            ..part.with(None, adds || (has_numbers && !found.is_numbered))
        }
    });
    Printed::parts(parts.collect())
}
