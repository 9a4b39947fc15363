//! Logs of mini-swe-agent, with one run per file.
//!
//! The record readers of both versions are the specification. A file that is not certain to mean
//! the same to them is left to the caller, for whatever reason.

mod claims;
mod commands;
mod content;
mod contextbench;
mod fields;
mod files;
mod observations;
mod record;
mod responses;
mod run;
mod tokens;
mod v1;
mod v2;
mod views;

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::certainty::Certain;
use super::merge::merged;
use super::parser::Parser;
use super::raw::has_too_many_values;
use super::shares::Shares;
use super::written::Cells;
use super::{Piece, Reader, Row};
use crate::pool;
use crate::shell::{Leak, View};
use claims::{declared_views, repository_of};
use record::{Failure, More, Record, Turn, Usage, seconds_between};
use run::Run;
use views::{Folder, as_steps};

/// Bytes at the end of a log that are searched for its format first.
const END: usize = 1 << 12;

/// Numbers of rows after which room for the others is reserved.
const EXPECTING: [usize; 2] = [8, 32];
/// What opening a file takes, as the bytes that are read in that time.
const OPENING: u64 = 1 << 12;

const SUFFIX: &str = ".traj.json";
const AGENT: &str = "mini-swe-agent";
const SUBMITTED: &str = "Submitted";
const BUDGETS: [&str; 4] = [
    "LimitsExceeded",
    "TimeExceeded",
    "StepResponseTimeout",
    "ContextWindowExceededError",
];
const BUDGET_REASON: &str = "budget_exhausted";
/// Providers known to `LiteLLM`, which may precede the name of a model.
const PROVIDERS: [&str; 32] = [
    "anthropic",
    "azure",
    "azure_ai",
    "bedrock",
    "cerebras",
    "cohere",
    "databricks",
    "deepseek",
    "fireworks_ai",
    "gemini",
    "github",
    "groq",
    "hosted_vllm",
    "huggingface",
    "litellm_proxy",
    "lm_studio",
    "mistral",
    "moonshot",
    "nvidia_nim",
    "ollama",
    "ollama_chat",
    "openai",
    "openrouter",
    "perplexity",
    "replicate",
    "sagemaker",
    "text-completion-openai",
    "together_ai",
    "vertex_ai",
    "vllm",
    "watsonx",
    "xai",
];
static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"mini-swe-agent-1"));

/// Where to look for the files that the agent saw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ViewSource {
    /// Nowhere, because no column wants them.
    Nowhere,
    /// The output of commands.
    Output,
    /// Where `ContextBench` looks, which also divides turns in its own way.
    ContextBench,
}

impl Reader {
    /// Reads the first of some log files, as many as are read in one call, under the profile
    /// `contextbench` if `as_contextbench`.
    ///
    /// Returns the results of `finish` for their rows, and the number of files read: at least one,
    /// if there is any. Refused files are numbered by their position, from 0.
    pub fn read_logs<T: Send>(
        &self,
        files: &[String],
        as_contextbench: bool,
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> (Vec<T>, usize) {
        let sizes = files::sizes(files);
        let source = self.view_source(as_contextbench);
        let shares = Shares::new(sizes.iter().map(|size| size.unwrap_or(0) + OPENING));
        let pieces = shares.read(pool::width(), |shares, stretch| {
            files::with_buffer(|buffer| {
                self.gather_each("", shares.items(stretch), |row, number| {
                    let file = &files[number];
                    let content = sizes[number]
                        .and_then(|size| files::content(Path::new(file), size, buffer));
                    let is_read = content
                        .is_some_and(|content| row.read_log(content, file, source).is_some());
                    if EXPECTING.contains(&row.index) {
                        row.expect(shares.left(stretch));
                    }
                    is_read
                })
            })
        });
        (merged(pieces, finish), sizes.len())
    }

    /// Reads logs whose content is in memory, as if each were in `file`.
    #[must_use]
    pub fn read_log_contents(
        &self,
        contents: &[&[u8]],
        file: &str,
        as_contextbench: bool,
    ) -> Piece {
        let source = self.view_source(as_contextbench);
        self.gather_each("", 0..contents.len(), |row, number| {
            row.read_log(contents[number], file, source).is_some()
        })
    }

    fn view_source(&self, as_contextbench: bool) -> ViewSource {
        let shown = ["turns.views", "final_views", "leaks"];
        if as_contextbench {
            ViewSource::ContextBench
        } else if shown.iter().any(|name| self.wanted.has(name)) {
            ViewSource::Output
        } else {
            ViewSource::Nowhere
        }
    }
}

impl Row<'_> {
    fn read_log(&mut self, content: &[u8], file: &str, source: ViewSource) -> Option<()> {
        // Cheap, and enough to skip files of other formats.
        let end = &content[content.len().saturating_sub(END)..];
        MARK.find(end).or_else(|| MARK.find(content))?;
        if has_too_many_values(content) {
            return None;
        }
        let text = std::str::from_utf8(content).ok()?;
        let (run, newline) = run(text)?;
        let line = place(text, newline)?;
        let record = record(&run, file, source)?;
        file.clone_into(&mut self.file);
        self.line = line;
        let is_read = self.write(&record).is_some();
        for column in &mut *self.columns {
            if !is_read || !column.is_wanted() {
                column.clear(self.index);
            }
        }
        self.index += usize::from(is_read);
        self.version_1 += usize::from(is_read && run.is_version_1());
        is_read.then_some(())
    }

    fn write(&mut self, record: &Record<'_>) -> Option<()> {
        let mut cells = Cells::new(self.members, self.columns, self.index);
        record.write(&mut cells, self.places)?;
        self.source::<serde_json::Error>().ok()
    }
}

/// Returns the line number of a log, or `None` if the file is a document of several lines; refused
/// if it is not a single log.
fn place(text: &str, newline: Option<usize>) -> Certain<Option<i64>> {
    if !text.starts_with('{') {
        return None;
    }
    let text = text.trim_end_matches([' ', '\t', '\r', '\n']);
    let Some(rest) = newline.and_then(|newline| text.get(newline + 1..)) else {
        return Some(Some(1));
    };
    // A second line that begins like this makes the record reader read lines.
    let is_lines = rest
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .starts_with('{');
    (!is_lines).then_some(None)
}

/// Parses a run, if it is of version 1 or 2 with commands in code blocks; also returns the position
/// of its first newline.
fn run(json: &str) -> Option<(Run<'_>, Option<usize>)> {
    let mut parser = Parser::new(json);
    let mut run = Run::default();
    fields::object(&mut parser, &mut run, false)?;
    let is_known = run.is_version_2() || (run.is_version_1() && run.has_blocks());
    (parser.is_at_end() && run.has_messages() && is_known).then(|| (run, parser.newline()))
}

/// Converts a run to a Trajmeter record; views are looked for only if requested.
fn record<'a>(run: &'a Run<'_>, file: &'a str, source: ViewSource) -> Option<Record<'a>> {
    let seen = turns_and_views(run, source)?;
    let name = Path::new(file).file_name()?.to_str()?;
    let info = &run.info;
    let config = &info.config;
    let status = filled(info.exit_status.as_deref());
    let submission = info
        .submission
        .as_deref()
        .filter(|text| status.is_some() || !text.is_empty());
    let mut turns = seen.turns;
    if source != ViewSource::ContextBench {
        as_steps(&mut turns, status);
    }
    let last = run.messages.last();
    Some(Record {
        task_id: filled(run.instance.as_deref())
            .unwrap_or_else(|| name.strip_suffix(SUFFIX).unwrap_or(name)),
        agent: filled(config.agent_type.as_deref()).unwrap_or(AGENT),
        model: filled(config.model.name.as_deref()).map(model_name),
        turns,
        final_views: seen.final_views,
        leaks: seen.leaks,
        submission,
        usage: info.statistics.cost.map(Usage::cost),
        duration_seconds: last.and_then(|last| seconds_between(run.messages.first(), last)),
        failure: failure(run, status, submission),
        exit_status: status,
        extra: More {
            mini_version: info.mini_version.as_deref(),
            context_error: info.context_error.as_deref(),
            step_limit: config.limits.steps,
            cost_limit: config.limits.cost,
        },
    })
}

/// The turns of a run, and what it saw.
struct Seen<'a> {
    turns: Vec<Turn<'a>>,
    final_views: Option<Vec<View>>,
    /// Leaks, each with the number of its turn; `None` if they are not looked for.
    leaks: Option<Vec<(usize, Leak)>>,
}

fn turns_and_views<'a>(run: &'a Run<'_>, source: ViewSource) -> Option<Seen<'a>> {
    let environment = &run.info.config.environment;
    let repository = environment.image.as_deref().and_then(repository_of);
    if source == ViewSource::ContextBench {
        let (turns, final_views) = if run.is_version_1() {
            let final_views = contextbench::final_views(run, repository).ok()?;
            (contextbench::turns_1(run, repository).ok()?, final_views)
        } else {
            (contextbench::turns_2(run, repository).ok()?, None)
        };
        return Some(Seen {
            turns,
            final_views,
            leaks: None,
        });
    }
    let start = environment.folder.as_deref();
    let start = start.map(|start| start.trim_end_matches('/'));
    let mut folder = Folder::new(filled(start), repository);
    let looks = source == ViewSource::Output;
    let viewer = looks.then_some(&mut folder);
    let (turns, final_views) = if run.is_version_1() {
        let final_views = if looks {
            declared_views(&run.messages, repository).ok()?
        } else {
            None
        };
        (v1::turns(run, viewer).ok()?, final_views)
    } else {
        (v2::turns(run, viewer).ok()?, None)
    };
    Some(Seen {
        turns,
        final_views,
        leaks: Some(folder.leaks),
    })
}

/// Returns how a run failed, unless it submitted or did not end.
fn failure<'a>(
    run: &'a Run<'_>,
    status: Option<&'a str>,
    submission: Option<&'a str>,
) -> Option<Failure<'a>> {
    let status = status.filter(|&status| status != SUBMITTED)?;
    let last = run.messages.last();
    let raised = filled(last.and_then(|last| last.extra.raised.as_deref()));
    Some(Failure {
        reason: if BUDGETS.contains(&status) {
            BUDGET_REASON
        } else {
            status
        },
        message: filled(submission).or(raised).map(Cow::Borrowed),
    })
}

/// Strips the provider from the name of a model, as the record reader does.
fn model_name(written: &str) -> &str {
    match written.split_once('/') {
        Some((provider, name)) if !name.is_empty() && PROVIDERS.contains(&provider) => name,
        _ => written,
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
