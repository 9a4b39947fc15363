//! Leaks: commands that read what an agent must not know, such as the solution, its tests, or later
//! commits.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::paths::joined;
use super::programs::program_of;
use super::revisions::without_options;
use super::syntax::{Simple, Word};
use super::text::is_blank;

/// The kind of leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakKind {
    /// A file that holds the patch that solves the task.
    GoldPatch,
    /// A file that holds the tests that score the attempt.
    TestPatch,
    /// Commits that are not ancestors of the commit to work on.
    Future,
}

impl LeakKind {
    /// Returns its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GoldPatch => "gold_patch",
            Self::TestPatch => "test_patch",
            Self::Future => "future",
        }
    }
}

/// Building a finder takes longer than searching a command.
static HINTS: LazyLock<[Finder<'static>; 6]> =
    LazyLock::new(|| ["git", ".patch", ".diff", "/solution", "/oracle", "reflog"].map(Finder::new));
/// Every path that is a leak contains one of these.
const PATCH_HINTS: [&str; 4] = [".patch", ".diff", "solution", "oracle"];
const FOLDERS: [&str; 6] = ["home", "root", "eval", "data", "patches", "mnt"];
const NOT_READING: [&str; 13] = [
    "ls", "find", "echo", "rm", "test", "[", "[[", "stat", "touch", "cd", "mkdir", "which", "du",
];
const EVERY: [&str; 6] = [
    "--all",
    "--remotes",
    "--branches",
    "--reflog",
    "-g",
    "--walk-reflogs",
];
const EVERY_OF: [&str; 3] = ["--remotes=", "--branches=", "--glob="];
/// Longer words are not names of commits.
const LONGEST: usize = 300;
const READS_COMMITS: [&str; 18] = [
    "log",
    "show",
    "diff",
    "rev-list",
    "whatchanged",
    "checkout",
    "cherry-pick",
    "merge",
    "rebase",
    "switch",
    "reset",
    "format-patch",
    "shortlog",
    "grep",
    "cat-file",
    "restore",
    "range-diff",
    "reflog",
];
const UPDATES: [&str; 3] = ["fetch", "pull", "clone"];
const FAILURES: [&str; 4] = [
    "fatal:",
    "Could not resolve host",
    "error: pathspec",
    "not a git repository",
];

pub(super) fn has(text: &str, mark: &str) -> bool {
    memmem::find(text.as_bytes(), mark.as_bytes()).is_some()
}

/// Returns whether a command may contain a leak, by a cheap search.
pub(super) fn may_leak(command: &str) -> bool {
    HINTS
        .iter()
        .any(|hint| hint.find(command.as_bytes()).is_some())
}

/// Returns the leaks of one program, given the output of the command that contains it.
pub(super) fn leaks_of_words(
    stage: &Simple<'_>,
    output: Option<&str>,
    folder: Option<&str>,
) -> Vec<LeakKind> {
    let mut leaks = Vec::new();
    let Some((name, arguments)) = program_of(&stage.words) else {
        return leaks;
    };
    if NOT_READING.contains(&name) {
        return leaks;
    }
    let read = stage.redirections.iter();
    let read = read.filter(|each| each.operator == "<");
    let words = arguments.iter().chain(read.map(|each| &each.target));
    let is_hinted = |text: &str| PATCH_HINTS.iter().any(|hint| text.contains(hint));
    let is_in_hinted = folder.is_some_and(is_hinted);
    let words = words.filter(|word| is_in_hinted || is_hinted(&word.text));
    leaks.extend(words.filter_map(|word| leak_of_path(&joined(folder, &word.text))));
    if reads_future(name, arguments, output) {
        leaks.push(LeakKind::Future);
    }
    leaks
}

/// Returns the kind of leak that reading a file is, if any.
pub(crate) fn leak_of_path(path: &str) -> Option<LeakKind> {
    let inside = path.strip_prefix('/')?;
    let is_below = |folder: &str| {
        let rest = inside.strip_prefix(folder);
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('\n'))
    };
    if is_below("solution/") || is_below("oracle/") {
        return Some(LeakKind::GoldPatch);
    }
    let below = FOLDERS
        .iter()
        .find_map(|folder| inside.strip_prefix(folder));
    let places = [Some(inside), below].into_iter().flatten();
    places
        .flat_map(|place| [place, place.strip_prefix('/').unwrap_or(place)])
        .find_map(leak_of_name)
}

fn leak_of_name(name: &str) -> Option<LeakKind> {
    let stem = name
        .strip_suffix(".patch")
        .or_else(|| name.strip_suffix(".diff"))?;
    match stem.strip_suffix("_patch").unwrap_or(stem) {
        "fix" | "gold" | "golden" | "solution" => Some(LeakKind::GoldPatch),
        "test" | "tests" => Some(LeakKind::TestPatch),
        _ => None,
    }
}

fn reads_future(name: &str, arguments: &[Word<'_>], output: Option<&str>) -> bool {
    if !matches!(name, "curl" | "wget" | "git") {
        return false;
    }
    let has_failed = || output.is_some_and(|output| FAILURES.iter().any(|sign| has(output, sign)));
    if arguments.iter().any(|word| is_host(&word.text)) {
        return !has_failed();
    }
    if name != "git" {
        return false;
    }
    let (arguments, _) = without_options(arguments);
    let Some((command, words)) = arguments.split_first() else {
        return false;
    };
    let command = &*command.text;
    if UPDATES.contains(&command) {
        return !has_failed();
    }
    // Nothing was printed, so nothing was read.
    if output == Some("") {
        return false;
    }
    let is_elsewhere = |word: &Word<'_>| {
        let text = &*word.text;
        text.chars().nth(LONGEST - 1).is_none()
            && (EVERY.contains(&text)
                || EVERY_OF.iter().any(|option| text.starts_with(option))
                || is_elsewhere(text))
    };
    let reads =
        READS_COMMITS.contains(&command) && (command == "reflog" || words.iter().any(is_elsewhere));
    reads && !has_failed()
}

/// Returns whether a word is the address of a page on a repository host.
fn is_host(word: &str) -> bool {
    fn without<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
        beginnings.iter().find_map(|each| text.strip_prefix(each))
    }
    let rest = without(word, &["https://", "http://"]).unwrap_or(word);
    let rest = without(rest, &["api.", "raw.", "codeload.", "patch-diff."]).unwrap_or(rest);
    let names = ["github.com/", "githubusercontent.com/", "gitlab.com/"];
    without(rest, &names).is_some_and(|path| path.starts_with(|c: char| !is_blank(c)))
}

/// Returns whether a word names a commit that is not an ancestor, alone or as the end of a range.
fn is_elsewhere(word: &str) -> bool {
    const SIGNS: [&str; 5] = ["origin/", "upstream/", "FETCH_HEAD", "ORIG_HEAD", "@{"];
    if !SIGNS.iter().any(|sign| word.contains(sign)) {
        return false;
    }
    let last_line = word.rfind('\n').map_or(0, |newline| newline + 1);
    let dots = word.match_indices('.').map(|(at, _)| at + 1);
    let is_range = |&at: &usize| word[..at].ends_with("..") && !word[..at].contains('\n');
    let mut starts = std::iter::once(0).chain(dots.filter(is_range));
    starts.any(|start| is_commit_elsewhere(&word[start..], last_line.saturating_sub(start)))
}

/// Returns whether a name of such a commit begins here, followed by nothing, a range, or a path on
/// the last line.
fn is_commit_elsewhere(word: &str, last_line: usize) -> bool {
    let is_end = |end: usize| {
        let Some(rest) = word.get(end..) else {
            return false;
        };
        rest.is_empty() || (end >= last_line && (rest.starts_with("..") || rest.starts_with(':')))
    };
    for name in ["FETCH_HEAD", "ORIG_HEAD"] {
        if word.starts_with(name) && is_end(name.len()) {
            return true;
        }
    }
    let visible = word.find(is_blank).unwrap_or(word.len());
    for remote in ["origin/", "upstream/"] {
        if word.starts_with(remote) && (remote.len() + 1..=visible).any(is_end) {
            return true;
        }
    }
    // `branch@{1}`, of which everything up to the brace is visible.
    let Some(opening) = word[..visible].find("@{") else {
        return false;
    };
    let inside = opening + "@{".len() + 1;
    let mut closings = word[..visible].match_indices('}').map(|(at, _)| at);
    closings.any(|at| at >= inside && is_end(at + 1))
}
