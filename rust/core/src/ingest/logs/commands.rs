//! What shell commands show, by the rules of `ContextBench`'s reader of mini-swe-agent.
//!
//! Commands are ASCII: in other text, Python's patterns match more letters, digits and blanks.

use memchr::memmem;
use memchr::{memchr_iter, memrchr_iter};
use rustc_hash::FxHashSet;

use super::observations::find;
use crate::text::is_blank;

/// A command that contains any of these, even inside another word, shows nothing.
const WRITES: [&str; 7] = [
    "sed -i",
    "echo ",
    "mkdir",
    "rm ",
    "git add",
    "git commit",
    "COMPLETE_TASK",
];
/// Suffixes of the files that count.
const SUFFIXES: [&str; 18] = [
    "py", "js", "java", "go", "rs", "cpp", "c", "hpp", "h", "tsx", "ts", "jsx", "rb", "php", "cs",
    "kt", "scala", "swift",
];
const DIGITS: usize = 18;

/// A path as written, and the first and last line that a command selects.
pub(super) type Shown<'c> = (&'c str, Option<(i64, i64)>);

/// Returns the files that a command shows, without repeats.
pub(super) fn shown(command: &str) -> Vec<Shown<'_>> {
    let command = command.trim_matches(is_blank);
    if WRITES.iter().any(|mark| find(command, mark).is_some()) {
        return Vec::new();
    }
    let mut known = FxHashSet::default();
    let found = pieces(command).into_iter().filter_map(shown_by_piece);
    found.filter(|&each| known.insert(each)).collect()
}

/// Splits a command at `&&`, `||` and `;`.
fn pieces(command: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < command.len() {
        let rest = &command[at..];
        let length = match rest.as_bytes() {
            [b'&', b'&', ..] | [b'|', b'|', ..] => 2,
            [b';', ..] => 1,
            _ => 0,
        };
        if length > 0 {
            pieces.push(&command[begin..at]);
            begin = at + length;
        }
        at += length.max(1);
    }
    pieces.push(&command[begin..]);
    pieces
}

/// Returns the file that a piece of a command shows.
///
/// The first program of this order that the piece contains decides, even if what it shows is not a
/// source file.
fn shown_by_piece(piece: &str) -> Option<Shown<'_>> {
    let found = numbered(piece)
        .or_else(|| calls(piece, "sed").find_map(cut_out))
        .or_else(|| called(piece, "head").find_map(head))
        .or_else(|| called(piece, "cat").find_map(|rest| Some((read(spaces(rest)?)?, None))))
        .or_else(|| searched(piece).map(|path| (path, None)));
    let (path, lines) = found?;
    let path = path.trim_matches(['"', '\'']);
    let path = path.strip_prefix("/testbed/").unwrap_or(path);
    let (_, suffix) = path.rsplit_once('.')?;
    SUFFIXES.contains(&suffix).then_some((path, lines))
}

/// Parses `nl -ba FILE | sed -n 3,9p`: the last word before the pipe is the file.
fn numbered(piece: &str) -> Option<Shown<'_>> {
    let mut begin = 0;
    for pipe in memchr_iter(b'|', piece.as_bytes()) {
        let before = &piece[begin..pipe];
        begin = pipe + 1;
        let behind = piece[begin..].trim_start_matches(is_blank);
        let Some((lines, _)) = behind.strip_prefix("sed").and_then(selected) else {
            continue;
        };
        let before = before.trim_end_matches(is_blank);
        let path = before
            .rfind(is_blank)
            .map_or(before, |at| &before[at + 1..]);
        let mut calls = calls(before, "nl").filter(|rest| rest.starts_with(is_blank));
        // There is something between the two, if only a third blank.
        if calls.next().is_some_and(|rest| rest.len() > path.len() + 2) {
            return Some((path, Some(lines)));
        }
    }
    None
}

/// Parses what follows `sed` in `sed -n 3,9p FILE`.
fn cut_out(rest: &str) -> Option<Shown<'_>> {
    let (lines, rest) = selected(rest)?;
    let quote = ['"', '\''];
    let rest = spaces(rest.strip_prefix(quote).unwrap_or(rest))?;
    let path = until(rest, |c| {
        is_blank(c) || matches!(c, '&' | '|' | '>' | ';' | '<')
    })?;
    Some((path, Some(lines)))
}

/// Parses what follows `head` in `head -n 9 FILE`.
fn head(rest: &str) -> Option<Shown<'_>> {
    let (last, rest) = digits(word(spaces(rest)?, "-n")?)?;
    Some((read(spaces(rest)?)?, Some((1, last))))
}

/// Parses `grep -n word FILE`: returns the first file after the first word.
///
/// The file is on the line of that word, or begins the next one. The first word itself is the file
/// only if nothing else is, and if two blanks precede it.
fn searched(piece: &str) -> Option<&str> {
    let mut calls = called(piece, "grep").filter(|rest| rest.starts_with(is_blank));
    let mut rest = calls.next()?;
    let (mut found, mut start, mut line) = (None, 0, 0);
    loop {
        let first = rest.trim_start_matches(is_blank);
        let begin = piece.len() - first.len();
        let end = begin + until(first, is_blank)?.len();
        if start < end {
            found = next_source(piece, end);
            start = found.map_or(piece.len(), |(at, _)| at);
            let before = piece[..start].trim_end_matches(is_blank);
            line = before.rfind('\n').map_or(0, |newline| newline + 1);
        }
        if let Some((_, path)) = found.filter(|_| line <= begin) {
            return Some(path);
        }
        if rest.len() > first.len() + 1
            && let Some(path) = source(first)
        {
            return Some(path);
        }
        rest = calls.next()?;
    }
}

/// Returns the next source file that begins a word after a position, and where it begins.
fn next_source(piece: &str, from: usize) -> Option<(usize, &str)> {
    let mut rest = &piece[from..];
    loop {
        let begin = rest.find(is_blank)?;
        rest = rest[begin..].trim_start_matches(is_blank);
        if let Some(path) = source(rest) {
            return Some((piece.len() - rest.len(), path));
        }
    }
}

/// Returns what follows each occurrence of a word, even inside another word.
fn calls<'c>(piece: &'c str, word: &'static str) -> impl Iterator<Item = &'c str> {
    let places = memmem::find_iter(piece.as_bytes(), word);
    places.map(move |at| &piece[at + word.len()..])
}

/// Returns what follows each occurrence of a word that no letter or digit precedes.
fn called<'c>(piece: &'c str, word: &'static str) -> impl Iterator<Item = &'c str> {
    calls(piece, word).filter(move |rest| {
        let before = &piece[..piece.len() - rest.len() - word.len()];
        !before.ends_with(is_word)
    })
}

/// Returns the beginning of a text up to a character; `None` if it is empty.
fn until(text: &str, is_end: impl Fn(char) -> bool) -> Option<&str> {
    let end = text.find(is_end).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// Returns the path that a text begins with.
fn read(text: &str) -> Option<&str> {
    until(text, |c| is_blank(c) || matches!(c, '&' | '|' | '>'))
}

/// Strips a word and the blanks after it from the beginning of a text.
fn word<'c>(text: &'c str, word: &str) -> Option<&'c str> {
    spaces(text.strip_prefix(word)?)
}

fn spaces(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_blank);
    (rest.len() < text.len()).then_some(rest)
}

/// Parses what follows `sed` in `sed -n '3,9p`; returns the first and last line, and the rest.
fn selected(rest: &str) -> Option<((i64, i64), &str)> {
    let text = word(spaces(rest)?, "-n")?;
    let (first, rest) = digits(text.strip_prefix(['"', '\'']).unwrap_or(text))?;
    let (last, rest) = digits(rest.strip_prefix(',')?)?;
    Some(((first, last), rest.strip_prefix('p')?))
}

fn digits(text: &str) -> Option<(i64, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    (digits.len() <= DIGITS).then_some((digits.parse().ok()?, rest))
}

/// Returns the longest path of a source file that a text begins with.
fn source(text: &str) -> Option<&str> {
    let length = read(text)?.len();
    let dots = memrchr_iter(b'.', &text.as_bytes()[..length]);
    dots.filter(|&dot| dot > 0).find_map(|dot| {
        let behind = &text[dot + 1..length];
        let suffix = &behind[..behind.find(|c| !is_word(c)).unwrap_or(behind.len())];
        SUFFIXES
            .contains(&suffix)
            .then(|| &text[..=dot + suffix.len()])
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{pieces, shown, shown_by_piece};

    #[test]
    fn what_commands_show() {
        for (command, expected) in [
            ("cat src/a.py", Some(("src/a.py", None))),
            ("cd x\n cat  '/testbed/a.py' 2> x", Some(("a.py", None))),
            ("cat a.py.bak | grep x b.py", None),
            ("cat a.json", None),
            ("cat .py", Some((".py", None))),
            ("cat a_py", None),
            ("cat a.c++", None),
            ("cat > a.py", None),
            ("catalog a.py", None),
            ("xcat a.py", None),
            ("$(cat a.swift", Some(("a.swift", None))),
            ("head -n 9 a.go>x", Some(("a.go", Some((1, 9))))),
            ("head -9 a.go", None),
            ("head -n 1234567890123456789 a.go", None),
            ("then sed -n '3,9p' a.rs", Some(("a.rs", Some((3, 9))))),
            ("sed -n 9,3p\" a.rs<x", Some(("a.rs", Some((9, 3))))),
            (
                "sed -n 3p a.rs; sed -n 3,9p a.rs",
                Some(("a.rs", Some((3, 9)))),
            ),
            ("sed -n '3,9p'a.rs", None),
            ("sed -n 3,9p a.md | cat b.rs", None),
            (
                "nl -ba a.py.c|sed  -n \"3,9p\"",
                Some(("a.py.c", Some((3, 9)))),
            ),
            ("nl - \"a.py\" | sed -n 3,9p", Some(("a.py", Some((3, 9))))),
            ("nl   a.py | sed -n 3,9p", Some(("a.py", Some((3, 9))))),
            ("nl  a.py | sed -n 3,9p", None),
            ("nl -ba a.py | cat | sed -n 3,9p", None),
            ("grep -n x 'a b.py'", Some(("b.py", None))),
            ("git  grep x -- .py a.py.bak b.py", Some(("a.py", None))),
            ("grep x\n a.py", Some(("a.py", None))),
            ("grep x y\nz a.py", None),
            ("grep x y\nz grep a b.py", Some(("b.py", None))),
            ("grep\na.py", None),
            ("grep  a.py b", Some(("a.py", None))),
            ("grep  a.py b.py", Some(("b.py", None))),
            ("egrep x a.py", None),
            ("git log a.py", None),
        ] {
            let shown = pieces(command).into_iter().find_map(shown_by_piece);
            assert_eq!(shown, expected, "{command}");
        }
    }

    #[test]
    fn commands_that_show_nothing_and_repeats() {
        assert_eq!(shown("cat a.py && cat a.py; cat b.py ").len(), 2);
        assert_eq!(shown("transform x; cat a.py"), []);
        assert_eq!(shown(" cat a.py; xrm \n").len(), 1);
    }

    #[test]
    fn where_commands_are_cut() {
        assert_eq!(
            pieces("a && b||c;d & e | f"),
            ["a ", " b", "c", "d & e | f"]
        );
        assert_eq!(pieces("a|||b;"), ["a", "|b", ""]);
    }
}
