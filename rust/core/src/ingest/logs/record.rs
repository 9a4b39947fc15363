//! A run as a record of our own, written as JSON.

use std::borrow::Cow;

use serde::Serialize;

use super::run::Message;

#[derive(Serialize)]
pub(super) struct Record<'a> {
    pub task_id: &'a str,
    pub agent: &'a str,
    pub model: Option<&'a str>,
    pub turns: Vec<Turn<'a>>,
    pub final_patch: Option<&'a str>,
    pub usage: Option<Usage>,
    pub duration_seconds: Option<f64>,
    pub failure: Option<Failure<'a>>,
    pub metadata: Metadata<'a>,
    pub extra: More<'a>,
}

impl Record<'_> {
    /// Whether JSON can hold its numbers, and columns the same zeros as the record reader's.
    pub(super) fn is_finite(&self) -> bool {
        let seconds = self.turns.iter().map(|turn| turn.duration_seconds);
        let limit = self.extra.cost_limit;
        seconds
            .chain([self.duration_seconds, limit])
            .flatten()
            .all(|number| number.is_finite() && (number != 0.0 || number.is_sign_positive()))
    }
}

#[derive(Serialize)]
pub(super) struct Metadata<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<&'a str>,
}

/// What of a run has no field of its own.
#[derive(Serialize)]
pub(super) struct More<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_limit: Option<f64>,
}

#[derive(Clone, Default, Serialize)]
pub(super) struct Turn<'a> {
    pub number: Option<usize>,
    pub program: Option<Cow<'a, str>>,
    pub text: Option<&'a str>,
    pub success: Option<bool>,
    pub error: Option<Failure<'a>>,
    pub tool_calls: Vec<Call<'a>>,
    pub usage: Option<Usage>,
    pub duration_seconds: Option<f64>,
}

#[derive(Clone, Serialize)]
pub(super) struct Failure<'a> {
    pub reason: &'a str,
    pub message: Option<Cow<'a, str>>,
}

#[derive(Clone, Serialize)]
pub(super) struct Call<'a> {
    pub id: Option<&'a str>,
    name: &'static str,
    arguments: Arguments<'a>,
    pub result: Option<Cow<'a, str>>,
    pub success: Option<bool>,
    pub error: Option<Cow<'a, str>>,
}

#[derive(Clone, Serialize)]
struct Arguments<'a> {
    command: &'a str,
}

impl<'a> Call<'a> {
    pub(super) fn of(command: &'a str, success: Option<bool>) -> Self {
        Self {
            id: None,
            name: "bash",
            arguments: Arguments { command },
            result: None,
            success,
            error: None,
        }
    }
}

#[derive(Clone, Copy, Default, Serialize)]
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

    /// Tokens and cost of the call that a message came from.
    pub(super) fn of(message: &Message<'_>) -> Option<Self> {
        let extra = &message.extra;
        let tokens = if message.is_response() {
            message.usage
        } else {
            extra.response.usage
        };
        let tokens = tokens.unwrap_or_default();
        let usage = Self {
            input_tokens: tokens.input(),
            output_tokens: tokens.output(),
            cached_input_tokens: tokens.cached(),
            cache_write_tokens: tokens.written(),
            reasoning_tokens: tokens.reasoning(),
            total_tokens: tokens.total,
            cost_usd: extra.cost,
        };
        usage.is_known().then_some(usage)
    }

    fn is_known(&self) -> bool {
        let counts = [
            self.input_tokens,
            self.output_tokens,
            self.cached_input_tokens,
            self.cache_write_tokens,
            self.reasoning_tokens,
            self.total_tokens,
        ];
        self.cost_usd.is_some() || counts.iter().any(Option::is_some)
    }
}

/// Seconds from one message to another; none unless both record their time.
pub(super) fn seconds_between(earlier: Option<&Message<'_>>, later: &Message<'_>) -> Option<f64> {
    Some(later.time()? - earlier?.time()?)
}
