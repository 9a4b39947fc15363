//! The parts of a mini-swe-agent file that are read, whatever its version.
//!
//! Only names and limits are taken from the configuration, which may contain API keys.

use std::borrow::Cow;

use super::super::tree::Quoted;
use super::content::Content;
use super::fields::{Kept, keys};
use super::responses::Output;
use super::tokens::Tokens;

/// A run.
#[derive(Default)]
pub(super) struct Run<'de> {
    seen: u16,
    pub format: Option<Cow<'de, str>>,
    pub instance: Option<Cow<'de, str>>,
    pub info: Info<'de>,
    pub messages: Vec<Message<'de>>,
}

const MESSAGES: u8 = 3;

keys! { Run<'de>,
    "trajectory_format", 0, value format;
    "instance_id", 1, value instance;
    "info", 2, object info;
    "messages", 3, messages messages;
}

/// The messages of a turn.
pub(super) struct TurnMessages<'a, 'de> {
    /// Number of the turn, from 1.
    pub number: usize,
    /// The message before the turn.
    pub before: Option<&'a Message<'de>>,
    /// The message that begins the turn.
    pub first: &'a Message<'de>,
    /// The others.
    pub after: &'a [Message<'de>],
}

impl<'de> Run<'de> {
    /// Returns the turns, each of which begins with a message that `begins` accepts.
    pub(super) fn turns(
        &self,
        begins: impl Fn(&Message<'de>) -> bool,
    ) -> impl Iterator<Item = TurnMessages<'_, 'de>> {
        let starts = (0..self.messages.len()).filter(move |&at| begins(&self.messages[at]));
        let mut starts = starts.peekable();
        (1..).map_while(move |number| {
            let start = starts.next()?;
            let end = *starts.peek().unwrap_or(&self.messages.len());
            Some(TurnMessages {
                number,
                before: start.checked_sub(1).map(|at| &self.messages[at]),
                first: &self.messages[start],
                after: &self.messages[start + 1..end],
            })
        })
    }
}

impl Run<'_> {
    pub(super) fn has_messages(&self) -> bool {
        self.seen & (1 << MESSAGES) != 0
    }

    fn format(&self) -> &str {
        self.format.as_ref().map_or("", |format| &**format)
    }

    pub(super) fn is_version_1(&self) -> bool {
        self.format() == "mini-swe-agent-1"
    }

    /// Returns whether the answers of a version 1 run hold their commands in bash blocks, and not
    /// in special tags.
    ///
    /// A pattern without a backslash may name the fences themselves as such tags.
    pub(super) fn has_blocks(&self) -> bool {
        let pattern = self.info.config.limits.pattern.as_deref();
        pattern.is_none_or(|pattern| pattern.starts_with("```bash\\"))
    }

    pub(super) fn is_version_2(&self) -> bool {
        self.format().starts_with("mini-swe-agent-1.")
    }
}

#[derive(Default)]
pub(super) struct Info<'de> {
    seen: u16,
    pub config: Config<'de>,
    pub context_error: Option<Cow<'de, str>>,
    pub exit_status: Option<Cow<'de, str>>,
    pub mini_version: Option<Cow<'de, str>>,
    pub statistics: Statistics,
    pub submission: Option<Cow<'de, str>>,
}

keys! { Info<'de>,
    "config", 0, object config;
    "context_error", 1, value context_error;
    "exit_status", 2, value exit_status;
    "mini_version", 3, value mini_version;
    "model_stats", 4, object statistics;
    "submission", 5, value submission;
}

#[derive(Default)]
pub(super) struct Config<'de> {
    seen: u16,
    pub limits: Limits<'de>,
    pub agent_type: Option<Cow<'de, str>>,
    pub environment: Environment<'de>,
    pub model: Model<'de>,
}

keys! { Config<'de>,
    "agent", 0, object limits;
    "agent_type", 1, value agent_type;
    "environment", 2, object environment;
    "model", 3, object model;
}

#[derive(Default)]
pub(super) struct Limits<'de> {
    seen: u16,
    pub steps: Option<u64>,
    pub cost: Option<f64>,
    /// The pattern that finds the command in an answer.
    pattern: Option<Cow<'de, str>>,
}

keys! { Limits<'de>,
    "step_limit", 0, value steps;
    "cost_limit", 1, value cost;
    "action_regex", 2, value pattern;
}

#[derive(Default)]
pub(super) struct Environment<'de> {
    seen: u16,
    pub image: Option<Cow<'de, str>>,
    pub folder: Option<Cow<'de, str>>,
}

keys! { Environment<'de>,
    "image", 0, value image;
    "cwd", 1, value folder;
}

#[derive(Default)]
pub(super) struct Model<'de> {
    seen: u16,
    pub name: Option<Cow<'de, str>>,
}

keys! { Model<'de>,
    "model_name", 0, value name;
}

#[derive(Default)]
pub(super) struct Statistics {
    seen: u16,
    pub cost: Option<f64>,
}

keys! { Statistics,
    "instance_cost", 0, value cost;
}

/// A message of any role, or a response of the model's API.
#[derive(Default)]
pub(super) struct Message<'de> {
    seen: u16,
    pub role: Option<Cow<'de, str>>,
    pub object: Option<Cow<'de, str>>,
    pub content: Content<'de>,
    timestamp: Option<f64>,
    pub tool_call: Option<Cow<'de, str>>,
    pub call: Option<Cow<'de, str>>,
    pub extra: Extra<'de>,
    pub usage: Option<Tokens>,
    output: Output<'de>,
}

const OUTPUT: u8 = 8;

keys! { Message<'de>,
    "role", 0, value role;
    "object", 1, value object;
    "content", 2, value content;
    "timestamp", 3, value timestamp;
    "tool_call_id", 4, value tool_call;
    "call_id", 5, value call;
    "extra", 6, object extra;
    "usage", 7, value usage;
    "output", 8, value output;
}

impl Message<'_> {
    pub(super) fn is_by(&self, role: &str) -> bool {
        self.role.as_ref().is_some_and(|own| *own == role)
    }

    pub(super) fn text(&self) -> &str {
        self.content.text()
    }

    /// Returns whether it is an answer of the Responses API, or shaped like one.
    pub(super) fn is_response(&self) -> bool {
        self.object.as_ref().is_some_and(|own| *own == "response")
    }

    /// Returns whether it has items of the Responses API, or the output of a call of that API.
    pub(super) fn has_output(&self) -> bool {
        self.seen & (1 << OUTPUT) != 0
    }

    /// Returns the text of its items.
    pub(super) fn said(&self) -> Cow<'_, str> {
        self.output.said()
    }

    /// Returns the part of a command's output that the agent was shown.
    pub(super) fn shown(&self) -> &str {
        match &self.output {
            Output::Text(text) if self.text().is_empty() => text,
            _ => self.text(),
        }
    }

    pub(super) fn time(&self) -> Option<f64> {
        self.timestamp.or(self.extra.timestamp)
    }
}

/// Fields that the harness adds to a message.
#[derive(Default)]
pub(super) struct Extra<'de> {
    seen: u16,
    pub response: Response<'de>,
    pub cost: Option<f64>,
    timestamp: Option<f64>,
    pub interrupt: Option<Cow<'de, str>>,
    pub actions: Vec<Action<'de>>,
    pub code: Option<i64>,
    pub exception: Option<Cow<'de, str>>,
    pub output: Option<Quoted<'de>>,
    /// The text of the model's refused answer, if its response is not kept.
    pub answer: Option<Cow<'de, str>>,
    /// The error that ended the run.
    pub raised: Option<Cow<'de, str>>,
}

const INTERRUPT: u8 = 3;
const CODE: u8 = 5;

keys! { Extra<'de>,
    "response", 0, object response;
    "cost", 1, value cost;
    "timestamp", 2, value timestamp;
    "interrupt_type", 3, value interrupt;
    "actions", 4, list actions;
    "returncode", 5, value code;
    "exception_info", 6, value exception;
    "raw_output", 7, value output;
    "model_response", 8, value answer;
    "exception_str", 9, value raised;
}

impl Extra<'_> {
    pub(super) fn is_interrupt(&self) -> bool {
        self.seen & (1 << INTERRUPT) != 0
    }

    pub(super) fn has_code(&self) -> bool {
        self.seen & (1 << CODE) != 0
    }
}

/// A command that the model asked for, and the id that its observation has.
#[derive(Default)]
pub(super) struct Action<'de> {
    seen: u16,
    pub command: Option<Cow<'de, str>>,
    pub id: Option<Cow<'de, str>>,
}

keys! { Action<'de>,
    "command", 0, value command;
    "tool_call_id", 1, value id;
}

/// The response of the model's API; its content is read only if it was refused.
#[derive(Default)]
pub(super) struct Response<'de> {
    seen: u16,
    pub usage: Option<Tokens>,
    pub output: Option<Kept<'de>>,
    pub choices: Option<Kept<'de>>,
}

keys! { Response<'de>,
    "usage", 0, value usage;
    "output", 1, value output;
    "choices", 2, value choices;
}
