//! Paths of files and folders, relative to the folder that a command ran in.

use std::rc::Rc;

use super::LONGEST_FOLDER;
use super::syntax::Word;

/// Joins a path to a folder.
pub(super) fn joined(folder: Option<&str>, path: &str) -> Rc<str> {
    match folder {
        Some(folder) if !path.starts_with(['/', '~']) => normal(&format!("{folder}/{path}")),
        _ if path.contains("./") || path.contains("//") => normal(path),
        _ => path.into(),
    }
}

/// Removes `.`, `..` and redundant slashes from a path.
fn normal(path: &str) -> Rc<str> {
    let root = match path.as_bytes() {
        [b'/', b'/', b'/', ..] => "/",
        [b'/', b'/', ..] => "//",
        [b'/', ..] => "/",
        _ => "",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_none_or(|last| *last == "..") => {
                if root.is_empty() {
                    parts.push(part);
                }
            }
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    if root.is_empty() && path.is_empty() {
        return ".".into();
    }
    if root.is_empty() {
        return path.into();
    }
    format!("{root}{path}").into()
}

/// Returns the folder after `cd`; `None` if it is the root or unknown.
pub(super) fn folder_after(folder: Option<&str>, target: &Word<'_>) -> Option<Rc<str>> {
    if !target.is_known {
        return None;
    }
    let after = joined(folder, &target.text);
    let is_known = &*after != "." && after.chars().nth(LONGEST_FOLDER).is_none();
    is_known.then_some(after)
}
