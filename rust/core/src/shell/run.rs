//! Simulation of a shell that runs a command.

use std::rc::Rc;

use super::leaks::{has, leaks_of_words};
use super::output::paths;
use super::parser::parse;
use super::paths::{folder_after, joined};
use super::pipelines::printed;
use super::printed::Printed;
use super::programs::{program_of, script_of};
use super::syntax::{Connector, Pipeline, Stage, Word};
use super::{Leak, Uncertain};

/// Shells nested more deeply are ignored.
const DEEPEST: usize = 3;
/// Exit code of a program that wrote to a closed pipe.
const BROKEN_PIPE: i64 = 141;
/// With more error text than this, searching it for files takes too long.
const MOST_LOOKED_AT: usize = 1 << 24;

/// A pipeline that ran, or may have run.
#[derive(Debug)]
pub(super) struct Run {
    pub printed: Printed,
    connector: Connector,
    /// Whether it succeeded, if known.
    status: Option<bool>,
    /// Whether it printed an error.
    pub has_fault: bool,
    pub leaks: Vec<Leak>,
}

/// A folder on the stack of `pushd`, and the index of the one below it.
struct Pushed {
    folder: Option<Rc<str>>,
    before: Option<usize>,
}

/// The state of a shell that runs a command.
pub(super) struct Shell<'a> {
    faults: &'a [&'a str],
    fault_bytes: usize,
    looked_at: usize,
    folder: Option<Rc<str>>,
    /// All folders that were ever pushed.
    pushed: Vec<Pushed>,
    /// Index of the folder to which `popd` returns.
    top: Option<usize>,
    status: Option<bool>,
    runs: Vec<Run>,
    looks_for_leaks: bool,
    output: Option<&'a str>,
}

impl<'a> Shell<'a> {
    pub(super) fn new(faults: &'a [&'a str], folder: Option<&str>) -> Self {
        Self {
            faults,
            fault_bytes: faults.iter().map(|fault| fault.len()).sum(),
            looked_at: 0,
            folder: folder.map(Rc::from),
            pushed: Vec::new(),
            top: None,
            status: Some(true),
            runs: Vec::new(),
            looks_for_leaks: false,
            output: None,
        }
    }

    pub(super) fn look_for_leaks(&mut self, output: Option<&'a str>) {
        self.looks_for_leaks = true;
        self.output = output;
    }

    pub(super) fn into_runs(self) -> Vec<Run> {
        self.runs
    }

    pub(super) fn run(
        &mut self,
        pipelines: &[Pipeline<'_>],
        depth: usize,
    ) -> Result<(), Uncertain> {
        for pipeline in pipelines {
            let is_skipped = match pipeline.connector {
                Connector::And => self.status == Some(false),
                Connector::Or => self.status != Some(false),
                Connector::Then => false,
            };
            if !is_skipped && !self.inner(pipeline, depth)? && !self.step(pipeline)? {
                break;
            }
        }
        Ok(())
    }

    /// Runs the commands of a group or of a nested shell; returns whether the pipeline is one.
    fn inner(&mut self, pipeline: &Pipeline<'_>, depth: usize) -> Result<bool, Uncertain> {
        let [stage] = &pipeline.stages[..] else {
            return Ok(false);
        };
        if depth > DEEPEST {
            return Ok(false);
        }
        let (folder, top) = (self.folder.clone(), self.top);
        match stage {
            Stage::Group(pipelines, false) => self.run(pipelines, depth + 1)?,
            Stage::Simple(simple) if simple.redirections.is_empty() => {
                let Some(script) = script_of(&simple.words) else {
                    return Ok(false);
                };
                self.run(&parse(script)?, depth + 1)?;
            }
            _ => return Ok(false),
        }
        (self.folder, self.top) = (folder, top);
        Ok(true)
    }

    /// Runs a pipeline; returns whether the shell continues.
    fn step(&mut self, pipeline: &Pipeline<'_>) -> Result<bool, Uncertain> {
        let program = match pipeline.stages.first() {
            Some(Stage::Simple(simple)) => program_of(&simple.words),
            _ => None,
        };
        let mut run = Run {
            printed: Printed::lines(0),
            connector: pipeline.connector,
            status: None,
            has_fault: false,
            leaks: Vec::new(),
        };
        let folder = self.folder.clone();
        match program {
            Some((name @ ("cd" | "pushd" | "popd"), arguments)) if pipeline.stages.len() == 1 => {
                self.change_folder(&mut run, name, arguments);
                if !run.has_fault {
                    run.printed = printed(pipeline, None)?;
                }
            }
            _ => {
                run.printed = printed(pipeline, self.folder.as_ref())?;
                self.judge(&mut run, program.map_or("", |(name, _)| name))?;
            }
        }
        if self.looks_for_leaks && !run.has_fault {
            for stage in &pipeline.stages {
                if let Stage::Simple(simple) = stage {
                    let kinds = leaks_of_words(simple, self.output, folder.as_deref());
                    run.leaks.extend(kinds.into_iter().map(|kind| Leak {
                        kind,
                        evidence: pipeline.text.into(),
                    }));
                }
            }
        }
        self.status = run.status;
        self.runs.push(run);
        Ok(program.is_none_or(|(name, _)| name != "exit"))
    }

    fn change_folder(&mut self, run: &mut Run, name: &str, arguments: &[Word<'_>]) {
        let target = arguments.iter().find(|word| !word.text.starts_with('-'));
        let is_fault = |fault: &&str| {
            has(fault, "cd") && target.is_some_and(|target| has(fault, &target.text))
        };
        run.has_fault = self.faults.iter().any(is_fault);
        run.status = Some(!run.has_fault);
        if run.has_fault {
            return;
        }
        let after = target.and_then(|target| folder_after(self.folder.as_deref(), target));
        let top = self.top.and_then(|top| self.pushed.get(top));
        let popped = top.map(|pushed| (pushed.folder.clone(), pushed.before));
        match (name, popped) {
            ("cd", _) => self.folder = after,
            ("popd", Some(popped)) => (self.folder, self.top) = popped,
            // If nothing was pushed, `popd` fails and the folder stays the same.
            ("popd", None) => run.status = None,
            (_, popped) => {
                let (folder, before) = match (target, popped) {
                    (Some(_), _) => (after, self.top),
                    // `pushd` swaps the two folders on top.
                    (None, Some(popped)) => popped,
                    (None, None) => return,
                };
                let folder = std::mem::replace(&mut self.folder, folder);
                self.top = Some(self.pushed.len());
                self.pushed.push(Pushed { folder, before });
            }
        }
    }

    /// Determines whether a pipeline succeeded, and drops the files that it failed to read.
    fn judge(&mut self, run: &mut Run, name: &str) -> Result<(), Uncertain> {
        match name {
            "true" | ":" | "echo" | "printf" | "export" => run.status = Some(true),
            "false" => run.status = Some(false),
            _ => {}
        }
        let parts = &mut run.printed.parts;
        if parts.is_empty() {
            return Ok(());
        }
        let count = parts.len();
        if !self.faults.is_empty() {
            self.looked_at += count.saturating_mul(self.fault_bytes);
            if self.looked_at > MOST_LOOKED_AT {
                return Err(Uncertain);
            }
            parts.retain(|part| !self.has_failed(&part.path));
        }
        run.has_fault = parts.len() < count;
        run.status = Some(!run.has_fault);
        if parts.is_empty() {
            run.printed.size = Some(0);
        }
        Ok(())
    }

    fn has_failed(&self, path: &str) -> bool {
        let folder = self.folder.as_deref();
        self.faults.iter().any(|fault| {
            has(fault, path) || paths(fault).any(|each| *joined(folder, each) == *path)
        })
    }
}

/// Returns the pipelines that ran to completion, as far as the exit code shows.
pub(super) fn ran(mut runs: Vec<Run>, output: Option<&str>, code: Option<i64>) -> Vec<Run> {
    if matches!(code, None | Some(0 | BROKEN_PIPE)) {
        return runs;
    }
    let Some(last) = runs.last() else {
        return runs;
    };
    if output.is_none_or(str::is_empty) {
        return Vec::new();
    }
    if last.has_fault || last.printed.search.is_some() || last.printed.diff.is_some() {
        return runs;
    }
    let is_reading = !last.printed.parts.is_empty();
    // Any pipeline of an `&&` chain may have failed and ended it; those that read files are
    // trusted.
    let begins = |run: &Run| run.connector != Connector::And;
    let place = runs.iter().rposition(begins).unwrap_or(0);
    for index in place..runs.len() {
        if runs[index].status.is_none() && !runs[index].printed.shows() {
            runs.truncate(index + 1);
            return runs;
        }
        if runs[index].has_fault {
            return runs;
        }
    }
    if is_reading {
        runs.pop();
    }
    runs
}
