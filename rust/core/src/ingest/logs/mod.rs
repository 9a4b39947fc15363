//! Logs of mini-swe-agent, a run in each file.
//!
//! The record readers of both versions are the specification. A file that is not certain to mean
//! the same to them is left to the caller, whatever the reason.

mod claims;
mod observations;
mod record;
mod responses;
mod run;
mod texts;
mod tokens;
mod v1;
mod v2;
mod views;

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memchr::memmem;
use serde::de::DeserializeSeed;
use serde_json::Deserializer;

use super::objects::Into;
use super::value::Text;
use super::written::Cells;
use super::{Piece, Reader, Refused, Row};
use crate::pool;
use claims::{declared_views, repository_of};
use record::{Failure, More, Record, Usage, seconds_between};
use run::Run;
use views::{Folder, as_steps};

/// Files of a piece.
const FILES: usize = 32;

/// No file that has more bytes is read here.
const LARGEST: u64 = 1 << 26;

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
/// Those that `LiteLLM` knows, before the name of a model.
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
const MARK: &[u8] = b"\"mini-swe-agent-1";

impl Reader {
    /// Reads files, each of which is a log, and gives what `finish` makes of their pieces.
    ///
    /// The line of what is refused is the number of its file, from 0.
    pub fn read_logs<T: Send>(
        &self,
        files: &[String],
        finish: impl Fn(Piece) -> T + Send + Sync,
    ) -> Vec<T> {
        pool::map(pool::chunks(files.len(), FILES), |range| {
            let mut content = Vec::new();
            finish(self.gather_logs(range, |row, number| {
                content.clear();
                let file = &files[number];
                let is_there = read_file(Path::new(file), &mut content);
                is_there && row.read_log(&content, file, self.shows_files()).is_some()
            }))
        })
    }

    /// Reads logs of which the content is there, as if each stood in `file`.
    #[must_use]
    pub fn read_log_contents(&self, contents: &[&[u8]], file: &str) -> Piece {
        self.gather_logs(0..contents.len(), |row, number| {
            row.read_log(contents[number], file, self.shows_files())
                .is_some()
        })
    }

    /// Whether what commands showed of files is part of a column.
    fn shows_files(&self) -> bool {
        let shown = ["turns.views", "final_views", "leaks"];
        shown.iter().any(|name| self.wanted.has(name))
    }

    fn gather_logs(
        &self,
        numbers: Range<usize>,
        mut read: impl FnMut(&mut Row<'_>, usize) -> bool,
    ) -> Piece {
        self.gather("", |row, refused| {
            for number in numbers {
                if !read(row, number) {
                    refused.push(Refused {
                        row: row.index,
                        number: number as i64,
                        bytes: 0..0,
                    });
                }
            }
        })
    }
}

/// Reads a whole file, if it is one that may be a log.
fn read_file(path: &Path, content: &mut Vec<u8>) -> bool {
    let Ok(about) = path.metadata() else {
        return false;
    };
    // Opening a pipe would wait for a writer.
    if !about.is_file() || about.len() > LARGEST {
        return false;
    }
    let file = File::open(path);
    file.is_ok_and(|file| file.take(LARGEST).read_to_end(content).is_ok())
}

impl Row<'_> {
    fn read_log(&mut self, content: &[u8], file: &str, shows_files: bool) -> Option<()> {
        // Cheap, and enough to pass over files of other formats.
        memmem::find(content, MARK)?;
        let text = std::str::from_utf8(content).ok()?;
        let line = place(text)?;
        let run = run(text)?;
        let record = record(&run, file, shows_files)?;
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
        record.write(&mut cells)?;
        self.source::<serde_json::Error>().ok()
    }
}

/// The line that a log stands on, if it is on one; none inside where the file is a document.
#[allow(clippy::option_option)]
fn place(text: &str) -> Option<Option<i64>> {
    let text = text.trim_end_matches([' ', '\t', '\r', '\n']);
    if !text.starts_with('{') {
        return None;
    }
    let Some((_, rest)) = text.split_once('\n') else {
        return Some(Some(1));
    };
    // A second line that begins like this makes it lines to the record reader.
    let is_lines = rest
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .starts_with('{');
    (!is_lines).then_some(None)
}

/// The run, if it is one of these versions.
fn run(json: &str) -> Option<Run<'_>> {
    let mut json = Deserializer::from_str(json);
    let mut run = Run::default();
    let target = &mut run;
    let whole = Into {
        target,
        nullable: false,
    };
    whole.deserialize(&mut json).ok()?;
    json.end().ok()?;
    (run.has_messages() && (run.is_version_1() || run.is_version_2())).then_some(run)
}

/// The run as a record of our own; its views are only looked for where they are asked for.
fn record<'a>(run: &'a Run<'_>, file: &'a str, shows_files: bool) -> Option<Record<'a>> {
    let environment = &run.info.config.environment;
    let repository = text(environment.image.as_ref()).and_then(repository_of);
    let mut folder = Folder::new(filled(text(environment.folder.as_ref())), repository);
    let eyes = shows_files.then_some(&mut folder);
    let mut final_views = None;
    let mut turns = if run.is_version_1() {
        if shows_files {
            final_views = declared_views(&run.messages, repository).ok()?;
        }
        v1::turns(run, eyes).ok()?
    } else {
        v2::turns(run, eyes).ok()?
    };
    let name = Path::new(file).file_name()?.to_str()?;
    let info = &run.info;
    let config = &info.config;
    let status = filled(text(info.exit_status.as_ref()));
    let submission =
        text(info.submission.as_ref()).filter(|said| status.is_some() || !said.is_empty());
    as_steps(&mut turns, status);
    Some(Record {
        task_id: filled(text(run.instance.as_ref()))
            .unwrap_or_else(|| name.strip_suffix(SUFFIX).unwrap_or(name)),
        agent: filled(text(config.agent_type.as_ref())).unwrap_or(AGENT),
        model: text(config.model.name.as_ref()).map(model_name),
        turns,
        final_views,
        leaks: folder.leaks,
        submission,
        usage: info.statistics.cost.map(Usage::cost),
        duration_seconds: run
            .messages
            .last()
            .and_then(|last| seconds_between(run.messages.first(), last)),
        failure: status
            .filter(|&status| status != SUBMITTED)
            .map(|status| Failure {
                reason: if BUDGETS.contains(&status) {
                    BUDGET_REASON
                } else {
                    status
                },
                message: filled(submission).map(Cow::Borrowed),
            }),
        exit_status: status,
        extra: More {
            mini_version: text(info.mini_version.as_ref()),
            context_error: text(info.context_error.as_ref()),
            step_limit: config.limits.steps,
            cost_limit: config.limits.cost,
        },
    })
}

fn text<'a>(text: Option<&'a Text<'_>>) -> Option<&'a str> {
    text.map(|text| &*text.0)
}

/// The model without the name of who serves it, as the record reader takes it.
fn model_name(written: &str) -> &str {
    match written.split_once('/') {
        Some((provider, name)) if !name.is_empty() && PROVIDERS.contains(&provider) => name,
        _ => written,
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
