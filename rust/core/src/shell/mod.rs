//! Views of files from shell commands, by their text and, if known, their output.
//!
//! The twin is `trajmeter.readers.shell_views`, which defines the rules. A command that is not
//! certain to mean the same to it is left to the caller: one with digits, letters or blanks that
//! only Python classifies, or one that would take more than linear time.

mod awk;
mod evidence;
mod leaks;
mod listings;
mod options;
mod output;
mod parser;
mod paths;
mod pipelines;
mod printed;
mod programs;
mod revisions;
mod run;
mod searches;
mod sed;
mod selections;
mod slices;
mod syntax;
mod text;
mod words;

use std::rc::Rc;

pub(crate) use evidence::may_be_in_repository;
pub use leaks::LeakKind;
pub(crate) use leaks::leak_of_path;
pub use text::has_plain_digits;

use evidence::{requested, seen};
use leaks::may_leak;
use output::{Text, faults, lines_of};
use printed::Printed;
use run::{Shell, ran};
use slices::slices;

/// Longer paths of folders are unknown, so that changing folders cannot cost more and more.
const LONGEST_FOLDER: usize = 1_000;

/// The command or its output is not certain to mean the same to the twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncertain;

/// The part of a file that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// An unknown part of it.
    Unknown,
    /// All of it.
    Whole,
    /// These lines, from 1, including the last.
    Lines(i64, i64),
}

impl Extent {
    /// Returns the name of views with this extent; `None` if it is unknown.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Whole => Some("whole"),
            Self::Lines(..) => Some("lines"),
        }
    }

    /// Returns the lines, if they are known.
    pub(crate) fn lines(self) -> Option<(i64, i64)> {
        match self {
            Self::Lines(first, last) => Some((first, last)),
            Self::Unknown | Self::Whole => None,
        }
    }
}

/// A file that a command showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its path, joined to the folder.
    pub path: Rc<str>,
    /// The part of it that was seen.
    pub extent: Extent,
    /// Whether the lines are hits of a search, or lines around them.
    pub is_search: bool,
}

/// A leak of a command, and the pipeline that caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The kind of leak.
    pub kind: LeakKind,
    /// The pipeline as written; for a tool that reads files, the path.
    pub evidence: Box<str>,
}

/// The views and leaks of a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// In order: lines that were shown, hits of searches, and files whose lines are not known.
    pub views: Vec<View>,
    /// Its leaks.
    pub leaks: Vec<Leak>,
}

/// A command that ran, and what is known about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executed<'a> {
    /// The command, as passed to a shell.
    pub command: &'a str,
    /// Its output, including errors; `None` if it is unknown, in which case the requested lines
    /// count as shown.
    pub output: Option<&'a str>,
    /// Its exit code, if known.
    pub code: Option<i64>,
    /// Folder that it ran in; `None` for the root of the repository.
    pub folder: Option<&'a str>,
    /// Half-open range of the output, in bytes, that the agent was not shown; it splits no
    /// character.
    pub hidden: Option<(usize, usize)>,
}

/// Returns the views and leaks of a shell command.
///
/// # Errors
///
/// [`Uncertain`] if the twin has to decide.
pub fn shell_views(executed: &Executed<'_>) -> Result<Shown, Uncertain> {
    let &Executed {
        command,
        output,
        code,
        folder,
        hidden,
    } = executed;
    let is_plain = is_certain(command)
        && output.is_none_or(has_plain_digits)
        && folder.is_none_or(|folder| is_certain(folder) && folder.len() <= LONGEST_FOLDER);
    if !is_plain {
        return Err(Uncertain);
    }
    let is_silent = output.is_some_and(str::is_empty) && code.is_some_and(|code| code != 0);
    let printed = output.unwrap_or_default();
    let lines = lines_of(printed);
    let faults = faults(printed, &lines)?;
    let mut shell = Shell::new(&faults, folder);
    if may_leak(command) && !is_silent {
        shell.look_for_leaks(output);
    }
    shell.run(&parser::parse(command)?, 0)?;
    let runs = ran(shell.into_runs(), output, code);
    let mut shown = Shown::default();
    match output {
        None => {
            for run in &runs {
                requested(&run.printed, &mut shown.views)?;
            }
        }
        Some(output) if runs.iter().any(|run| run.printed.shows()) => {
            let mut text = Text::of(output, lines, hidden);
            if !faults.is_empty() {
                text = text.without(&faults);
            }
            let printing: Vec<Printed>;
            (printing, shown.leaks) = parts(runs);
            for (each, bounds) in printing.iter().zip(slices(&printing, &text)) {
                seen(each, &text, bounds, &mut shown.views)?;
            }
            return Ok(shown);
        }
        Some(_) => {}
    }
    (_, shown.leaks) = parts(runs);
    Ok(shown)
}

/// Splits the runs into those that printed something, and their leaks.
fn parts(runs: Vec<run::Run>) -> (Vec<Printed>, Vec<Leak>) {
    let mut printing = Vec::with_capacity(runs.len());
    let mut leaks = Vec::new();
    for run in runs {
        if !run.has_fault {
            leaks.extend(run.leaks);
        }
        if run.printed.size != Some(0) {
            printing.push(run.printed);
        }
    }
    (printing, leaks)
}

/// Returns whether a text holds nothing that depends on Python's version: numbers that are not
/// digits, and NUL in a path.
fn is_certain(text: &str) -> bool {
    let is_odd = |c: char| c == '\0' || (!c.is_ascii() && c.is_numeric());
    !text.contains('\0') && (text.is_ascii() || !text.contains(is_odd))
}

#[cfg(test)]
mod tests;
