//! Evidence in the result of a call: numbered lines, search hits, and error messages.

use super::super::raw::Uncertain;
use crate::shell::has_plain_digits;
use crate::text::trim_start;

/// Most digits of a line number.
const DIGITS: usize = 9;
/// Fewer consecutive numbered lines than this may be content of the file itself.
const LIKELY: i64 = 3;

/// Parses the digits at the beginning of a text; also returns the rest.
fn number(text: &str) -> Option<(i64, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    (digits.len() <= DIGITS).then_some((digits.parse().ok()?, rest))
}

/// Parses a line as numbered by a viewer: its number, and whether it is empty.
fn numbered_line(line: &str) -> Option<(i64, bool)> {
    let (number, rest) = number(line.trim_start_matches(' '))?;
    let content = if let Some(content) = rest.strip_prefix(['\t', '→']) {
        content
    } else {
        let content = rest.strip_prefix(['│', '|', ':'])?;
        content.strip_prefix(' ').unwrap_or(content)
    };
    Some((number, content.is_empty()))
}

/// Returns the ranges of lines that a result numbers, among those that were requested.
pub(super) fn numbered(
    text: &str,
    first: Option<i64>,
    last: Option<i64>,
) -> Result<Vec<(i64, i64)>, Uncertain> {
    if !has_plain_digits(text) {
        return Err(Uncertain);
    }
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut ends_empty = false;
    for (number, is_empty) in text.split('\n').filter_map(numbered_line) {
        ends_empty = is_empty;
        match runs.last_mut() {
            Some((_, stop)) if number == *stop + 1 => *stop = number,
            _ => runs.push((number, number)),
        }
    }
    // Some viewers number one line more than the file has.
    if let Some((start, stop)) = runs.last_mut() {
        if start < stop && last.is_none_or(|last| *stop < last) && ends_empty {
            *stop -= 1;
        }
    }
    let begin = first.unwrap_or(1);
    runs.retain(|(start, stop)| *start == begin || stop - start + 1 >= LIKELY);
    Ok(runs)
}

/// Returns the path, the first and the last line of the window at the end of a result.
pub(super) fn window(text: &str) -> Option<(&str, i64, i64)> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut headers = lines.iter().enumerate().rev();
    let (at, path) = headers.find_map(|(at, line)| Some((at, header(line)?)))?;
    let numbers = lines[at + 1..].iter().filter_map(|line| {
        let (number, rest) = number(line)?;
        rest.starts_with(':').then_some(number)
    });
    let numbers: Vec<i64> = numbers.collect();
    Some((path, *numbers.first()?, *numbers.last()?))
}

/// Parses the path in `[File: PATH (9 lines total)]`.
fn header(line: &str) -> Option<&str> {
    let inside = line
        .strip_prefix("[File: ")?
        .strip_suffix(" lines total)]")?;
    let before = inside.trim_end_matches(|c: char| c.is_ascii_digit());
    let path = before.strip_suffix(" (")?;
    (before.len() < inside.len() && !path.is_empty()).then_some(path)
}

/// Messages that a file does not exist.
const ABSENT: [&str; 7] = [
    "no such file",
    "not found",
    "does not exist",
    "is a directory",
    "not a file",
    "enoent",
    "permission denied",
];

/// Returns whether a result reports that there is nothing to show, instead of showing it.
pub(super) fn is_refusal(text: &str) -> Result<bool, Uncertain> {
    if begins_with_error(trim_start(text))? {
        return Ok(true);
    }
    let line = text.strip_suffix('\n').unwrap_or(text);
    if line.contains('\n') {
        return Ok(false);
    }
    if !line.is_ascii() {
        return Err(Uncertain);
    }
    let plain = line.to_ascii_lowercase();
    Ok(ABSENT.iter().any(|sign| plain.contains(sign)))
}

/// Returns whether a text begins with `<tool-error`, `[error`, `error` or `traceback (`, ignoring
/// case.
fn begins_with_error(text: &str) -> Result<bool, Uncertain> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric() || !c.is_ascii();
    let begins = |text: &str, word: &str| {
        let start = text.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    if let Some(tag) = text.strip_prefix('<') {
        let end = tag.find(|c| !is_word(c) && c != '-').unwrap_or(tag.len());
        if !tag[..end].is_ascii() {
            return Err(Uncertain);
        }
        return Ok(tag[..end].to_ascii_lowercase().contains("error"));
    }
    // Python lowercases some letters beyond ASCII to ASCII letters.
    if begins(text, "t") && !text.chars().take("traceback (".len()).all(|c| c.is_ascii()) {
        return Err(Uncertain);
    }
    if begins(text, "traceback (") {
        return Ok(true);
    }
    let word = text.strip_prefix('[').unwrap_or(text);
    if !begins(word, "error") {
        return Ok(false);
    }
    match word["error".len()..].chars().next() {
        Some(next) if !next.is_ascii() => Err(Uncertain),
        next => Ok(!next.is_some_and(is_word)),
    }
}

/// Returns the path and line of each search hit; `path` is the file of hits that name only a line.
pub(super) fn hits<'a>(
    text: &'a str,
    path: Option<&'a str>,
) -> Result<Vec<(&'a str, i64)>, Uncertain> {
    if !has_plain_digits(text) {
        return Err(Uncertain);
    }
    let hit = |line: &'a str| {
        let (path, rest) = line.split_once(':')?;
        if path.is_empty() || trim_start(path).len() < path.len() {
            return None;
        }
        let (number, rest) = number(rest)?;
        (rest.is_empty() || rest.starts_with([':', '-'])).then_some((path, number))
    };
    let found: Vec<_> = text.split('\n').filter_map(hit).collect();
    let (true, Some(path)) = (found.is_empty(), path) else {
        return Ok(found);
    };
    let in_file = |line: &'a str| {
        let (number, rest) = number(line)?;
        rest.starts_with(':').then_some((path, number))
    };
    Ok(text.split('\n').filter_map(in_file).collect())
}

#[cfg(test)]
mod tests {
    use super::super::super::raw::Uncertain;
    use super::{hits, is_refusal, numbered, window};

    #[test]
    fn numbered_lines() {
        for (text, first, last, expected) in [
            ("1\ta\n2\tb\n3\t", None, None, &[(1, 2)][..]),
            ("1\ta\n2\tb\n3\t", None, Some(3), &[(1, 3)]),
            (
                "  7→a\n  8│ b\nx\n20|a\n21: b\n22:c",
                Some(7),
                None,
                &[(7, 8), (20, 22)],
            ),
            ("3:a\n4:b", None, None, &[]),
            ("1234567890:a", None, None, &[]),
            ("1 a", None, None, &[]),
        ] {
            assert_eq!(numbered(text, first, last).unwrap(), expected, "{text}");
        }
        assert_eq!(numbered("\u{663}:a", None, None), Err(Uncertain));
    }

    #[test]
    fn the_last_window() {
        let text = "[File: a (9 lines total)]\n1:x\n[File: b (1) (30 lines total)]\n7:x\n8:\n(2)";
        assert_eq!(window(text), Some(("b (1)", 7, 8)));
        assert_eq!(window("[File: a ( lines total)]\n1:x"), None);
        assert_eq!(window("[File:  (9 lines total)]\n1:x"), None);
        assert_eq!(window("1:x\n[File: a (9 lines total)]"), None);
    }

    #[test]
    fn refusals() {
        for (text, expected) in [
            ("\n ERROR: x", true),
            ("[error]\ny", true),
            ("errors\ny", false),
            ("<tool-use_error>\ny", true),
            ("<b>error</b>\ny", false),
            ("Traceback (most\ny", true),
            ("a.py: No such file\n", true),
            ("a.py: No such file\ny", false),
            ("x", false),
        ] {
            assert_eq!(is_refusal(text), Ok(expected), "{text}");
        }
        for text in [
            "\u{e9}",
            "error\u{e9}\ny",
            "tracebac\u{212a} (\ny",
            "<\u{e9}>\ny",
        ] {
            assert_eq!(is_refusal(text), Err(Uncertain), "{text}");
        }
    }

    #[test]
    fn hits_of_searches() {
        let text = "a.py:3:x\na b:4-y\nc:5\n:6:x\n d:7:x\ne:f:8:x\n9:x";
        assert_eq!(
            hits(text, Some("z")).unwrap(),
            [("a.py", 3), ("a b", 4), ("c", 5)]
        );
        assert_eq!(
            hits("9:x\n10-y\n11:", Some("z")).unwrap(),
            [("z", 9), ("z", 11)]
        );
        assert_eq!(hits("9:x", None).unwrap(), []);
    }
}
