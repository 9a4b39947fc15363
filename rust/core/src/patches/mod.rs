//! Edited lines of a unified diff, numbered in the file that it applies to.
//!
//! A deleted line is edited, and so is the line before a pure insertion: 0 at the top of a file. A
//! run of deleted and inserted lines without context between them edits the deleted ones only. The
//! body of a hunk is taken as it stands, whatever counts its header declares, up to what cannot
//! belong to it. Text around the diff is ignored.
//!
//! One pass over the text, O(n) plus sorting the lines of each file; names are borrowed from the
//! text unless git quoted them.

mod hunks;
mod names;

use std::borrow::Cow;

use memchr::memchr;
use rustc_hash::FxHashMap;

use hunks::{names_file, read_hunk};
use names::path_of;

use crate::text::trim_end;

const GIT_FILE: &str = "diff --git ";
/// The files and lines that a patch edits.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EditedLines<'p> {
    /// Each file with at least one edited line, in the order in which the patch names them.
    pub files: Vec<EditedFile<'p>>,
    /// Whether the text is a diff; a blank text is one that edits nothing.
    pub is_diff: bool,
    /// What was wrong with the diff, in order.
    pub faults: Vec<PatchFault>,
}

/// The edited lines of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct EditedFile<'p> {
    /// Path in the tree that the patch applies to.
    pub path: Cow<'p, str>,
    /// Edited lines, as numbered in that tree; ascending and distinct.
    pub lines: Vec<i64>,
}

/// A hunk that could not be read, or only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchFault {
    /// Number of the line of the hunk's header in the patch, from 1.
    pub line: usize,
    /// What was wrong.
    pub kind: FaultKind,
}

/// What was wrong with a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No file was named before it; it was skipped.
    Unnamed,
    /// Its header cannot be read; it was skipped.
    Unreadable,
    /// It has no lines.
    Empty,
    /// The header declares other counts than the body has; those of the body are used.
    Counts {
        /// Old and new lines that the header declares.
        declared: (i64, i64),
        /// Old and new lines of the body.
        found: (i64, i64),
    },
}

/// Finds the lines that a patch edits.
#[must_use]
pub fn edited_lines(patch: &str) -> EditedLines<'_> {
    let lines: Vec<&str> = lines_of(patch).collect();
    let mut edited = EditedLines::default();
    let mut places: FxHashMap<Cow<'_, str>, usize> = FxHashMap::default();
    let mut current: Option<usize> = None;
    let mut index = 0;
    while let Some(&line) = lines.get(index) {
        if !matches!(line.as_bytes().first(), Some(b'd' | b'-' | b'@')) {
            index += 1; // as most lines outside a hunk
        } else if line.starts_with(GIT_FILE) {
            edited.is_diff = true;
            current = None;
            index += 1;
        } else if names_file(&lines, index) {
            edited.is_diff = true;
            let name = path_of(&line[4..], &lines[index + 1][4..]);
            let next = edited.files.len();
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                edited.files.push(EditedFile {
                    path: name,
                    lines: Vec::new(),
                });
            }
            current = Some(place);
            index += 2;
        } else if line.starts_with("@@") {
            let mut scratch = Vec::new();
            let found = match current {
                Some(place) => &mut edited.files[place].lines,
                None => &mut scratch,
            };
            let (end, fault) = read_hunk(&lines, index, found);
            let kind = if current.is_some() {
                fault
            } else {
                Some(FaultKind::Unnamed)
            };
            if let Some(kind) = kind {
                let line = index + 1;
                edited.faults.push(PatchFault { line, kind });
            }
            index = end;
        } else {
            index += 1;
        }
    }
    for file in &mut edited.files {
        file.lines.sort_unstable();
        file.lines.dedup();
    }
    edited.files.retain(|file| !file.lines.is_empty());
    edited.is_diff |= trim_end(patch).is_empty();
    edited
}

/// Splits a patch into lines without their ends; a carriage return before a newline is part of the
/// end.
fn lines_of(patch: &str) -> impl Iterator<Item = &str> {
    let mut rest = patch;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(end) = memchr(b'\n', rest.as_bytes()) else {
            return Some(std::mem::take(&mut rest));
        };
        let line = &rest[..end];
        rest = &rest[end + 1..];
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(patch: &str) -> Vec<(String, Vec<i64>)> {
        let edited = edited_lines(patch);
        assert!(edited.is_diff);
        let files = edited.files.into_iter();
        files
            .map(|file| (file.path.into_owned(), file.lines))
            .collect()
    }

    #[test]
    fn runs_edit_what_they_delete_or_the_line_before_an_insertion() {
        // Line 4 is replaced, 5 is context, and the insertion follows it.
        let patch = "--- a/f.py\n+++ b/f.py\n@@ -4,3 +4,4 @@\n-a\n+A\n b\n+new\n c\n";
        assert_eq!(lines(patch), [("f.py".to_owned(), vec![4, 5])]);
    }

    #[test]
    fn the_body_counts_where_the_header_declares_otherwise() {
        let patch =
            "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -4 +4 @@\n-a\n";
        let edited = edited_lines(patch);
        let kinds: Vec<_> = edited.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(
            kinds,
            [
                FaultKind::Counts {
                    declared: (9, 9),
                    found: (1, 1)
                },
                FaultKind::Counts {
                    declared: (1, 1),
                    found: (1, 0)
                },
            ]
        );
        assert_eq!(edited.files.len(), 2);
    }

    #[test]
    fn quoted_names_are_read_as_bytes() {
        let patch =
            "--- \"a/\\303\\251t\\303\\251 \\\"x\\\".py\"\n+++ \"b/x\"\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(lines(patch), [("été \"x\".py".to_owned(), vec![1])]);
    }

    #[test]
    fn text_that_is_not_a_diff_differs_from_a_blank_one() {
        assert!(edited_lines(" \r\n\u{85}\u{1c}").is_diff);
        assert!(!edited_lines("Timed out.").is_diff);
    }
}
