//! Searches such as `grep` and `rg`: the lines of files that their output shows.

use std::ops::RangeInclusive;

use super::Uncertain;
use super::selections::Line;
use super::syntax::Word;
use super::text::{leading_number, tail};

/// With more pairs of file and line than this, matching them takes too long.
const MOST_PAIRS: usize = 1 << 20;

const LONG_VALUED: [&str; 13] = [
    "--regexp",
    "--file",
    "--max-count",
    "--after-context",
    "--before-context",
    "--context",
    "--glob",
    "--type",
    "--type-not",
    "--max-columns",
    "--threads",
    "--replace",
    "--sort",
];
const OTHER_OUTPUT: [&str; 13] = [
    "l",
    "L",
    "c",
    "q",
    "--files-with-matches",
    "--files-without-match",
    "--count",
    "--quiet",
    "--silent",
    "--files",
    "--count-matches",
    "--json",
    "--version",
];
const CONTEXTS: [&str; 6] = [
    "A",
    "B",
    "C",
    "--after-context",
    "--before-context",
    "--context",
];

pub(super) fn is_search(name: &str) -> bool {
    matches!(
        name,
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ripgrep" | "ag" | "ack"
    )
}

/// The parsed arguments of a search.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The files to search, and whether each name is known.
    pub files: Vec<(String, bool)>,
    /// Whether each line begins with the path of its file; `None` if that depends on the files.
    pub is_named: Option<bool>,
    pub is_numbered: bool,
    pub has_context: bool,
}

pub(super) fn owned<'a>(files: impl IntoIterator<Item = &'a Word<'a>>) -> Vec<(String, bool)> {
    let files = files.into_iter();
    files
        .map(|file| (file.text.to_string(), file.is_known))
        .collect()
}

/// Splits the arguments of a search into its flags and its other arguments. The values of the
/// letters `valued` and of long options are neither.
fn split_flags<'w>(
    words: &'w [Word<'w>],
    valued: &str,
) -> Result<(Vec<&'w str>, Vec<&'w Word<'w>>), Uncertain> {
    let mut flags: Vec<&str> = Vec::new();
    let mut rest = Vec::new();
    let mut remaining = words.iter();
    while let Some(word) = remaining.next() {
        let text = &*word.text;
        if text == "--" {
            rest.extend(remaining.by_ref());
        } else if text.starts_with("--") {
            let option = text.split_once('=').map_or(text, |(option, _)| option);
            flags.push(option);
            if option.len() == text.len() && LONG_VALUED.contains(&option) {
                remaining.next();
            }
        } else if text.len() > 1 && text.starts_with('-') {
            for (place, letter) in text.char_indices().skip(1) {
                let end = place + letter.len_utf8();
                if !letter.is_ascii() && letter.is_numeric() {
                    return Err(Uncertain); // only Python knows which of these are digits
                }
                flags.push(&text[place..end]);
                if valued.contains(letter) {
                    if end == text.len() {
                        remaining.next();
                    }
                    break;
                }
            }
        } else {
            rest.push(word);
        }
    }
    Ok((flags, rest))
}

/// Parses a search; `None` if it prints no lines of files.
pub(super) fn search(name: &str, words: &[Word<'_>]) -> Result<Option<Search>, Uncertain> {
    let valued = match name {
        "rg" | "ripgrep" => "efmABCgtTjrEM",
        "ag" => "mABCGp",
        "ack" => "mABC",
        _ => "efmABCdD",
    };
    let (flags, rest) = split_flags(words, valued)?;
    let has = |wanted: &[&str]| flags.iter().any(|flag| wanted.contains(flag));
    if has(&OTHER_OUTPUT) {
        return Ok(None);
    }
    let takes_pattern = valued.starts_with("ef");
    let has_pattern = has(&["--regexp", "--file"]) || (takes_pattern && has(&["e", "f"]));
    let files = owned(rest.into_iter().skip(usize::from(!has_pattern)));
    let is_always_deep = matches!(name, "rg" | "ripgrep" | "ag" | "ack");
    let is_deep = is_always_deep || has(&["r", "R", "--recursive"]);
    let is_named = if has(&["h", "--no-filename"]) || (is_always_deep && has(&["I"])) {
        Some(false)
    } else if has(&["H", "--with-filename"]) || files.len() > 1 {
        Some(true)
    } else {
        (!is_deep && matches!(files[..], [(_, true)])).then_some(false)
    };
    let is_digit = |flag: &&str| flag.bytes().all(|byte| byte.is_ascii_digit());
    Ok(Some(Search {
        files,
        is_named,
        is_numbered: has(&["n", "--line-number"]) || matches!(name, "ag" | "ack"),
        has_context: has(&CONTEXTS) || flags.iter().any(is_digit),
    }))
}

/// Passes to `add` the lines of files that the output of a search shows; `None` if their numbers
/// are unknown.
pub(super) fn hits<'a>(
    found: &'a Search,
    lines: &[&'a str],
    mut add: impl FnMut(&'a str, Option<RangeInclusive<Line>>),
) -> Result<(), Uncertain> {
    let only = match &found.files[..] {
        [(file, _)] => Some(&**file),
        _ => None,
    };
    let begins_with_number = || lines.first().is_some_and(|line| numbered(line).is_some());
    let is_unnamed = match found.is_named {
        Some(is_named) => !is_named,
        None => only.is_some() && begins_with_number(),
    };
    if !found.is_numbered {
        return unnumbered(found, lines, add);
    }
    let mut runs = Runs {
        path: "",
        run: None,
        has_context: found.has_context,
        add: &mut add,
    };
    if is_unnamed {
        if let Some(only) = only {
            let numbers = lines.iter().filter_map(|line| numbered(line));
            numbers.for_each(|number| runs.hit(only, number));
        }
    } else {
        places(lines, &mut runs);
    }
    runs.end();
    Ok(())
}

fn unnumbered<'a>(
    found: &'a Search,
    lines: &[&'a str],
    mut add: impl FnMut(&'a str, Option<RangeInclusive<Line>>),
) -> Result<(), Uncertain> {
    if lines.iter().all(|line| line.is_empty()) {
        return Ok(());
    }
    if found.files.len().saturating_mul(lines.len()) > MOST_PAIRS {
        return Err(Uncertain);
    }
    for (file, is_known) in &found.files {
        let is_mentioned = || {
            let mut after = lines.iter().filter_map(|line| line.strip_prefix(&**file));
            after.any(|after| after.starts_with(':'))
        };
        let is_only = found.files.len() == 1 && found.is_named == Some(false);
        if *is_known && (is_only || is_mentioned()) {
            add(file, None);
        }
    }
    Ok(())
}

/// Hits; adjacent ones are joined if lines around them are shown too.
struct Runs<'a, 'b> {
    path: &'a str,
    run: Option<(Line, Line)>,
    has_context: bool,
    add: &'b mut dyn FnMut(&'a str, Option<RangeInclusive<Line>>),
}

impl<'a> Runs<'a, '_> {
    fn hit(&mut self, path: &'a str, number: Line) {
        if let Some((_, last)) = &mut self.run {
            if self.has_context && *last + 1 == number && self.path == path {
                *last = number;
                return;
            }
        }
        self.end();
        self.path = path;
        self.run = Some((number, number));
    }

    fn end(&mut self) {
        if let Some((first, last)) = self.run.take() {
            (self.add)(self.path, Some(first..=last));
        }
    }
}

/// Finds lines that begin with the path of their file, or follow it.
fn places<'a>(lines: &[&'a str], runs: &mut Runs<'a, '_>) {
    let mut path: Option<&str> = None;
    let mut heading: Option<&str> = None;
    let mut waiting: Vec<&str> = Vec::new();
    for &line in lines {
        if let Some((found, number)) = named(line) {
            path = Some(found);
            heading = None;
            for number in waiting.drain(..).filter_map(|line| context(line, found)) {
                runs.hit(found, number);
            }
            runs.hit(found, number);
        } else if let (Some(heading), Some(number)) = (heading, numbered(line)) {
            runs.hit(heading, number);
        } else if let Some((path, number)) =
            path.and_then(|path| Some((path, context(line, path)?)))
        {
            runs.hit(path, number);
        } else {
            if line.bytes().all(|byte| byte == b'-') {
                waiting.clear();
            } else {
                waiting.push(line);
            }
            heading = Some(line).filter(|line| !line.is_empty());
        }
    }
}

/// Parses the path and the number of a line `path:12:text`.
fn named(line: &str) -> Option<(&str, Line)> {
    let colon = memchr::memchr(b':', line.as_bytes())?;
    let rest = tail(line, colon + 1);
    let (number, digits) = leading_number(rest)?;
    (colon > 0 && rest.as_bytes().get(digits) == Some(&b':')).then(|| (&line[..colon], number))
}

/// Parses the number of a context line, `path-12-text`.
fn context(line: &str, path: &str) -> Option<Line> {
    let rest = line.strip_prefix(path)?.strip_prefix('-')?;
    let (number, digits) = leading_number(rest)?;
    (rest.as_bytes().get(digits) == Some(&b'-')).then_some(number)
}

/// Parses the number of a line `12:text`.
fn numbered(line: &str) -> Option<Line> {
    let (number, digits) = leading_number(line)?;
    matches!(line.as_bytes().get(digits), Some(b':' | b'-')).then_some(number)
}
