//! The output of a command: its lines, the part that was not shown, and the lines that are errors.

use std::cell::OnceCell;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter};

use super::Uncertain;
use super::leaks::has;
use super::slices::Bounds;
use super::text::is_blank;
use crate::ingest::{BLOCK, Block};

/// Every error message contains one of these. Building a finder takes longer than searching a short
/// output.
static HINTS: LazyLock<[Finder<'static>; 5]> =
    LazyLock::new(|| ["directory", "denied", "cannot open", "can't", "not found"].map(Finder::new));
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

/// Estimated bytes per line, for allocating memory.
const USUAL_LINE: usize = 40;

/// The lines of an output.
pub(super) struct Text<'a> {
    pub lines: Vec<&'a str>,
    /// Half-open range of the lines that the agent was not shown.
    pub hidden: Bounds,
    output: &'a str,
    /// Whether lines may be missing besides those known to be hidden.
    may_be_cut: bool,
    /// Lines that were removed.
    gone: Vec<usize>,
    uncounted: OnceCell<Option<usize>>,
}

impl<'a> Text<'a> {
    /// Splits an output into lines, given the bytes that were not shown.
    pub(super) fn of(output: &'a str, lines: Vec<&'a str>, hidden: Option<Bounds>) -> Self {
        let bytes = output.as_bytes();
        let known = hidden.filter(|&(low, high)| low < high && high <= bytes.len());
        let hidden = known.map(|(low, high)| {
            let is_partly = bytes[high - 1] != b'\n';
            let end = newlines(output, high) + usize::from(is_partly);
            (newlines(output, low), end)
        });
        Self {
            lines,
            hidden: hidden.unwrap_or_default(),
            output,
            may_be_cut: known.is_none(),
            gone: Vec::new(),
            uncounted: OnceCell::new(),
        }
    }

    /// Returns the first line whose number in the whole output is unknown because lines are
    /// missing.
    pub(super) fn uncounted(&self) -> Option<usize> {
        let find = || {
            let place = self.may_be_cut.then(|| cut(self.output))??;
            Some(self.left(newlines(self.output, place)))
        };
        *self.uncounted.get_or_init(find)
    }

    /// Removes the lines that are errors.
    pub(super) fn without(mut self, faults: &[&str]) -> Self {
        let lost: rustc_hash::FxHashSet<&str> = faults.iter().copied().collect();
        self.gone = (0..self.lines.len())
            .filter(|&at| lost.contains(self.lines[at]))
            .collect();
        self.hidden = (self.left(self.hidden.0), self.left(self.hidden.1));
        self.lines.retain(|line| !lost.contains(line));
        self
    }

    /// Returns how many of the first `lines` lines were not removed.
    fn left(&self, lines: usize) -> usize {
        lines - self.gone.partition_point(|&each| each < lines)
    }
}

/// Returns the number of newlines before a position.
fn newlines(text: &str, end: usize) -> usize {
    memchr_iter(b'\n', &text.as_bytes()[..end]).count()
}

/// Splits a text into lines, without an empty one at the end.
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    let mut lines = Vec::with_capacity(text.len() / USUAL_LINE + 1);
    let bytes = text.as_bytes();
    let (mut begin, mut at) = (0, 0);
    let mut end_line = |end: usize| {
        lines.push(&text[begin..end]);
        begin = end + 1;
    };
    while let Some(block) = Block::at(bytes, at) {
        let mut newlines = block.places_of(b'\n');
        while newlines != 0 {
            end_line(at + newlines.trailing_zeros() as usize);
            newlines &= newlines - 1;
        }
        at += BLOCK;
    }
    memchr_iter(b'\n', &bytes[at..]).for_each(|end| end_line(at + end));
    if begin < text.len() {
        lines.push(&text[begin..]);
    }
    lines
}

/// The beginning of a truncation mark, and a check of the text before and after it.
type Mark = (Finder<'static>, fn(&str, &str) -> bool);

static MARKS: LazyLock<[Mark; 4]> = LazyLock::new(|| {
    [
        (Finder::new("<response clipped>"), |_, _| true),
        (Finder::new("<elided_chars>"), |_, _| true),
        (Finder::new("... "), |before, rest| {
            cut_off(rest) || (before.ends_with('[') && omitted(rest))
        }),
        (Finder::new("…"), |_, rest| ellipsis(rest)),
    ]
});

/// Returns the line of a truncation mark, if there is one.
fn cut(output: &str) -> Option<usize> {
    // The last mark is not ASCII.
    let marks = &MARKS[..MARKS.len() - usize::from(output.is_ascii())];
    let places = marks.iter().filter_map(|(mark, is_cut)| {
        let length = mark.needle().len();
        let mut places = mark.find_iter(output.as_bytes());
        places.find(|&at| is_cut(&output[..at], &output[at + length..]))
    });
    places.min()
}

/// Returns the text after a number, if there is one.
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

/// Returns the lines that report an unreadable file: a name, a colon, and the error.
pub(super) fn faults<'a>(output: &str, lines: &[&'a str]) -> Result<Vec<&'a str>, Uncertain> {
    let mut is_hinted = false;
    let mut found = Vec::new();
    for &line in lines {
        let bytes = line.as_bytes();
        if !bytes.first().copied().is_some_and(may_be_of_name) {
            continue;
        }
        let Some(colon) = memchr(b':', bytes) else {
            continue;
        };
        let is_named = || bytes[..colon].iter().copied().all(may_be_of_name);
        if bytes.get(colon + 1) != Some(&b' ') || !is_named() {
            continue;
        }
        // Names followed by a colon are frequent, and errors are rare.
        let is_in = |hint: &Finder<'_>| hint.find(output.as_bytes()).is_some();
        is_hinted = is_hinted || HINTS.iter().any(is_in);
        if !is_hinted {
            break;
        }
        let (name, said) = line.split_at(colon);
        if !FAULTS.iter().any(|fault| has(said, fault)) {
            continue;
        }
        match name.chars().find(|c| !c.is_ascii()) {
            None => found.push(line),
            // Only Python knows which of these are letters.
            Some(other) if other.is_alphanumeric() => return Err(Uncertain),
            Some(_) => {}
        }
    }
    Ok(found)
}

/// Returns whether the name of a program in an error message may contain a byte.
fn may_be_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'.' | b'/' | b'+' | b'-')
        || !byte.is_ascii()
}

/// Returns the paths that an error message may name.
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
