//! The output of a command: its lines, what of it was not shown, and which of them are errors.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Uncertain;
use super::leaks::has;
use super::slices::Bounds;
use super::text::is_blank;

const HINTS: [&str; 6] = [
    "No such file",
    "directory",
    "denied",
    "cannot open",
    "can't",
    "not found",
];
/// To make a finder takes longer than to look through a short output.
static HINT_FINDERS: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| HINTS.into_iter().map(Finder::new).collect());
const FAULTS: [&str; 9] = [
    "No such file or directory",
    "Is a directory",
    "Permission denied",
    "Not a directory",
    "cannot open",
    "can't read",
    "can't cd to",
    "command not found",
    "not found",
];

/// Bytes of a line, to make room for as many as there may be.
const USUAL_LINE: usize = 40;

/// The lines of an output.
pub(super) struct Text<'a> {
    pub lines: Vec<&'a str>,
    /// Lines that were left out of what the agent was shown, half-open.
    pub hidden: Bounds,
    /// First line whose place in the whole output is not known, because lines are missing.
    pub uncounted: Option<usize>,
}

impl<'a> Text<'a> {
    /// Takes an output apart, of which some bytes may not have been shown.
    pub(super) fn of(output: &'a str, hidden: Option<Bounds>) -> Self {
        let bytes = output.as_bytes();
        let mut lines = Vec::with_capacity(bytes.len() / USUAL_LINE + 1);
        lines.extend(lines_of(output));
        let newlines = |end: usize| memchr::memchr_iter(b'\n', &bytes[..end]).count();
        let (mut lost, mut uncounted) = ((0, 0), None);
        match hidden {
            Some((low, high)) if low < high && high <= bytes.len() => {
                let is_partly = bytes[high - 1] != b'\n';
                lost = (newlines(low), newlines(high) + usize::from(is_partly));
            }
            _ => uncounted = cut(output).map(newlines),
        }
        Self {
            lines,
            hidden: lost,
            uncounted,
        }
    }

    /// The text without the lines that are errors.
    pub(super) fn without(mut self, faults: &[&str]) -> Self {
        let lost: rustc_hash::FxHashSet<&str> = faults.iter().copied().collect();
        let gone: Vec<usize> = (0..self.lines.len())
            .filter(|&at| lost.contains(self.lines[at]))
            .collect();
        let left = |at: usize| at - gone.partition_point(|&each| each < at);
        self.hidden = (left(self.hidden.0), left(self.hidden.1));
        self.uncounted = self.uncounted.map(left);
        self.lines.retain(|line| !lost.contains(line));
        self
    }
}

/// The lines of a text, without an empty one at the end.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        Some(line)
    })
}

/// How a mark begins that says that lines are missing, and whether what follows makes it one.
type Mark = (Finder<'static>, fn(&str) -> bool);

static MARKS: LazyLock<[Mark; 5]> = LazyLock::new(|| {
    [
        (Finder::new("<response clipped>"), |_| true),
        (Finder::new("<elided_chars>"), |_| true),
        (Finder::new("[... "), omitted),
        (Finder::new("... "), cut_off),
        (Finder::new("…"), ellipsis),
    ]
});

/// Where a mark stands that says that lines are missing.
fn cut(output: &str) -> Option<usize> {
    let places = MARKS.iter().filter_map(|(mark, is_cut)| {
        let length = mark.needle().len();
        let mut places = mark.find_iter(output.as_bytes());
        places.find(|at| is_cut(&output[at + length..]))
    });
    places.min()
}

/// What follows a number, if there is one.
fn after_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

fn omitted(rest: &str) -> bool {
    let counted = || {
        let rest = after_digits(rest.strip_prefix("omitted ")?)?;
        after_digits(rest.strip_prefix(" of ")?)?.strip_prefix(" lines")
    };
    rest.starts_with("Observation truncated due to length") || counted().is_some()
}

fn cut_off(rest: &str) -> bool {
    let rest = after_digits(rest.strip_prefix('[').unwrap_or(rest));
    rest.is_some_and(|rest| is_truncated(rest, &["lines", "characters"]))
}

fn ellipsis(rest: &str) -> bool {
    let rest = rest.strip_prefix(is_blank).unwrap_or(rest);
    let rest = after_digits(rest.strip_prefix('+').unwrap_or(rest));
    rest.is_some_and(|rest| is_truncated(rest, &["lines", "tokens", "chars", "characters"]))
}

fn is_truncated(rest: &str, units: &[&str]) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else {
        return false;
    };
    let mut ends = units.iter().filter_map(|unit| rest.strip_prefix(unit));
    ends.any(|rest| rest.starts_with(" truncated"))
}

/// Lines of an output that say that a file could not be read.
pub(super) fn faults(output: &str) -> Result<Vec<&str>, Uncertain> {
    if !HINT_FINDERS
        .iter()
        .any(|hint| hint.find(output.as_bytes()).is_some())
    {
        return Ok(Vec::new());
    }
    let is_fault = |text: &str| FAULTS.iter().any(|fault| has(text, fault));
    let mut found = Vec::new();
    for line in lines_of(output) {
        let rest = line.trim_start_matches(is_of_name);
        if rest.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric()) {
            // Which of these are letters, Python knows.
            if is_fault(line) {
                return Err(Uncertain);
            }
        } else if rest.len() < line.len() && rest.strip_prefix(": ").is_some_and(is_fault) {
            found.push(line);
        }
    }
    Ok(found)
}

/// Whether the name of a program that says what went wrong may hold a character.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-')
}

/// The paths that an error may name.
pub(super) fn paths(fault: &str) -> impl Iterator<Item = &str> {
    let is_apart = |c: char| {
        is_blank(c)
            || matches!(
                c,
                '\'' | '"' | '`' | ':' | '(' | ')' | ',' | '\u{2018}' | '\u{2019}'
            )
    };
    fault.split(is_apart).filter(|path| !path.is_empty())
}
