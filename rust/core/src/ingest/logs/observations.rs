//! Texts of version 1: bash blocks, and results of commands.
//!
//! Texts that are not ASCII are left to the record reader if its rules treat them specially.

use std::borrow::Cow;
use std::iter;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

pub(super) use super::super::raw::Uncertain;
use super::content::Content;
use super::record::Printed;
use crate::text::is_blank;

static BASH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("```bash"));
/// The end of a bash block, at the beginning of a line.
static LINE_FENCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n```"));
static CODE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("<returncode>"));
static OPEN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("<output>\n"));
/// The same, escaped as in JSON.
static OPEN_ESCAPED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(r"<output>\n"));
const CLOSE: &str = "</output>";
/// The end of a bash block.
const FENCE: &str = "```";

/// Most digits of a number.
const DIGITS: usize = 18;

/// Finds a mark in a text; `str::find` takes many times as long.
pub(super) fn find(text: &str, mark: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), mark.as_bytes())
}

/// Returns the part of a text, escaped as JSON or not, that contains all of its bash blocks.
pub(super) fn around_blocks(text: &str) -> &str {
    let begin = BASH.find(text.as_bytes()).unwrap_or(text.len());
    let rest = &text[begin..];
    let end = memmem::rfind(rest.as_bytes(), FENCE.as_bytes());
    &rest[..end.map_or(0, |end| end + FENCE.len())]
}

/// Returns the bash blocks of a text. A block ends at the next fence at the beginning of a line or,
/// without one, at the next fence.
fn programs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        let newline = block_after(rest)?;
        let length = match LINE_FENCE.find(&rest.as_bytes()[newline..]) {
            Some(length) => length,
            None => find(&rest[newline + 1..], FENCE)?,
        };
        let body = &rest[newline + 1..newline + 1 + length];
        rest = &rest[newline + 1 + length + FENCE.len()..];
        Some(body.strip_suffix('\n').unwrap_or(body))
    })
}

/// Returns the only bash block of a text.
pub(super) fn program(text: &str) -> Option<&str> {
    let mut programs = programs(text);
    let first = programs.next()?;
    programs.next().is_none().then_some(first)
}

/// Returns the first bash block of a text for `ContextBench`. It ends at a fence at the beginning of
/// a line; its first line is never the fence.
pub(super) fn first_program(text: &str) -> Option<&str> {
    let body = &text[block_after(text)? + 1..];
    LINE_FENCE.find(body.as_bytes()).map(|end| &body[..end])
}

/// Returns the end of the line before the next bash block.
fn block_after(text: &str) -> Option<usize> {
    BASH.find_iter(text.as_bytes()).find_map(|at| {
        let rest = &text[at + BASH.needle().len()..];
        let blank = rest.len() - rest.trim_start_matches(is_blank).len();
        let newline = rest[..blank].rfind('\n')?;
        Some(at + BASH.needle().len() + newline)
    })
}

/// An observation of version 1: the return code in its text, and the output.
pub(super) struct Observation<'a> {
    pub code: i64,
    pub output: Option<Printed<'a>>,
}

/// Parses a message as an observation, if it is one. Most messages are rejected cheaply.
pub(super) fn observation<'a>(content: &'a Content<'_>) -> Option<Observation<'a>> {
    if let Some(inside) = content.written() {
        let (code, after) = code(inside)?;
        let whole = between(inside, after, &OPEN_ESCAPED, CLOSE);
        if let Some(output) = whole.filter(|whole| !is_cut(inside, after, whole)) {
            let output = Some(Printed::Escaped(output));
            return Some(Observation { code, output });
        }
    }
    observed(content.text())
}

fn observed(text: &str) -> Option<Observation<'_>> {
    let (code, after) = code(text)?;
    let whole = between(text, after, &OPEN, CLOSE);
    let is_whole = whole.is_some_and(|whole| !is_cut(text, after, whole));
    let cut = || cut(text, after).map(Cow::Owned);
    let whole = whole.map(Cow::Borrowed);
    let output = if is_whole { whole } else { cut().or(whole) };
    let output = output.map(Printed::Text);
    Some(Observation { code, output })
}

/// Returns whether the output that was found is inside the beginning of a longer, truncated output.
fn is_cut(text: &str, start: usize, output: &str) -> bool {
    let before = output.as_ptr() as usize - text.as_ptr() as usize;
    find(&text[start..before], "<output_head>").is_some()
}

/// Returns the remaining beginning and end of a truncated output that starts after a position.
fn cut(text: &str, start: usize) -> Option<String> {
    const CLOSE: &str = "\n</output_head>\n<elided_chars>";
    let head = between(text, start, &Finder::new("<output_head>\n"), CLOSE)?;
    let tail = last(text, "<output_tail>\n").map_or(text, |(_, tail)| tail);
    let tail = last(tail, "\n</output_tail>").map_or("", |(tail, _)| tail);
    Some(format!("{head}<elided_chars>\n{tail}"))
}

/// Splits a text at the last occurrence of a mark.
fn last<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let at = memmem::rfind(text.as_bytes(), mark.as_bytes())?;
    Some((&text[..at], &text[at + mark.len()..]))
}

/// Parses the return code of a text; also returns the position of its end.
fn code(text: &str) -> Option<(i64, usize)> {
    const CLOSE: &str = "</returncode>";
    let mut at = 0;
    while let Some(found) = CODE.find(&text.as_bytes()[at..]) {
        at += found + CODE.needle().len();
        let rest = &text[at..];
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let after = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = unsigned.len() - after.len();
        if (1..=DIGITS).contains(&digits) && after.starts_with(CLOSE) {
            let length = rest.len() - after.len();
            return Some((rest[..length].parse().ok()?, at + length + CLOSE.len()));
        }
    }
    None
}

/// Returns the text between the first opening mark after a position and the last closing mark.
fn between<'a>(
    text: &'a str,
    start: usize,
    opening: &Finder<'_>,
    closing: &str,
) -> Option<&'a str> {
    let found = opening.find(&text.as_bytes()[start..])?;
    let begin = start + found + opening.needle().len();
    let end = memmem::rfind(text.as_bytes(), closing.as_bytes())?;
    text.get(begin..end)
}

/// Returns the range of an output, in bytes, that the agent was not shown, if the text it was shown
/// instead states its length.
///
/// As many characters are shown at the beginning of a long output as at its end.
pub(super) fn hidden(output: &str, shown: &str) -> Result<Option<(usize, usize)>, Uncertain> {
    let count = |text: &str| {
        if text.is_ascii() {
            text.len()
        } else {
            text.chars().count()
        }
    };
    let length = count(output);
    if count(shown) >= length {
        return Ok(None);
    }
    let Some(elided) = elided(shown)?.filter(|&elided| elided < length) else {
        return Ok(None);
    };
    let half = (length - elided) / 2;
    let place = |character: usize| {
        if length == output.len() {
            return character;
        }
        let mut places = output.char_indices().map(|(at, _)| at);
        places.nth(character).unwrap_or(output.len())
    };
    Ok(Some((place(half), place(length - half))))
}

/// Returns the number of characters that a text says were left out.
fn elided(shown: &str) -> Result<Option<usize>, Uncertain> {
    const MARK: &str = "elided_chars";
    const MOST_APART: usize = 4;
    for at in memmem::find_iter(shown.as_bytes(), MARK) {
        let rest = &shown[at + MARK.len()..];
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let number = rest.trim_start_matches(|c| !is_word(c));
        let apart = rest[..rest.len() - number.len()]
            .chars()
            .take(MOST_APART + 1)
            .count();
        if !(1..=MOST_APART).contains(&apart) {
            continue;
        }
        if number.starts_with(|c: char| !c.is_ascii()) {
            return Err(Uncertain);
        }
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(elided) = number[..digits.min(DIGITS)].parse() {
            return Ok(Some(elided));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{code, observed, program};

    #[test]
    fn only_bash_block() {
        assert_eq!(program("a ```bash\nls\n``` b"), Some("ls"));
        assert_eq!(program("```bash \n\n\n  x```"), Some("  x"));
        assert_eq!(program("```bash\n```"), Some(""));
        assert_eq!(program("```bash\na\n``````bash\nb\n```"), None);
        for none in [
            "",
            "```bash",
            "```bash ls```",
            "```bash\nls",
            "```sh\nls\n```",
        ] {
            assert_eq!(program(none), None, "{none}");
        }
        assert_eq!(program("```bash\u{a0}\nls\n```"), Some("ls"));
        assert_eq!(program("```bash\na ```\nb\n```"), Some("a ```\nb"));
    }

    #[test]
    fn return_codes() {
        let code = |text| code(text).map(|(code, _)| code);
        assert_eq!(code("<returncode>-12</returncode>"), Some(-12));
        assert_eq!(code("<returncode>x<returncode>007</returncode>"), Some(7));
        assert_eq!(code("<returncode></returncode>"), None);
        assert_eq!(code("<returncode>\u{663}</returncode>"), None);
    }

    #[test]
    fn output_lies_between_the_first_and_the_last_tag() {
        let output = |rest: &str| {
            let text = format!("<output>\nx</output><returncode>0</returncode>{rest}");
            let observed = observed(&text)?;
            Some(observed.output?.text().unwrap().into_owned())
        };
        assert_eq!(output("\n<output>\na\n</output>").as_deref(), Some("a\n"));
        assert_eq!(
            output("<output>\n</output></output>").as_deref(),
            Some("</output>")
        );
        assert_eq!(output("<output>\nx"), None);
        assert_eq!(output(""), None);
        assert!(observed("none").is_none());
    }

    #[test]
    fn a_long_output_is_its_beginning_and_its_end() {
        let output = |rest: &str| {
            let text = format!("<returncode>0</returncode>{rest}");
            let observed = observed(&text)?;
            Some(observed.output?.text().unwrap().into_owned())
        };
        let head = "<output_head>\na\n</output_head>\n<elided_chars>9</elided_chars>";
        assert_eq!(
            output(&format!("{head}<output_tail>\nb\n</output_tail>")).as_deref(),
            Some("a<elided_chars>\nb")
        );
        assert_eq!(output(head).as_deref(), Some("a<elided_chars>\n"));
        assert_eq!(output("<output_head>\na\n</output_head>"), None);
    }
}
