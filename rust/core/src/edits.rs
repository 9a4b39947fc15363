//! Lines that patches edit and delete, compared with the gold of their tasks.

use memchr::memchr;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::patches::edited_lines;
use crate::pool;
use crate::text::trim_start;

/// Counts per patch, in the order that the twin defines.
pub const COUNTS: usize = 5;

/// Patches per piece of work of a thread.
const PIECE: usize = 64;

/// How a line begins that ends a hunk.
const ENDS: [&str; 3] = ["---", "@@", "diff "];

/// First and last line of each range of a file.
pub type Ranges = Vec<(i64, i64)>;

/// The gold of a task, with which patches are compared.
#[derive(Debug, Clone, Default)]
pub struct EditGold {
    edited: FxHashMap<Box<str>, Vec<i64>>,
    ranges: FxHashMap<Box<str>, Ranges>,
    size: i64,
}

impl EditGold {
    /// Creates the gold of a task from its patch and its initial ranges by file.
    #[must_use]
    pub fn new(patch: &str, ranges: impl Iterator<Item = (Box<str>, Ranges)>) -> Self {
        let files = edited_lines(patch).files;
        Self {
            size: files.iter().map(|file| file.lines.len() as i64).sum(),
            edited: files
                .into_iter()
                .map(|file| (file.path.into(), file.lines))
                .collect(),
            ranges: ranges.collect(),
        }
    }

    /// Returns the number of lines that the gold patch edits.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Returns the [`COUNTS`] counts of a patch.
    #[must_use]
    pub fn compare(&self, patch: &str) -> [i64; COUNTS] {
        let edits = edited_lines(patch);
        let (mut size, mut shared) = (0, 0);
        for file in &edits.files {
            size += file.lines.len() as i64;
            if let Some(gold) = self.edited.get(&*file.path) {
                let is_gold = |line: &&i64| gold.binary_search(line).is_ok();
                shared += file.lines.iter().filter(is_gold).count() as i64;
            }
        }
        let deleted = deleted_lines(patch);
        let is_hit = |&&(path, line): &&(&str, i64)| {
            let ranges = self.ranges.get(path);
            ranges.is_some_and(|ranges| {
                let holds = |&(first, last): &(i64, i64)| first <= line && line <= last;
                ranges.iter().any(holds)
            })
        };
        let hits = deleted.iter().filter(is_hit).count() as i64;
        let is_diff = i64::from(edits.is_diff);
        [is_diff, size, shared, deleted.len() as i64, hits]
    }
}

/// Returns the [`COUNTS`] counts of each patch, compared with the gold of its task.
pub fn compare_all<'a>(patches: impl Iterator<Item = Option<(&'a EditGold, &'a str)>>) -> Vec<i64> {
    let patches: Vec<_> = patches.collect();
    let pieces = pool::chunks(patches.len(), PIECE);
    let counted = pool::map(pieces, |piece| {
        let counts = |patch: &Option<(&EditGold, &str)>| {
            patch.map_or([0; COUNTS], |(gold, text)| gold.compare(text))
        };
        patches[piece].iter().flat_map(counts).collect::<Vec<_>>()
    });
    counted.concat()
}

/// Returns the lines that a patch deletes, with their files, as `ContextBench`'s reader finds them.
///
/// Its quirks are kept. Only `+++ b/` names a file, and everything after it is the name; lines of a
/// deleted file therefore count for the file before it. A hunk header needs both ranges and the
/// second `@@`. A line that begins with `---`, `@@` or
/// `diff ` ends a hunk, even if it is a deleted line. A context line without its leading space is
/// not counted. `+++ b/` inside a hunk names the file of the next hunk.
fn deleted_lines(patch: &str) -> FxHashSet<(&str, i64)> {
    let mut deleted = FxHashSet::default();
    let mut named = None;
    let mut file = None;
    let mut number = 0;
    let mut rest = Some(patch);
    while let Some(text) = rest {
        let end = memchr(b'\n', text.as_bytes());
        rest = end.map(|end| &text[end + 1..]);
        let line = &text[..end.unwrap_or(text.len())];
        match line.as_bytes().first() {
            Some(b' ') => number += 1,
            Some(b'+') => named = name_in(line).or(named),
            Some(b'@' | b'd' | b'-') if ENDS.iter().any(|end| line.starts_with(end)) => {
                let start = hunk_start(line);
                file = start.and(named);
                number = start.unwrap_or(0);
            }
            Some(b'-') => {
                if let Some(file) = file {
                    deleted.insert((file, number));
                    number += 1;
                }
            }
            _ => {}
        }
    }
    deleted
}

/// Returns the name in a line like `+++ b/NAME`.
fn name_in(line: &str) -> Option<&str> {
    let name = blanks(line.strip_prefix("+++")?)?.strip_prefix("b/")?;
    (!name.is_empty()).then_some(name)
}

/// Returns the first line of the base in a header like `@@ -3,2 +3,4 @@`.
fn hunk_start(line: &str) -> Option<i64> {
    let old = blanks(line.strip_prefix("@@")?)?.strip_prefix('-')?;
    let (start, rest) = range(old)?;
    let (_, rest) = range(blanks(rest)?.strip_prefix('+')?)?;
    blanks(rest)?.strip_prefix("@@")?;
    // It fits in 64 bits.
    (start.len() <= 18).then(|| start.parse().ok())?
}

/// Parses a number that another may follow after a comma; returns the first, and the rest.
fn range(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = digits(text)?;
    let last = rest.strip_prefix(',').and_then(digits);
    Some((first, last.map_or(rest, |(_, rest)| rest)))
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    (count > 0).then(|| text.split_at(count))
}

/// Strips blanks from the beginning of a text; `None` if there are none.
fn blanks(text: &str) -> Option<&str> {
    let rest = trim_start(text);
    (rest.len() < text.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{EditGold, compare_all, hunk_start, name_in};

    const PATCH: &str = "--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n-a\n+b\n-c\n";

    #[test]
    fn edited_and_deleted_lines_are_compared() {
        let ranges = vec![("f".into(), vec![(4, 9)])];
        let gold = EditGold::new(PATCH, ranges.into_iter());
        // Lines 3 and 4 are edited, as in the gold patch; line 4 is in the range.
        assert_eq!(gold.size(), 2);
        assert_eq!(gold.compare(PATCH), [1, 2, 2, 2, 1]);
        assert_eq!(gold.compare("Timed out."), [0, 0, 0, 0, 0]);
        let all = compare_all([None, Some((&gold, ""))].into_iter());
        assert_eq!(all, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn which_lines_name_files_and_begin_hunks() {
        for (text, start) in [
            ("@@ -3,2 +3,4 @@ fn", Some(3)),
            ("@@\t-3  +3 @@", Some(3)),
            ("@@ -3,2 @@", None),
            ("@@ -3,2 +3,4", None),
            ("@@ -3,2 +3,4@@", None),
            ("@@-3,2 +3,4 @@", None),
            ("@@ -3, +3 @@", None),
        ] {
            assert_eq!(hunk_start(text), start, "{text}");
        }
        for (text, name) in [
            ("+++ b/f\t2026", Some("f\t2026")),
            ("+++\t b/b/f", Some("b/f")),
            ("+++ b/", None),
            ("+++ /dev/null", None),
            ("++++ b/f", None),
        ] {
            assert_eq!(name_in(text), name, "{text}");
        }
    }

    #[test]
    fn lines_of_an_unreadable_hunk_are_not_deleted() {
        let gold = EditGold::default();
        let huge = format!("+++ b/f\n@@ -{} +1 @@\n-a\n", "9".repeat(19));
        assert_eq!(gold.compare(&huge)[3], 0);
    }
}
