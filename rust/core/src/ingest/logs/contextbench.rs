//! Views of the profile `contextbench`, by the rules of `ContextBench`'s own reader.
//!
//! It reads the context that the agent declares or, if there is none, the commands that it ran, but
//! never their output.

use memchr::memrchr_iter;

use super::claims::{FINAL, Files, blocks, claims, path_in_repository};
use super::observations::{Uncertain, find, programs};
use super::record::{Turn, Usage};
use super::run::{Message, Run};
use super::{v1, v2};
use crate::shell::{Extent, View};

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

const CLAIM: (&str, &str) = ("<explore_context>", "</explore_context>");
const ASKS_FOR_CLAIMS: [&str; 2] = ["<EXPLORE_CONTEXT>", "<PATCH_CONTEXT>"];

/// Converts turns of version 1. A turn with several steps is followed by turns with one step each.
pub(super) fn turns_1<'a>(
    run: &'a Run<'_>,
    repository: Option<&str>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    let messages = &run.messages;
    let steps = |message: &Message<'_>| -> Result<Vec<Vec<View>>, Uncertain> {
        if !message.content.has(CLAIM.0) {
            return Ok(Vec::new());
        }
        let found = blocks(message.text(), CLAIM).into_iter();
        let found = found.map(|block| claims(block, repository));
        let found: Result<Vec<_>, _> = found.collect();
        Ok(found?
            .into_iter()
            .filter(|views| !views.is_empty())
            .collect())
    };
    let claimed: Result<Vec<_>, _> = messages.iter().map(steps).collect();
    let mut claimed = claimed?;
    let has_claims = claimed.iter().any(|steps| !steps.is_empty());
    let first = messages
        .iter()
        .position(|message| message.is_by("assistant"));
    let before = claimed[..first.unwrap_or(messages.len())].iter_mut();
    let mut turns: Vec<Turn<'a>> = before.flat_map(std::mem::take).map(step).collect();
    let mut end = first.unwrap_or(messages.len());
    for mut turn in v1::turns(run, None)? {
        let start = end;
        let next = messages[start + 1..]
            .iter()
            .position(|message| message.is_by("assistant"));
        end = next.map_or(messages.len(), |next| start + 1 + next);
        let mut steps = if has_claims {
            claimed[start..end]
                .iter_mut()
                .flat_map(std::mem::take)
                .collect()
        } else {
            let command = programs(messages[start].content.around_blocks(), false).next();
            Vec::from_iter(views_shown(command.into_iter(), repository)?)
        }
        .into_iter();
        turn.views = steps.next();
        let usage = turn.usage.map(|_| Usage::none());
        turns.push(turn);
        turns.extend(steps.map(|views| Turn {
            usage,
            ..step(views)
        }));
    }
    Ok(turns)
}

/// Converts turns of version 2.
pub(super) fn turns_2<'a>(
    run: &'a Run<'_>,
    repository: Option<&str>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    let mut turns = v2::turns(run, None)?;
    for (turn, message) in turns.iter_mut().zip(v2::starts(run)) {
        turn.views = views_shown(v2::commands(message), repository)?;
    }
    Ok(turns)
}

fn step<'a>(views: Vec<View>) -> Turn<'a> {
    Turn {
        views: Some(views),
        ..Turn::default()
    }
}

/// Returns the context that was declared last; `None` if the run was not asked to declare one.
pub(super) fn final_views(
    run: &Run<'_>,
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    let messages = &run.messages;
    let may_declare = messages.iter().filter(|each| each.content.has(FINAL.0));
    let declared = may_declare.flat_map(|each| blocks(each.text(), FINAL));
    if let Some(last) = declared.last() {
        return claims(last, repository).map(Some);
    }
    let is_asked = |message: &Message<'_>| {
        let mut signs = ASKS_FOR_CLAIMS.iter();
        signs.any(|sign| message.content.has(sign))
    };
    Ok(messages.iter().any(is_asked).then(Vec::new))
}

/// Returns the views of a step that ran these commands; inner `None` if they show no file.
fn views_shown<'c>(
    commands: impl Iterator<Item = &'c str>,
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    let mut files = Files::default();
    for command in commands {
        // In other text, Python's patterns match more letters, digits and blanks than these.
        if !command.is_ascii() {
            return Err(Uncertain);
        }
        if WRITES.iter().any(|mark| find(command, mark).is_some()) {
            continue;
        }
        for (path, lines) in pieces(command).into_iter().filter_map(shown) {
            if let Some(path) = path_in_repository(path, repository) {
                files.add(&path, lines)?;
            }
        }
    }
    Ok((!files.is_empty()).then(|| files.views()))
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

/// A path as written, and the lines that a command selects.
type Shown<'c> = (&'c str, Option<Extent>);

/// Returns the file that a piece of a command shows.
fn shown(piece: &str) -> Option<Shown<'_>> {
    let piece = piece.trim_start_matches(is_space);
    numbered(piece)
        .or_else(|| cut_out(piece))
        .or_else(|| head(piece))
        .or_else(|| word(piece, "cat").and_then(|rest| file(rest, |_| Some(None))))
        .or_else(|| {
            let found = word(piece, "git").and_then(searched);
            found.or_else(|| searched(piece))
        })
}

/// Parses `nl -ba FILE | sed -n 3,9p`.
fn numbered(piece: &str) -> Option<Shown<'_>> {
    let options = word(piece, "nl")?.strip_prefix('-')?;
    let rest = options.trim_start_matches(is_word);
    if rest.len() == options.len() {
        return None;
    }
    file(spaces(rest)?, |rest| {
        let rest = rest.trim_start_matches(is_space).strip_prefix('|')?;
        let rest = word(rest.trim_start_matches(is_space), "sed")?;
        Some(Some(range(word(rest, "-n")?)?.0))
    })
}

/// Parses `sed -n 3,9p FILE`.
fn cut_out(piece: &str) -> Option<Shown<'_>> {
    let (lines, rest) = range(word(word(piece, "sed")?, "-n")?)?;
    file(spaces(rest)?, |_| Some(Some(lines)))
}

/// Parses `head -n 9 FILE`.
fn head(piece: &str) -> Option<Shown<'_>> {
    let (last, rest) = digits(word(word(piece, "head")?, "-n")?)?;
    file(spaces(rest)?, |_| Some(Some(Extent::Lines(1, last))))
}

/// Parses `grep -n word FILE`: returns the first file on the line.
fn searched(piece: &str) -> Option<Shown<'_>> {
    let rest = piece.strip_prefix("grep")?;
    let rest = rest.strip_prefix(is_space)?;
    let line = rest.split('\n').next()?;
    let mut words = line.split(|c| !is_of_path(c));
    words.find_map(|word| file(word, |_| Some(None)))
}

/// Strips a word and the blanks after it from the beginning of a text.
fn word<'c>(text: &'c str, word: &str) -> Option<&'c str> {
    spaces(text.strip_prefix(word)?)
}

fn spaces(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_space);
    (rest.len() < text.len()).then_some(rest)
}

/// Parses `3,9p`, quoted or not; returns the range and the rest.
fn range(text: &str) -> Option<(Extent, &str)> {
    let quote = ['"', '\''];
    let (first, rest) = digits(text.strip_prefix(quote).unwrap_or(text))?;
    let (last, rest) = digits(rest.strip_prefix(',')?)?;
    let rest = rest.strip_prefix('p')?;
    let rest = rest.strip_prefix(quote).unwrap_or(rest);
    Some((Extent::Lines(first, last), rest))
}

fn digits(text: &str) -> Option<(i64, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    (digits.len() <= DIGITS).then_some((digits.parse().ok()?, rest))
}

/// Returns the longest path of a source file that a text begins with, if `lines` accepts the rest.
fn file<'c>(text: &'c str, lines: impl Fn(&'c str) -> Option<Option<Extent>>) -> Option<Shown<'c>> {
    let length = text.find(|c| !is_of_path(c)).unwrap_or(text.len());
    let dots = memrchr_iter(b'.', &text.as_bytes()[..length]);
    dots.filter(|&dot| dot > 0).find_map(|dot| {
        let behind = &text[dot + 1..];
        let suffix = &behind[..behind.find(|c| !is_word(c)).unwrap_or(behind.len())];
        if !SUFFIXES.contains(&suffix) {
            return None;
        }
        let (path, rest) = text.split_at(dot + 1 + suffix.len());
        Some((path, lines(rest)?))
    })
}

fn is_of_path(c: char) -> bool {
    !is_space(c) && !matches!(c, '\'' | '"' | '|')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\x1c'..='\x1f' | ' ')
}

#[cfg(test)]
mod tests {
    use super::{pieces, shown};
    use crate::shell::Extent::Lines;

    #[test]
    fn what_commands_show() {
        for (command, expected) in [
            ("cat src/a.py", Some(("src/a.py", None))),
            ("  cat  a.py.bak", Some(("a.py", None))),
            ("cat a.json", None),
            ("cat .py", None),
            ("cat a_py", None),
            ("cat 'a.py'", None),
            ("cat a.c++", Some(("a.c", None))),
            ("cat a.swift", Some(("a.swift", None))),
            ("catalog a.py", None),
            ("head -n 9 a.go", Some(("a.go", Some(Lines(1, 9))))),
            ("head -9 a.go", None),
            ("head -n 1234567890123456789 a.go", None),
            ("sed -n '3,9p' a.rs", Some(("a.rs", Some(Lines(3, 9))))),
            ("sed -n 9,3p\" a.rs", Some(("a.rs", Some(Lines(9, 3))))),
            ("sed -n '3,9p'a.rs", None),
            ("sed -n 3p a.rs", None),
            (
                "nl -ba a.py.c|sed  -n \"3,9p\"",
                Some(("a.py.c", Some(Lines(3, 9)))),
            ),
            ("nl a.py | sed -n 3,9p", None),
            ("nl - a.py | sed -n 3,9p", None),
            ("nl -ba a.py.x | sed -n 3,9p", None),
            ("grep -n x 'a b.py'", Some(("b.py", None))),
            ("git  grep x -- .py a.py b.py", Some(("a.py", None))),
            ("grep x\n a.py", None),
            ("grep\na.py", Some(("a.py", None))),
            ("git log a.py", None),
        ] {
            assert_eq!(shown(command), expected, "{command}");
        }
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
