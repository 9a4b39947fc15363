//! Contexts that the agent declares in `<PATCH_CONTEXT>` tags, in runs of version 1.

use std::rc::Rc;

use memchr::memmem;

use super::observations::{Uncertain, find, is_space};
use super::run::Message;
use crate::shell::{Extent, View, has_plain_digits};

const DIGITS: usize = 18;

/// The folder of the repository in Multi-SWE-bench's containers, from the name of the image.
pub(super) fn repository_of(image: &str) -> Option<&str> {
    const MARK: &str = "_m_";
    let mut places = memmem::find_iter(image.as_bytes(), MARK);
    places.find_map(|at| {
        let name = &image[at + MARK.len()..];
        let end = name.find([':', '/']).unwrap_or(name.len());
        (end > 0).then(|| &name[..end])
    })
}

/// The context that the agent declared last; none if it declared none.
pub(super) fn declared_views(
    messages: &[Message<'_>],
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    for message in messages.iter().rev().filter(|each| each.is_by("assistant")) {
        for block in blocks(message.text()).into_iter().rev() {
            let views = claims(block, repository)?;
            if !views.is_empty() {
                return Ok(Some(views));
            }
        }
    }
    Ok(None)
}

fn blocks(text: &str) -> Vec<&str> {
    const OPEN: &str = "<PATCH_CONTEXT>";
    const CLOSE: &str = "</PATCH_CONTEXT>";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = find(rest, OPEN) {
        let inside = &rest[begin + OPEN.len()..];
        let Some(end) = find(inside, CLOSE) else {
            break;
        };
        found.push(&inside[..end]);
        rest = &inside[end + CLOSE.len()..];
    }
    found
}

/// The files of a block that have a range, then their ranges; reversed ones are put in order.
fn claims(block: &str, repository: Option<&str>) -> Result<Vec<View>, Uncertain> {
    if !has_plain_digits(block) {
        return Err(Uncertain);
    }
    let mut files: Vec<(Rc<str>, Vec<Extent>)> = Vec::new();
    let mut path: Option<Rc<str>> = None;
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    for line in block.split(is_end) {
        let Some((key, value)) = line.trim_matches(is_space).split_once(':') else {
            continue;
        };
        match (key, &path) {
            ("File", _) => path = path_in_repository(value, repository).map(Rc::from),
            ("Lines", Some(path)) => {
                let Some((first, last)) = lines(value) else {
                    continue;
                };
                let extent = Extent::Lines(first.min(last), first.max(last));
                let known = files.iter().position(|(file, _)| file == path);
                let place = known.unwrap_or(files.len());
                if place == files.len() {
                    files.push((path.clone(), Vec::new()));
                }
                if files.len() > MOST_FILES {
                    return Err(Uncertain);
                }
                files[place].1.push(extent);
            }
            _ => {}
        }
    }
    let view = |path: &Rc<str>, extent: Extent| View {
        path: path.clone(),
        extent,
        is_search: false,
    };
    let named = files.iter().map(|(path, _)| view(path, Extent::Unknown));
    let ranges = files.iter().flat_map(|(path, extents)| {
        let extents = extents.iter();
        extents.map(|extent| view(path, *extent))
    });
    Ok(named.chain(ranges).collect())
}

/// Of more files, looking through all of them takes too long.
const MOST_FILES: usize = 256;

/// The numbers of `3-9`.
fn lines(text: &str) -> Option<(i64, i64)> {
    let number = |text: &str| text.parse::<i64>().ok();
    let text = text.trim_start_matches(is_space);
    let digits = digits(text);
    let rest = text[digits..]
        .trim_start_matches(is_space)
        .strip_prefix('-')?;
    let rest = rest.trim_start_matches(is_space);
    let more = self::digits(rest).min(DIGITS);
    if digits > DIGITS {
        return None;
    }
    Some((number(&text[..digits])?, number(&rest[..more])?))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// A path without the folders of containers; none if it lies outside.
fn path_in_repository(written: &str, repository: Option<&str>) -> Option<String> {
    let path = written.trim_matches(is_space);
    let path = path.trim_matches(['"', '\'']).trim_matches(is_space);
    let path = match (path.strip_prefix("/testbed/"), path.strip_prefix("/home/")) {
        (Some(path), _) => path,
        (None, Some(below)) => {
            let (first, rest) = below.split_once('/')?;
            if Some(first) == repository {
                rest
            } else {
                below
            }
        }
        (None, None) => path,
    };
    let path = path.trim_start_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    (!path.is_empty()).then(|| path.to_owned())
}
