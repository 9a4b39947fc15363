//! What is read of a file of mini-swe-agent, whatever its version.
//!
//! Only names and limits are taken from the configuration, which may hold the keys of a model.

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess};
use serde_json::value::RawValue;

use super::super::objects::{Into, Item, List, Object, next_object, once};
use super::super::value::{Kept, Raw, Text, refused};
use super::responses::Output;
use super::texts::{Long, decoded};
use super::tokens::Tokens;

/// Reads objects with these keys: one value each, an object or null, or a list of objects.
/// Other keys are skipped, unless there is something odd below them.
macro_rules! keys {
    ($type:ty, $($key:literal, $bit:literal, $kind:ident $field:ident;)+) => {
        impl<'de> Object<'de> for $type {
            fn key<A: MapAccess<'de>>(
                &mut self,
                key: Text<'de>,
                map: &mut A,
            ) -> Result<(), A::Error> {
                match &*key.0 {
                    $($key => {
                        once(&mut self.seen, $bit)?;
                        keys!(self, map, $kind $field);
                    })+
                    _ => {
                        map.next_value_seed(Raw)?;
                    }
                }
                Ok(())
            }
        }
    };
    ($self:ident, $map:ident, value $field:ident) => {
        $self.$field = $map.next_value()?
    };
    ($self:ident, $map:ident, object $field:ident) => {
        $map.next_value_seed(Into { target: &mut $self.$field, nullable: true })?
    };
    ($self:ident, $map:ident, list $field:ident) => {
        $map.next_value_seed(List { values: &mut $self.$field, nullable: true })?
    };
    ($self:ident, $map:ident, messages $field:ident) => {
        $map.next_value_seed(List { values: &mut $self.$field, nullable: false })?
    };
}

pub(super) use keys;

/// A run.
#[derive(Default)]
pub(super) struct Run<'de> {
    seen: u16,
    pub format: Option<Text<'de>>,
    pub instance: Option<Text<'de>>,
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

impl Run<'_> {
    pub(super) fn has_messages(&self) -> bool {
        self.seen & (1 << MESSAGES) != 0
    }

    fn format(&self) -> &str {
        self.format.as_ref().map_or("", |format| &*format.0)
    }

    pub(super) fn is_version_1(&self) -> bool {
        self.format() == "mini-swe-agent-1"
    }

    pub(super) fn is_version_2(&self) -> bool {
        self.format().starts_with("mini-swe-agent-1.")
    }
}

#[derive(Default)]
pub(super) struct Info<'de> {
    seen: u16,
    pub config: Config<'de>,
    pub context_error: Option<Text<'de>>,
    pub exit_status: Option<Text<'de>>,
    pub mini_version: Option<Text<'de>>,
    pub statistics: Statistics,
    pub submission: Option<Text<'de>>,
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
    pub limits: Limits,
    pub agent_type: Option<Text<'de>>,
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
pub(super) struct Limits {
    seen: u16,
    pub steps: Option<u64>,
    pub cost: Option<f64>,
}

keys! { Limits,
    "step_limit", 0, value steps;
    "cost_limit", 1, value cost;
}

#[derive(Default)]
pub(super) struct Environment<'de> {
    seen: u16,
    pub image: Option<Text<'de>>,
    pub folder: Option<Text<'de>>,
}

keys! { Environment<'de>,
    "image", 0, value image;
    "cwd", 1, value folder;
}

#[derive(Default)]
pub(super) struct Model<'de> {
    seen: u16,
    pub name: Option<Text<'de>>,
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
    pub role: Option<Text<'de>>,
    pub object: Option<Text<'de>>,
    content: Content<'de>,
    timestamp: Option<f64>,
    pub tool_call: Option<Text<'de>>,
    pub call: Option<Text<'de>>,
    pub extra: Extra<'de>,
    pub usage: Option<Box<Tokens>>,
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

impl<'de> Item<'de> for Message<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        next_object(list)
    }
}

impl Message<'_> {
    pub(super) fn is_by(&self, role: &str) -> bool {
        self.role.as_ref().is_some_and(|own| own.0 == role)
    }

    pub(super) fn text(&self) -> &str {
        self.content.text()
    }

    /// Whether it is the answer of the Responses API, or of its kind.
    pub(super) fn is_response(&self) -> bool {
        self.object.as_ref().is_some_and(|own| own.0 == "response")
    }

    /// Whether it has items of the Responses API, or the output of a call of it.
    pub(super) fn has_output(&self) -> bool {
        self.seen & (1 << OUTPUT) != 0
    }

    /// What its items say.
    pub(super) fn said(&self) -> Cow<'_, str> {
        self.output.said()
    }

    /// What the agent was shown of the output of a command.
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

/// The text of a message, whose parts are joined by newlines.
#[derive(Default)]
pub(super) struct Content<'de>(Cow<'de, str>);

impl Content<'_> {
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Content<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        let text = match json.as_bytes() {
            [b'"', ..] => decoded(json),
            [b'[', ..] => serde_json::from_str(json)
                .ok()
                .map(|parts: Parts<'_>| parts.joined()),
            _ => (json == "null").then(Cow::default),
        };
        text.map(Content).ok_or_else(refused)
    }
}

#[derive(Default)]
struct Parts<'de>(Vec<Part<'de>>);

impl<'de> Parts<'de> {
    fn joined(self) -> Cow<'de, str> {
        let mut texts = self.0.into_iter().filter_map(|part| part.text);
        let first = texts.next().map_or(Cow::default(), |text| text.0);
        let others: Vec<_> = texts.map(|text| text.0).collect();
        if others.is_empty() {
            return first;
        }
        [&[first], &others[..]].concat().join("\n").into()
    }
}

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Vec::new();
        let list = List {
            values: &mut values,
            nullable: false,
        };
        list.deserialize(deserializer)?;
        Ok(Self(values))
    }
}

impl<'de> Item<'de> for Part<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        next_object(list)
    }
}

#[derive(Default)]
struct Part<'de> {
    seen: u16,
    text: Option<Long<'de>>,
}

keys! { Part<'de>,
    "text", 0, value text;
}

/// What the harness adds to a message.
#[derive(Default)]
pub(super) struct Extra<'de> {
    seen: u16,
    pub response: Response<'de>,
    pub cost: Option<f64>,
    timestamp: Option<f64>,
    pub interrupt: Option<Text<'de>>,
    pub actions: Vec<Action<'de>>,
    pub code: Option<i64>,
    pub exception: Option<Text<'de>>,
    pub output: Option<Long<'de>>,
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
}

impl Extra<'_> {
    pub(super) fn is_interrupt(&self) -> bool {
        self.seen & (1 << INTERRUPT) != 0
    }

    pub(super) fn has_code(&self) -> bool {
        self.seen & (1 << CODE) != 0
    }
}

/// A command that the model asked for, and the id that its observation carries.
#[derive(Default)]
pub(super) struct Action<'de> {
    seen: u16,
    pub command: Option<Text<'de>>,
    pub id: Option<Text<'de>>,
}

keys! { Action<'de>,
    "command", 0, value command;
    "tool_call_id", 1, value id;
}

impl<'de> Item<'de> for Action<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        next_object(list)
    }
}

/// The response of the model's API; what it holds is only looked at where it was refused.
#[derive(Default)]
pub(super) struct Response<'de> {
    seen: u16,
    pub usage: Option<Box<Tokens>>,
    pub output: Option<Kept<'de>>,
    pub choices: Option<Kept<'de>>,
}

keys! { Response<'de>,
    "usage", 0, value usage;
    "output", 1, value output;
    "choices", 2, value choices;
}
