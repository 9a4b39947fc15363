//! Pipelines: what each command prints, given what the previous one does.

use std::rc::Rc;

use super::Uncertain;
use super::listings::{Listing, listing};
use super::paths::joined;
use super::printed::{Part, Printed, filtered, searched};
use super::programs::program_of;
use super::revisions::{Shown, git, without_options};
use super::searches::{Search, is_search, owned, search};
use super::selections::Line;
use super::syntax::{Pipeline, Simple, Stage, Word};

const SILENT: [&str; 30] = [
    "cd", "export", "set", "unset", "true", "false", ":", "test", "[", "[[", "mkdir", "rm", "cp",
    "mv", "touch", "chmod", "source", ".", "sleep", "exit", "return", "ln", "shopt", "alias",
    "read", "local", "declare", "umask", "wait", "kill",
];
const SILENT_GIT: [&str; 8] = [
    "add", "checkout", "config", "reset", "restore", "rm", "mv", "apply",
];
const ONE_LINE: [&str; 9] = [
    "pwd", "which", "whoami", "hostname", "date", "realpath", "basename", "pushd", "popd",
];
/// Most bytes of folders joined to the paths of one command, so that a short command cannot make
/// long paths.
const MOST_JOINED: usize = 1 << 24;

/// Returns what a pipeline of simple commands prints.
pub(super) fn printed(
    pipeline: &Pipeline<'_>,
    folder: Option<&Rc<str>>,
) -> Result<Printed, Uncertain> {
    let mut result = None;
    for stage in &pipeline.stages {
        let Stage::Simple(stage) = stage else {
            return Ok(Printed::default());
        };
        let shown = step(stage, result, folder)?;
        result = Some(if is_redirected(stage) {
            Printed::lines(0)
        } else {
            shown
        });
    }
    Ok(result.unwrap_or_else(|| Printed::lines(0)))
}

pub(super) fn is_redirected(stage: &Simple<'_>) -> bool {
    let mut operators = stage.redirections.iter().map(|each| each.operator);
    operators.any(|operator| matches!(operator, ">" | ">>" | ">|" | "1>" | "1>>" | "&>" | "&>>"))
}

/// Returns what a command prints, given what the previous one does.
fn step(
    stage: &Simple<'_>,
    before: Option<Printed>,
    folder: Option<&Rc<str>>,
) -> Result<Printed, Uncertain> {
    let Some((name, arguments)) = program_of(&stage.words) else {
        return Ok(Printed::lines(0));
    };
    let inputs = || {
        let inputs = stage.redirections.iter();
        let inputs = inputs.filter(|each| each.operator == "<");
        inputs.map(|each| each.target.clone()).collect::<Vec<_>>()
    };
    if let Some(found) = listing(name, arguments)? {
        let Some(mut found) = found else {
            return Ok(Printed::default());
        };
        if found.files.is_empty() {
            found.files = inputs();
        }
        if !found.files.is_empty() {
            return listed(found, folder.map(|folder| &**folder));
        }
        return match before {
            Some(before) => filtered(before, &found.picked),
            None => Ok(Printed::default()),
        };
    }
    if is_search(name) {
        let Some(mut found) = search(name, arguments)? else {
            return Ok(Printed::default());
        };
        if found.files.is_empty() {
            let inputs = inputs();
            if let (Some(before), true) = (&before, inputs.is_empty()) {
                return Ok(searched(before, &found));
            }
            if !inputs.is_empty() {
                found.files = owned(&inputs);
                found.is_named = Some(false);
            }
        }
        return Ok(hits_of(found, folder.cloned()));
    }
    match name {
        "xargs" | "find" => for_each(arguments, folder),
        "git" => revision(arguments, folder),
        _ => Ok(other(name, arguments)),
    }
}

fn hits_of(found: Search, folder: Option<Rc<str>>) -> Printed {
    Printed {
        search: Some(found),
        folder,
        ..Printed::default()
    }
}

fn listed(listing: Listing<'_>, folder: Option<&str>) -> Result<Printed, Uncertain> {
    if listing.files.len() * folder.map_or(0, str::len) > MOST_JOINED {
        return Err(Uncertain);
    }
    let mut picked = listing.picked;
    if listing.files.len() > 1 && !listing.is_headed {
        // Numbering continues from one file to the next.
        picked.has_numbers = false;
    }
    if picked.ranges.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Printed::lines(0));
    }
    let is_file = |file: &&Word<'_>| file.is_known && !file.is("-") && !file.is("/dev/stdin");
    let files = listing.files.iter().filter(is_file);
    let parts = files.map(|file| Part {
        path: joined(folder, &file.text),
        picked: picked.clone(),
        is_search: false,
    });
    Ok(Printed {
        is_headed: listing.is_headed,
        ..Printed::parts(parts.collect())
    })
}

/// Returns what `xargs` and `find` print: hits in unknown files, if they run a search.
fn for_each(arguments: &[Word<'_>], folder: Option<&Rc<str>>) -> Result<Printed, Uncertain> {
    let Some(place) = arguments.iter().position(|word| is_search(&word.text)) else {
        return Ok(Printed::default());
    };
    let found = search(&arguments[place].text, &arguments[place + 1..])?;
    Ok(found.map_or_else(Printed::default, |found| {
        let found = Search {
            files: Vec::new(),
            is_named: None,
            ..found
        };
        hits_of(found, folder.cloned())
    }))
}

fn revision(arguments: &[Word<'_>], folder: Option<&Rc<str>>) -> Result<Printed, Uncertain> {
    let (words, elsewhere) = without_options(arguments);
    let folder = match elsewhere {
        None => folder.cloned(),
        Some(elsewhere) => Some(joined(folder.map(|folder| &**folder), &elsewhere.text)),
    };
    Ok(match git(words)? {
        Shown::Listing(found) => {
            // Paths of revisions are relative to the top of the repository, unless they begin with
            // a dot.
            let is_local =
                words[0].is("blame") || words.iter().any(|word| word.text.contains(":./"));
            listed(found, folder.as_deref().filter(|_| is_local))?
        }
        Shown::Search(found) => hits_of(found, folder),
        Shown::Diff(diff) => Printed {
            diff: Some(diff),
            ..Printed::default()
        },
        Shown::Nothing => {
            let is_silent = |word: &Word<'_>| SILENT_GIT.contains(&&*word.text);
            if words.first().is_some_and(is_silent) {
                Printed::lines(0)
            } else {
                Printed::default()
            }
        }
    })
}

fn other(name: &str, arguments: &[Word<'_>]) -> Printed {
    if let Some(literal) = text_of(name, arguments) {
        let size = literal.bytes().filter(|&byte| byte == b'\n').count() as Line + 1;
        return Printed {
            literal: Some(literal),
            ..Printed::lines(size)
        };
    }
    if SILENT.contains(&name) {
        return Printed::lines(0);
    }
    let mut files = arguments.iter().filter(|word| !word.text.starts_with('-'));
    let is_one_line =
        name == "wc" && files.next().is_some_and(|file| file.is_known) && files.next().is_none();
    if is_one_line || ONE_LINE.contains(&name) {
        Printed::lines(1)
    } else {
        Printed::default()
    }
}

/// Returns the text that `echo` or `printf` prints, if known, without its last newline.
fn text_of(name: &str, arguments: &[Word<'_>]) -> Option<String> {
    if !matches!(name, "echo" | "printf") || arguments.iter().any(|word| !word.is_known) {
        return None;
    }
    let first = arguments.first().map_or("", |word| &*word.text);
    if name == "echo" {
        let is_plain = !matches!(first, "-e" | "-n" | "-en" | "-ne");
        let words: Vec<&str> = arguments.iter().map(|word| &*word.text).collect();
        return is_plain.then(|| words.join(" "));
    }
    let text = first.strip_suffix("\\n").filter(|_| arguments.len() == 1)?;
    let text = text.replace("\\n", "\n");
    (!text.contains(['%', '\\'])).then_some(text)
}
