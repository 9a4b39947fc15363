//! Finds the file of a repository that a path in a log refers to.
//!
//! The rules and their reasons are in `trajmeter.metrics.context.paths`. A path is normalised; then
//! its leading folders are dropped one by one until the rest is a file of the snapshot. Each try is
//! one hash lookup, so the cost of a path is at most quadratic in its depth.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::text::trim;

const QUOTES: [char; 3] = ['\'', '"', '`'];
/// Number of leading folders in each container root, including the folder of arbitrary name.
const ROOTS: [(&str, usize); 5] = [
    ("testbed", 1),
    ("app", 1),
    ("repo", 1),
    ("workspace", 2),
    ("home", 2),
];
const COPIES: [&str; 3] = ["site-packages", "dist-packages", "node_modules"];
const SCRATCH: [&str; 4] = ["tmp", "proc", "dev", "etc"];
const LEAKS: [&str; 2] = ["fix.patch", "test.patch"];

/// How to find a file if the path itself is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The file found by dropping folders, subject to the rules for guesses.
    Careful,
    /// The first file found by dropping folders, including bare names.
    AnyLeft,
    /// The path after the root of a container, whether it exists or not.
    Unlisted,
}

/// Finds files by paths in logs.
#[derive(Debug, Clone)]
pub struct Finder {
    search: Search,
    /// Folder name of a checkout of the repository.
    repo: Option<Box<str>>,
    names: FxHashMap<Box<str>, Name>,
    bytes: usize,
}

/// Whether a name is a file, and whether it occurs in folders.
#[derive(Debug, Clone, Copy, Default)]
struct Name {
    /// The path of a file.
    is_file: bool,
    /// The file name of a longer path.
    is_below: bool,
}

impl Finder {
    /// Creates a finder of `files`, paths relative to the root of the repository named `repo`.
    #[must_use]
    pub fn new<'a>(
        search: Search,
        repo: Option<&str>,
        files: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut finder = Self {
            search,
            repo: repo.map(folder),
            names: FxHashMap::default(),
            bytes: 0,
        };
        for file in files {
            finder.name(file).is_file = true;
            if search == Search::Careful {
                if let Some((_, last)) = file.rsplit_once('/') {
                    finder.name(last).is_below = true;
                }
            }
        }
        finder
    }

    /// Approximate memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn name(&mut self, name: &str) -> &mut Name {
        // Each name has an entry in the table and its own allocation.
        const PLACE: usize = 48;
        if !self.names.contains_key(name) {
            self.bytes += PLACE + name.len();
        }
        self.names.entry(name.into()).or_default()
    }

    fn is_file(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|name| name.is_file)
    }

    /// The file that a path refers to, if any.
    #[must_use]
    pub fn find<'a>(&self, raw: &'a str) -> Option<Cow<'a, str>> {
        match self.search {
            Search::Careful => self.find_careful(raw),
            Search::AnyLeft => self.find_any(raw),
            Search::Unlisted => self.path_below_root(raw),
        }
    }

    fn find_careful<'a>(&self, raw: &'a str) -> Option<Cow<'a, str>> {
        if self.is_file(raw) {
            return Some(Cow::Borrowed(raw));
        }
        let text = unquoted(raw);
        let path = Path::parse(&text);
        let root = self.root_length(&path);
        let whole = path.parts.join("/");
        let mut candidate = whole.as_str();
        for dropped in 0..path.parts.len() {
            if self.is_file(candidate) {
                let is_sure = (dropped == 0 || dropped == root) && !path.climbs;
                return (is_sure || self.may_guess(&path, candidate, dropped))
                    .then(|| Cow::Owned(candidate.to_owned()));
            }
            candidate = candidate.get(path.parts[dropped].len() + 1..)?;
        }
        None
    }

    /// Whether a file found after dropping some folders is an acceptable guess.
    fn may_guess(&self, path: &Path<'_>, candidate: &str, dropped: usize) -> bool {
        let is_bare = dropped == path.parts.len() - 1;
        let is_below = || self.names.get(candidate).is_some_and(|name| name.is_below);
        !path.is_copy() && !(is_bare && (path.is_scratch() || is_below()))
    }

    fn find_any<'a>(&self, raw: &'a str) -> Option<Cow<'a, str>> {
        let text = slashed(trim(raw).trim_matches(['\'', '"']));
        let text = text.strip_prefix("./").unwrap_or(&text);
        let mut rest = Some(text.trim_start_matches('/'));
        while let Some(left) = rest {
            let candidate = normalised(left);
            if self.is_file(&candidate) {
                return Some(Cow::Owned(candidate));
            }
            rest = left.split_once('/').map(|(_, behind)| behind);
        }
        None
    }

    fn path_below_root<'a>(&self, raw: &'a str) -> Option<Cow<'a, str>> {
        let text = unquoted(raw);
        let path = Path::parse(&text);
        if path.is_copy() || path.is_scratch() {
            return None;
        }
        let below = path.parts[self.root_length(&path)..].join("/");
        (!below.is_empty()).then_some(Cow::Owned(below))
    }

    /// Number of leading folders of the checkout in a container; 0 if unknown.
    fn root_length(&self, path: &Path<'_>) -> usize {
        let &[first, _, ..] = path.parts.as_slice() else {
            return 0;
        };
        if !path.absolute {
            return 0;
        }
        let is_repo = self.repo.as_deref() == Some(first);
        let known = ROOTS.iter().find(|(root, _)| *root == first);
        let length = known.map_or(usize::from(is_repo), |&(_, length)| length);
        length.min(path.parts.len() - 1)
    }
}

/// Whether a path names a patch of the task, which the agent should not see.
#[must_use]
pub fn is_leak(raw: &str) -> bool {
    // Few paths contain such a name at all, and the others need not be parsed.
    raw.contains(".patch") && {
        let text = unquoted(raw);
        let path = Path::parse(&text);
        path.parts.last().is_some_and(|last| LEAKS.contains(last))
    }
}

/// A normalised path from a log.
struct Path<'a> {
    /// Folders and file name, without `.` and `..`.
    parts: Vec<&'a str>,
    /// Whether it starts at the root of the file system.
    absolute: bool,
    /// Whether `..` leaves the folder it is relative to, so that its start is unknown.
    climbs: bool,
}

impl<'a> Path<'a> {
    fn parse(text: &'a str) -> Self {
        let mut path = Self {
            parts: Vec::new(),
            absolute: text.starts_with('/'),
            climbs: false,
        };
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => path.climbs |= path.parts.pop().is_none() && !path.absolute,
                _ => path.parts.push(part),
            }
        }
        path
    }

    fn is_copy(&self) -> bool {
        self.parts.iter().any(|part| COPIES.contains(part))
    }

    fn is_scratch(&self) -> bool {
        self.absolute
            && self
                .parts
                .first()
                .is_some_and(|part| SCRATCH.contains(part))
    }
}

fn unquoted(raw: &str) -> Cow<'_, str> {
    slashed(trim(raw).trim_matches(QUOTES))
}

fn slashed(text: &str) -> Cow<'_, str> {
    if text.contains('\\') {
        Cow::Owned(text.replace('\\', "/"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Folder name of a repository's checkout.
fn folder(repo: &str) -> Box<str> {
    let repo = repo.replace("__", "/");
    repo.rsplit('/').next().unwrap_or_default().into()
}

/// `posixpath.normpath`.
fn normalised(path: &str) -> String {
    let slashes = match path.len() - path.trim_start_matches('/').len() {
        2 => "//",
        0 => "",
        _ => "/",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => drop(parts.pop()),
            ".." if !slashes.is_empty() && parts.is_empty() => {}
            _ => parts.push(part),
        }
    }
    let path = format!("{slashes}{}", parts.join("/"));
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}

#[cfg(test)]
mod tests;
