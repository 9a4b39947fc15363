//! What `git` shows of files: their content at a revision, and hunks of diffs.

use std::ops::RangeInclusive;

use super::Uncertain;
use super::listings::Listing;
use super::searches::{Search, search};
use super::selections::{Line, Picked, all};
use super::syntax::Word;
use super::text::leading_number;

const VALUED: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];
const CURRENT: [&str; 4] = ["HEAD", "", ":", "@"];
const SUMMARIES: [&str; 9] = [
    "--stat",
    "--shortstat",
    "--numstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--quiet",
    "-s",
    "--no-patch",
];

/// Hunks of a diff, and whether their new line numbers are those of the files in the working
/// folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Diff {
    pub is_current: bool,
}

/// What a `git` command shows.
pub(super) enum Shown<'a> {
    Listing(Listing<'a>),
    Search(Search),
    Diff(Diff),
    Nothing,
}

/// Returns what a `git` command shows, given its words from the subcommand on.
pub(super) fn git<'a>(words: &[Word<'a>]) -> Result<Shown<'a>, Uncertain> {
    let Some((command, arguments)) = words.split_first() else {
        return Ok(Shown::Nothing);
    };
    if command.is("grep") {
        return Ok(match search("grep", arguments)? {
            Some(found) => Shown::Search(Search {
                is_named: Some(true),
                ..found
            }),
            None => Shown::Nothing,
        });
    }
    let is_summary = |word: &Word<'_>| SUMMARIES.iter().any(|name| word.text.starts_with(name));
    if arguments.iter().any(is_summary) {
        return Ok(Shown::Nothing);
    }
    let old = Shown::Diff(Diff { is_current: false });
    Ok(match &*command.text {
        "show" => content(arguments).map_or(old, Shown::Listing),
        "cat-file" => content(arguments).map_or(Shown::Nothing, Shown::Listing),
        "diff" => Shown::Diff(diff(arguments)),
        "blame" => blame(arguments)?.map_or(Shown::Nothing, Shown::Listing),
        "log" | "stash" | "format-patch" => {
            let is_patch =
                |word: &Word<'_>| matches!(&*word.text, "-p" | "-u" | "--patch" | "--stdout");
            if arguments.iter().any(is_patch) {
                old
            } else {
                Shown::Nothing
            }
        }
        _ => Shown::Nothing,
    })
}

/// Returns the words from git's subcommand on, and the folder of `-C`.
pub(super) fn without_options<'a, 'b>(
    words: &'b [Word<'a>],
) -> (&'b [Word<'a>], Option<&'b Word<'a>>) {
    let mut folder = None;
    let mut place = 0;
    while let Some(word) = words.get(place).filter(|word| word.text.starts_with('-')) {
        if word.is("-C") {
            folder = words.get(place + 1);
        }
        place += 1 + usize::from(VALUED.contains(&&*word.text));
    }
    (words.get(place..).unwrap_or_default(), folder)
}

fn diff(arguments: &[Word<'_>]) -> Diff {
    let end = arguments.iter().position(|word| word.is("--"));
    let before_paths = &arguments[..end.unwrap_or(arguments.len())];
    let mut revisions = before_paths
        .iter()
        .map(|word| &*word.text)
        .filter(|word| !word.starts_with('-'));
    Diff {
        is_current: revisions.all(|word| CURRENT.contains(&word) || is_path(word)),
    }
}

fn is_path(word: &str) -> bool {
    word.contains('/') || word.trim_matches('.').contains('.')
}

/// A file at a revision; its lines are numbered only if that is the revision to work on.
fn content<'a>(arguments: &[Word<'a>]) -> Option<Listing<'a>> {
    arguments.iter().find_map(|word| {
        let (revision, path) = word.text.split_once(':')?;
        if path.is_empty() || word.text.starts_with('-') {
            return None;
        }
        let picked = if CURRENT.contains(&revision) {
            Picked::all()
        } else {
            Picked::unknown()
        };
        let path = path.strip_prefix("./").unwrap_or(path).to_owned();
        Some(Listing::of(vec![Word::of(path)], picked))
    })
}

fn blame<'a>(arguments: &[Word<'a>]) -> Result<Option<Listing<'a>>, Uncertain> {
    let mut file = None;
    let mut ranges = all();
    let mut remaining = arguments.iter();
    while let Some(word) = remaining.next() {
        if let Some(span) = word.text.strip_prefix("-L") {
            let next = if span.is_empty() {
                remaining.next()
            } else {
                None
            };
            let Some((first, last)) = blamed(next.map_or(span, |next| &next.text)) else {
                return Ok(None);
            };
            if last < first {
                return Err(Uncertain);
            }
            ranges = vec![(first, Some(last))];
        } else if !word.text.starts_with('-') {
            file = Some(word.clone());
        }
    }
    Ok(file.map(|file| Listing::of(vec![file], Picked::of(ranges))))
}

/// Parses the lines of `-L 3,9` and `-L 3,+7`.
fn blamed(span: &str) -> Option<(Line, Line)> {
    let (first, last) = span.split_once(',')?;
    let first = super::text::whole_number(first)?;
    let last = match last.strip_prefix('+') {
        Some(count) => first + super::text::whole_number(count)? - 1,
        None => super::text::whole_number(last)?,
    };
    Some((first, last))
}

/// Passes to `add` the lines that a diff shows of the new files.
pub(super) fn hunks<'a>(
    diff: Diff,
    lines: &[&'a str],
    mut add: impl FnMut(&'a str, Option<RangeInclusive<Line>>),
) {
    let mut path: Option<&str> = None;
    let mut remaining: Line = 0;
    for &line in lines {
        if remaining > 0 && !line.starts_with('-') {
            remaining -= 1;
        } else if let Some(file) = new_file(line) {
            path = Some(file);
            if !diff.is_current {
                add(file, None);
            }
        } else if let (Some(path), Some((first, count))) = (path, hunk(line)) {
            remaining = count;
            if diff.is_current && remaining > 0 {
                add(path, Some(first..=first + remaining - 1));
            }
        } else if line.starts_with("diff ") {
            path = None;
        }
    }
}

/// Parses the path in `+++ b/path`.
fn new_file(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("+++ ")?;
    let rest = rest.strip_prefix('"').unwrap_or(rest).strip_prefix("b/")?;
    let end = rest.find(['"', '\t']).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// Parses the first line and the number of lines of the new file in `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<(Line, Line)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = line.strip_prefix("@@ -")?;
    let old = digits(rest);
    rest = &rest[old..];
    if let Some(count) = rest.strip_prefix(',') {
        let length = digits(count);
        if length == 0 {
            return None;
        }
        rest = &count[length..];
    }
    let new = rest.strip_prefix(" +").filter(|_| old > 0)?;
    let (first, length) = leading_number(new)?;
    rest = &new[length..];
    let mut count = 1;
    if let Some(more) = rest.strip_prefix(',') {
        let (number, length) = leading_number(more)?;
        (count, rest) = (number, &more[length..]);
    }
    rest.starts_with(" @@").then_some((first, count))
}
