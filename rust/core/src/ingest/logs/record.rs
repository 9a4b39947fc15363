//! A run as a Trajmeter record, and the columns that it is written to.

use std::borrow::Cow;

use super::super::certainty::Certain;
use super::super::escapes::{json_text, push_json, push_unescaped, unescaped};
use super::super::places::{self, Places};
use super::super::raw::Uncertain;
use super::super::written::Cells;
use super::run::Message;
use crate::shell::{Leak, View};

pub(super) struct Record<'a> {
    pub task_id: &'a str,
    pub agent: &'a str,
    pub model: Option<&'a str>,
    pub turns: Vec<Turn<'a>>,
    pub final_views: Option<Vec<View>>,
    /// Leaks, each with the number of its turn; `None` if they are not looked for.
    pub leaks: Option<Vec<(usize, Leak)>>,
    pub submission: Option<&'a str>,
    pub usage: Option<Usage>,
    pub duration_seconds: Option<f64>,
    pub failure: Option<Failure<'a>>,
    pub exit_status: Option<&'a str>,
    pub extra: More<'a>,
}

impl Record<'_> {
    /// Writes the record to a row of the columns of trajectories.
    pub(super) fn write(&self, cells: &mut Cells<'_>, places: &Places) -> Option<()> {
        cells.text("task_id", Some(self.task_id))?;
        cells.text("agent", Some(self.agent))?;
        cells.text("model", self.model)?;
        cells.list("turns", Some(&self.turns), |cells, turn| {
            turn.write(cells, &places.turn_view)
        })?;
        cells.views(
            "final_views",
            self.final_views.as_deref(),
            &places.final_view,
        )?;
        cells.list("leaks", self.leaks.as_deref(), |cells, (turn, leak)| {
            cells.text("kind", Some(leak.kind.name()))?;
            cells.text("evidence", Some(&leak.evidence))?;
            cells.integer("turn", Some(*turn as i64))
        })?;
        cells.text("final_patch", self.submission)?;
        cells.text("final_output", self.submission)?;
        cells.record("usage", self.usage, Usage::write)?;
        cells.number("duration_seconds", self.duration_seconds)?;
        cells.record("failure", self.failure.as_ref(), Failure::write)?;
        let status = self
            .exit_status
            .map(|status| ("exit_status", json_text(status)));
        cells.json("metadata", object(status.as_slice()).as_deref())?;
        cells.json("extra", self.extra.json()?.as_deref())
    }
}

/// Information about a run that has no field of its own.
pub(super) struct More<'a> {
    pub mini_version: Option<&'a str>,
    pub context_error: Option<&'a str>,
    pub step_limit: Option<u64>,
    pub cost_limit: Option<f64>,
}

impl More<'_> {
    /// Returns it as JSON, if there is anything; refused if JSON cannot represent its numbers.
    fn json(&self) -> Certain<Option<String>> {
        let cost = match self.cost_limit {
            Some(cost) if !cost.is_finite() || (cost == 0.0 && cost.is_sign_negative()) => {
                return None;
            }
            cost => cost.map(|cost| serde_json::Value::from(cost).to_string()),
        };
        let members = [
            ("mini_version", self.mini_version.map(json_text)),
            ("context_error", self.context_error.map(json_text)),
            ("step_limit", self.step_limit.map(|limit| limit.to_string())),
            ("cost_limit", cost),
        ];
        let members = members.into_iter();
        let members: Vec<_> = members
            .filter_map(|(name, json)| Some((name, json?)))
            .collect();
        Some(object(&members))
    }
}

/// Returns a JSON object with these members; `None` if there are none.
fn object(members: &[(&str, String)]) -> Option<String> {
    let members = members
        .iter()
        .map(|(name, json)| format!("\"{name}\":{json}"));
    let members: Vec<_> = members.collect();
    (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
}

#[derive(Clone, Default)]
pub(super) struct Turn<'a> {
    /// Number of the turn; `None` if it only adds a step to the turn before.
    pub number: Option<usize>,
    pub program: Option<Cow<'a, str>>,
    pub text: Option<Printed<'a>>,
    pub success: Option<bool>,
    pub error: Option<Failure<'a>>,
    pub tool_calls: Vec<Call<'a>>,
    pub views: Option<Vec<View>>,
    pub usage: Option<Usage>,
    pub duration_seconds: Option<f64>,
}

impl Turn<'_> {
    fn write(&self, cells: &mut Cells<'_>, views: &places::View) -> Option<()> {
        cells.integer("number", self.number.map(|number| number as i64))?;
        cells.text("program", self.program.as_deref())?;
        if let Some(text) = &self.text {
            cells.written("text", |bytes| text.push(bytes))?;
        }
        cells.boolean("success", self.success)?;
        cells.record("error", self.error.as_ref(), Failure::write)?;
        cells.list("tool_calls", Some(&self.tool_calls), Call::write)?;
        cells.views("views", self.views.as_deref(), views)?;
        cells.record("usage", self.usage, Usage::write)?;
        cells.number("duration_seconds", self.duration_seconds)
    }
}

#[derive(Clone)]
pub(super) struct Failure<'a> {
    pub reason: &'a str,
    pub message: Option<Cow<'a, str>>,
}

impl Failure<'_> {
    fn write(cells: &mut Cells<'_>, failure: &Self) -> Option<()> {
        cells.text("reason", Some(failure.reason))?;
        cells.text("message", failure.message.as_deref())
    }
}

#[derive(Clone)]
pub(super) struct Call<'a> {
    pub id: Option<Cow<'a, str>>,
    pub name: Cow<'a, str>,
    pub arguments: Arguments<'a>,
    pub result: Option<Printed<'a>>,
    pub success: Option<bool>,
    pub error: Option<Cow<'a, str>>,
}

/// Text that a command printed or a model said.
#[derive(Clone)]
pub(super) enum Printed<'a> {
    Text(Cow<'a, str>),
    /// The content of a valid JSON string, still escaped.
    Escaped(&'a str),
}

impl Printed<'_> {
    pub(super) fn text(&self) -> Result<Cow<'_, str>, Uncertain> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::Escaped(inside) => unescaped(inside).ok_or(Uncertain),
        }
    }

    fn push(&self, bytes: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            Self::Escaped(inside) => push_unescaped(inside, bytes)?,
        }
        Some(())
    }

    fn push_json(&self, json: &mut Vec<u8>) {
        match self {
            Self::Text(text) => push_json(text, json),
            Self::Escaped(inside) => {
                json.push(b'"');
                json.extend_from_slice(inside.as_bytes());
                json.push(b'"');
            }
        }
    }
}

#[derive(Clone)]
pub(super) enum Arguments<'a> {
    /// The command of a call of `bash`.
    Command(&'a str),
    /// The arguments as written, as JSON.
    Written(Option<&'a str>),
}

impl<'a> Call<'a> {
    pub(super) fn of(command: &'a str, success: Option<bool>) -> Self {
        Self {
            id: None,
            name: "bash".into(),
            arguments: Arguments::Command(command),
            result: None,
            success,
            error: None,
        }
    }

    fn write(cells: &mut Cells<'_>, call: &Self) -> Option<()> {
        cells.text("id", call.id.as_deref())?;
        cells.text("name", Some(&call.name))?;
        match call.arguments {
            Arguments::Command(command) => {
                cells.written("arguments", |json| {
                    json.extend_from_slice(b"{\"command\":");
                    push_json(command, json);
                    json.push(b'}');
                    Some(())
                })?;
            }
            Arguments::Written(json) => {
                cells.json("arguments", json.filter(|json| *json != "null"))?;
            }
        }
        if let Some(result) = &call.result {
            cells.written("result", |json| {
                result.push_json(json);
                Some(())
            })?;
        }
        cells.boolean("success", call.success)?;
        cells.text("error", call.error.as_deref())
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    cached_input_tokens: Option<i64>,
    cache_write_tokens: Option<i64>,
    reasoning_tokens: Option<i64>,
    total_tokens: Option<i64>,
    cost_usd: Option<f64>,
}

impl Usage {
    pub(super) fn cost(cost_usd: f64) -> Self {
        Self {
            cost_usd: Some(cost_usd),
            ..Self::default()
        }
    }

    /// Usage of a turn that used nothing.
    pub(super) fn none() -> Self {
        Self {
            input_tokens: Some(0),
            output_tokens: Some(0),
            total_tokens: Some(0),
            cost_usd: Some(0.0),
            ..Self::default()
        }
    }

    /// Returns the tokens and cost of the call that produced a message.
    pub(super) fn of(message: &Message<'_>) -> Option<Self> {
        let extra = &message.extra;
        let tokens = if message.is_response() {
            &message.usage
        } else {
            &extra.response.usage
        };
        let tokens = tokens.unwrap_or_default();
        let usage = Self {
            input_tokens: tokens.input(),
            output_tokens: tokens.output(),
            cached_input_tokens: tokens.cached(),
            cache_write_tokens: tokens.written(),
            reasoning_tokens: tokens.reasoning(),
            total_tokens: tokens.total(),
            cost_usd: extra.cost,
        };
        usage.is_known().then_some(usage)
    }

    fn counts(&self) -> [(&'static str, Option<i64>); 6] {
        [
            ("input_tokens", self.input_tokens),
            ("output_tokens", self.output_tokens),
            ("cached_input_tokens", self.cached_input_tokens),
            ("cache_write_tokens", self.cache_write_tokens),
            ("reasoning_tokens", self.reasoning_tokens),
            ("total_tokens", self.total_tokens),
        ]
    }

    fn is_known(&self) -> bool {
        self.cost_usd.is_some() || self.counts().iter().any(|(_, count)| count.is_some())
    }

    fn write(cells: &mut Cells<'_>, usage: Self) -> Option<()> {
        for (name, count) in usage.counts() {
            cells.integer(name, count)?;
        }
        cells.number("cost_usd", usage.cost_usd)
    }
}

/// Returns the seconds from one message to another; `None` unless both have a time.
pub(super) fn seconds_between(earlier: Option<&Message<'_>>, later: &Message<'_>) -> Option<f64> {
    Some(later.time()? - earlier?.time()?)
}
