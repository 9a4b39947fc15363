//! Calls of tools that read files: what they request, and what their results show.

use std::borrow::Cow;

use super::super::raw::Uncertain;
use super::super::tree::{Node, Object, is_integer, number};
use super::calls::Call;
use super::evidence::{is_refusal, numbered};
use super::tools::{Tool, value};
use super::views::{text_of, view};
use crate::shell::{Extent, View};
use crate::text::trim;

pub(super) const PATHS: [&str; 9] = [
    "path",
    "file_path",
    "filepath",
    "filename",
    "file",
    "target_file",
    "absolute_path",
    "relative_path",
    "paths",
];
const FIRST: [&str; 5] = [
    "start_line",
    "first_line",
    "line_start",
    "start_line_one_indexed",
    "offset",
];
const LAST: [&str; 4] = [
    "end_line",
    "last_line",
    "line_end",
    "end_line_one_indexed_inclusive",
];
const COUNTS: [&str; 2] = ["limit", "num_lines"];
const RANGES: [&str; 2] = ["view_range", "line_range"];
const TO_THE_END: i64 = -1;

/// Most digits of a number that may be a line number.
const DIGITS: usize = 15;
const LARGEST: f64 = 1e15;

/// The file and lines that a call requests.
struct Reading {
    path: String,
    first: Option<i64>,
    last: Option<i64>,
    is_to_end: bool,
}

/// The lines that the arguments of a reading tool request.
enum Asked {
    Files(Vec<String>),
    Lines(Reading),
}

/// Returns the views of a call of a tool that reads or edits.
pub(super) fn read(call: &Call<'_>) -> Result<Vec<View>, Uncertain> {
    if call.success == Some(false) {
        return Ok(Vec::new());
    }
    let is_editor = call.tool == Tool::Editor;
    let asked = call
        .arguments
        .read(|arguments| asked(arguments, is_editor), |_| None)?;
    let reading = match asked {
        None => return Ok(Vec::new()),
        Some(Asked::Files(paths)) => {
            return Ok(paths.iter().map(|path| view(path, Extent::Whole)).collect());
        }
        Some(Asked::Lines(reading)) => reading,
    };
    match text_of(call)? {
        None => Ok(vec![claimed(&reading)?]),
        Some(text) => seen(&reading, &text, is_editor),
    }
}

fn asked(arguments: &Object<'_>, is_editor: bool) -> Result<Option<Asked>, Uncertain> {
    if is_editor && !arguments.get("command").is("view") {
        return Ok(None);
    }
    let path = match value(arguments, &PATHS) {
        Some(Node::List(list)) => {
            let paths = list.items.iter().filter_map(Node::quoted);
            let paths: Result<Vec<_>, _> = paths
                .map(|path| path.certain().map(Cow::into_owned))
                .collect();
            return Ok(Some(Asked::Files(paths?)));
        }
        Some(Node::Text(path)) if !path.is_empty() => path.certain()?.into_owned(),
        _ => return Ok(None),
    };
    let (first, last) = lines_asked(arguments)?;
    Ok(Some(Asked::Lines(Reading {
        path,
        first,
        last: last.filter(|&last| last != TO_THE_END),
        is_to_end: last == Some(TO_THE_END),
    })))
}

/// Returns the first and last requested line, as far as they are stated.
fn lines_asked(arguments: &Object<'_>) -> Result<(Option<i64>, Option<i64>), Uncertain> {
    let of = |names: &[&str]| value(arguments, names).map_or(Ok(None), integer);
    let (first, last) = match value(arguments, &RANGES) {
        Some(Node::List(list)) if list.items.len() == 2 => {
            (integer(&list.items[0])?, integer(&list.items[1])?)
        }
        _ => {
            let (first, last, count) = (of(&FIRST)?, of(&LAST)?, of(&COUNTS)?);
            let begin = first.filter(|&first| first != 0).unwrap_or(1);
            let counted = count
                .filter(|&count| count > 0)
                .map(|count| begin + count - 1);
            (first, last.or(counted))
        }
    };
    Ok((first.filter(|&first| first != 0), last))
}

/// Parses an integer; line numbers always fit.
fn integer(value: &Node<'_>) -> Result<Option<i64>, Uncertain> {
    let parsed = |digits: &str| {
        if digits.len() > DIGITS {
            return Err(Uncertain);
        }
        digits.parse().map(Some).map_err(|_| Uncertain)
    };
    match value {
        Node::Number(digits) if is_integer(digits) => parsed(digits),
        Node::Number(digits) => match number(digits) {
            value if value.fract() != 0.0 => Ok(None),
            value if value.abs() < LARGEST => Ok(Some(value as i64)),
            _ => Err(Uncertain),
        },
        Node::Text(text) => {
            let text = text.certain()?;
            if !text.is_ascii() {
                return Err(Uncertain);
            }
            let text = trim(&text);
            let digits = text.strip_prefix('-').unwrap_or(text);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Ok(None);
            }
            parsed(text)
        }
        _ => Ok(None),
    }
}

/// Returns the requested view, for a call without a recorded result.
fn claimed(reading: &Reading) -> Result<View, Uncertain> {
    let extent = match (reading.first, reading.last) {
        (first, Some(last)) => Extent::Lines(first.unwrap_or(1), last),
        (None | Some(1), None) => Extent::Whole,
        (Some(_), None) if reading.is_to_end => return Err(Uncertain), // lines without a last one
        (Some(_), None) => Extent::Unknown,
    };
    Ok(view(&reading.path, extent))
}

/// Returns the views that a result shows.
fn seen(reading: &Reading, text: &str, is_editor: bool) -> Result<Vec<View>, Uncertain> {
    let Reading {
        path, first, last, ..
    } = reading;
    let ranges = numbered(text, *first, *last)?;
    if !ranges.is_empty() {
        let ranges = ranges.into_iter();
        let views = ranges.map(|(start, end)| view(path, Extent::Lines(start, end)));
        return Ok(views.collect());
    }
    if is_editor || text.is_empty() || is_refusal(text)? {
        return Ok(Vec::new());
    }
    if matches!(first, None | Some(1)) && last.is_none() {
        return Ok(vec![view(path, Extent::Whole)]);
    }
    let begin = first.unwrap_or(1);
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as i64;
    let shown = begin + newlines - i64::from(text.ends_with('\n'));
    let end = last.map_or(shown, |last| last.min(shown));
    Ok(vec![view(path, Extent::Lines(begin, end))])
}
