//! The hunks of a diff, and the lines that they edit.

use super::FaultKind;
use crate::text::trim_end;

/// Reads the hunk whose header is at `index`; returns its end, and what was wrong with it.
pub(super) fn read_hunk(
    lines: &[&str],
    index: usize,
    edited: &mut Vec<i64>,
) -> (usize, Option<FaultKind>) {
    let Some(header) = Header::read(lines[index]) else {
        return (index + 1, Some(FaultKind::Unreadable));
    };
    // With a count of 0, the header names the line before the hunk instead of its first line.
    let mut number = if header.old == 0 {
        header.start + 1
    } else {
        header.start.max(1)
    };
    let (mut old, mut new) = (0, 0);
    let (mut inserted, mut deleted) = (false, false);
    let mut end = index + 1;
    while let Some(&line) = lines.get(end) {
        if !line.starts_with('\\') {
            let is_complete = old >= header.old && new >= header.new;
            if ends_hunk(lines, end, is_complete) {
                break;
            }
            match line.as_bytes().first() {
                Some(b'+') => {
                    new += 1;
                    inserted = true;
                }
                Some(b'-') => {
                    old += 1;
                    deleted = true;
                    edited.push(number);
                    number += 1;
                }
                _ => {
                    old += 1;
                    new += 1;
                    if inserted && !deleted {
                        edited.push(number - 1);
                    }
                    (inserted, deleted) = (false, false);
                    number += 1;
                }
            }
        }
        end += 1;
    }
    if inserted && !deleted {
        edited.push(number - 1);
    }
    let fault = if (old, new) == (0, 0) {
        Some(FaultKind::Empty)
    } else if (old, new) == (header.old, header.new) {
        None
    } else {
        Some(FaultKind::Counts {
            declared: (header.old, header.new),
            found: (old, new),
        })
    };
    (end, fault)
}

/// Returns whether the line is past the end of the hunk; an empty line counts as blank context.
fn ends_hunk(lines: &[&str], index: usize, is_complete: bool) -> bool {
    let line = lines[index];
    // The signature that ends an e-mail with a patch.
    if is_complete && matches!(trim_end(line), "" | "--") {
        return true;
    }
    if !matches!(line.as_bytes().first(), None | Some(b' ' | b'+' | b'-')) {
        return true;
    }
    // Deleted and inserted lines can look like the file names of the next diff. But no body
    // contains a hunk header, and lines like these never follow the hunk of a valid body.
    let is_header = |line: &&str| line.starts_with("@@ -");
    names_file(lines, index) && (is_complete || lines.get(index + 2).is_some_and(is_header))
}

/// Start of a hunk in the base file, and the numbers of old and new lines that its header declares.
struct Header {
    start: i64,
    old: i64,
    new: i64,
}

impl Header {
    /// Reads `@@ -start[,old] +start[,new] @@`; an omitted count is 1.
    fn read(line: &str) -> Option<Self> {
        let (start, rest) = number(line.strip_prefix("@@ -")?)?;
        let (old, rest) = count(rest)?;
        let (_, rest) = number(rest.strip_prefix(" +")?)?;
        let (new, rest) = count(rest)?;
        rest.starts_with(" @@").then_some(Self { start, old, new })
    }
}

/// Parses a number of 1 to 18 digits, which fits in 64 bits; also returns the rest.
fn number(text: &str) -> Option<(i64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 18 {
        return None;
    }
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

fn count(text: &str) -> Option<(i64, &str)> {
    text.strip_prefix(',').map_or(Some((1, text)), number)
}

pub(super) fn names_file(lines: &[&str], index: usize) -> bool {
    lines[index].starts_with("--- ")
        && (lines.get(index + 1)).is_some_and(|following| following.starts_with("+++ "))
}
