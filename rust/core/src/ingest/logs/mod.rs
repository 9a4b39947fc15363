//! Logs of mini-swe-agent, a run in each file: all of a trajectory but its views.
//!
//! The record readers of both versions are the specification. A file that is not certain to mean
//! the same to them is left to the caller, whatever the reason.

mod observations;
mod record;
mod run;
mod tokens;
mod v1;
mod v2;

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memchr::memmem;
use serde::de::DeserializeSeed;
use serde_json::Deserializer;

use super::objects::Into;
use super::raw::is_certain;
use super::value::Text;
use super::{Format, Piece, Reader, Refused, Row};
use crate::pool;
use record::{Failure, Metadata, More, Record, Usage, seconds_between};
use run::Run;

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
                is_there && row.read_log(&content, file).is_some()
            }))
        })
    }

    /// Reads logs of which the content is there, as if each stood in `file`.
    #[must_use]
    pub fn read_log_contents(&self, contents: &[&[u8]], file: &str) -> Piece {
        self.gather_logs(0..contents.len(), |row, number| {
            row.read_log(contents[number], file).is_some()
        })
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
    fn read_log(&mut self, content: &[u8], file: &str) -> Option<()> {
        // Cheap, and enough to pass over files of other formats.
        memmem::find(content, MARK)?;
        let text = std::str::from_utf8(content).ok()?;
        let line = place(text)?;
        let record = record(text, file)?;
        if !is_certain(text) {
            return None;
        }
        file.clone_into(&mut self.file);
        self.line = line;
        self.read(record.as_bytes(), Format::Own, &[Format::Own])
            .map(drop)
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

/// The run as JSON of a record of our own.
fn record(json: &str, file: &str) -> Option<String> {
    let mut json = Deserializer::from_str(json);
    let mut run = Run::default();
    let target = &mut run;
    let whole = Into {
        target,
        nullable: false,
    };
    whole.deserialize(&mut json).ok()?;
    json.end().ok()?;
    if !run.has_messages() {
        return None;
    }
    let turns = match &*run.format.as_ref()?.0 {
        "mini-swe-agent-1" => v1::turns(&run).ok()?,
        other if other.starts_with("mini-swe-agent-1.") => v2::turns(&run).ok()?,
        _ => return None,
    };
    let name = Path::new(file).file_name()?.to_str()?;
    let info = &run.info;
    let config = &info.config;
    let status = filled(text(info.exit_status.as_ref()));
    let submission =
        text(info.submission.as_ref()).filter(|said| status.is_some() || !said.is_empty());
    let record = Record {
        task_id: filled(text(run.instance.as_ref()))
            .unwrap_or_else(|| name.strip_suffix(SUFFIX).unwrap_or(name)),
        agent: filled(text(config.agent_type.as_ref())).unwrap_or(AGENT),
        model: text(config.model.name.as_ref()).map(model_name),
        turns,
        final_patch: submission,
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
        metadata: Metadata {
            exit_status: status,
        },
        extra: More {
            mini_version: text(info.mini_version.as_ref()),
            context_error: text(info.context_error.as_ref()),
            step_limit: config.limits.steps,
            cost_limit: config.limits.cost,
        },
    };
    record
        .is_finite()
        .then(|| serde_json::to_string(&record).ok())?
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
