//! Contexts that the agent declares in `<PATCH_CONTEXT>` tags, in runs of version 1.

use std::rc::Rc;

use memchr::memmem;

use super::observations::{Uncertain, find};
use super::run::Message;
use crate::shell::{Extent, View, has_plain_digits};
use crate::text::is_blank;

const DIGITS: usize = 18;

pub(super) const FINAL: (&str, &str) = ("<PATCH_CONTEXT>", "</PATCH_CONTEXT>");

/// Derives the repository folder in Multi-SWE-bench's containers from the name of the image.
pub(super) fn repository_of(image: &str) -> Option<&str> {
    const MARK: &str = "_m_";
    let mut places = memmem::find_iter(image.as_bytes(), MARK);
    places.find_map(|at| {
        let name = &image[at + MARK.len()..];
        let end = name.find([':', '/']).unwrap_or(name.len());
        (end > 0).then(|| &name[..end])
    })
}

/// Returns the context that the agent declared last; `None` if it declared none.
pub(super) fn declared_views(
    messages: &[Message<'_>],
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    let may_declare = |each: &&Message<'_>| each.is_by("assistant") && each.content.has(FINAL.0);
    for message in messages.iter().rev().filter(may_declare) {
        for block in blocks(message.text(), FINAL).into_iter().rev() {
            let views = claims(block, repository)?;
            if !views.is_empty() {
                return Ok(Some(views));
            }
        }
    }
    Ok(None)
}

/// Returns every text between an opening tag and the next closing tag.
pub(super) fn blocks<'a>(text: &'a str, (open, close): (&str, &str)) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = find(rest, open) {
        let inside = &rest[begin + open.len()..];
        let Some(end) = find(inside, close) else {
            break;
        };
        found.push(&inside[..end]);
        rest = &inside[end + close.len()..];
    }
    found
}

/// Files in the order in which they were declared, each with its ranges.
#[derive(Default)]
pub(super) struct Files(Vec<(Rc<str>, Vec<Extent>)>);

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, path: &str, extent: Option<Extent>) -> Result<(), Uncertain> {
        let known = self.0.iter().position(|(file, _)| &**file == path);
        let place = known.unwrap_or(self.0.len());
        if place >= MOST_FILES {
            return Err(Uncertain);
        }
        if known.is_none() {
            self.0.push((path.into(), Vec::new()));
        }
        self.0[place].1.extend(extent);
        Ok(())
    }

    /// Returns the views of the files, then those of their ranges.
    pub(super) fn views(&self) -> Vec<View> {
        let view = |path: &Rc<str>, extent: Extent| View {
            path: path.clone(),
            extent,
            is_search: false,
        };
        let files = self.0.iter();
        let named = files.clone().map(|(path, _)| view(path, Extent::Unknown));
        let ranges = files.flat_map(|(path, extents)| {
            let extents = extents.iter();
            extents.map(|extent| view(path, *extent))
        });
        named.chain(ranges).collect()
    }
}

/// Returns the files of a block that have a range, then their ranges. Reversed ranges are put in
/// order.
pub(super) fn claims(block: &str, repository: Option<&str>) -> Result<Vec<View>, Uncertain> {
    if !has_plain_digits(block) {
        return Err(Uncertain);
    }
    let mut files = Files::default();
    let mut path: Option<String> = None;
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    for line in block.split(is_end) {
        let Some((key, value)) = line.trim_matches(is_blank).split_once(':') else {
            continue;
        };
        match (key, &path) {
            ("File", _) => path = path_in_repository(value, repository),
            ("Lines", Some(path)) => {
                let Some((first, last)) = lines(value) else {
                    continue;
                };
                let extent = Extent::Lines(first.min(last), first.max(last));
                files.add(path, Some(extent))?;
            }
            _ => {}
        }
    }
    Ok(files.views())
}

/// With more files, a linear search would take too long.
const MOST_FILES: usize = 256;

/// Parses `3-9`.
fn lines(text: &str) -> Option<(i64, i64)> {
    let number = |text: &str| text.parse::<i64>().ok();
    let text = text.trim_start_matches(is_blank);
    let digits = digits(text);
    let rest = text[digits..]
        .trim_start_matches(is_blank)
        .strip_prefix('-')?;
    let rest = rest.trim_start_matches(is_blank);
    let more = self::digits(rest).min(DIGITS);
    if digits > DIGITS {
        return None;
    }
    Some((number(&text[..digits])?, number(&rest[..more])?))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Strips the container's folders from a path; `None` if the path is outside the repository.
pub(super) fn path_in_repository(written: &str, repository: Option<&str>) -> Option<String> {
    let path = written.trim_matches(is_blank);
    let path = path.trim_matches(['"', '\'']).trim_matches(is_blank);
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
