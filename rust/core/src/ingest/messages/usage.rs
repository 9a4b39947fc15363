//! Token counts of a model call, by the conventions of each program.

use super::super::tree::{Node, Object, is_integer, number};
use super::shapes::Message;

/// The first double above all counts that fit in a column.
const TOO_MANY: f64 = 9_223_372_036_854_775_808.0;

/// Token counts and cost of a model call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Usage {
    pub input: Option<i64>,
    pub output: Option<i64>,
    pub cached: Option<i64>,
    pub written: Option<i64>,
    pub reasoning: Option<i64>,
    pub total: Option<i64>,
    pub cost: Option<f64>,
}

impl Usage {
    fn known(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }

    /// Reads the usage of a message, in whichever form it has.
    pub(in super::super) fn of(message: &Message<'_>) -> Option<Self> {
        if let Node::Object(usage) = message.get("usage_metadata") {
            return langchain(usage);
        }
        let usage = message.get("usage").object()?;
        if usage.has("output_reasoning_tokens") || usage.has("cache_read_tokens") {
            pydantic_ai(usage)
        } else if usage.has("input_tokens_cache_read") || usage.has("input_tokens_cache_write") {
            Self::inspect(usage)
        } else if usage.has("prompt_tokens") || usage.has("input_tokens_details") {
            openai(usage)
        } else {
            let cached = usage.get("cache_read_input_tokens");
            beside(usage, cached, usage.get("cache_creation_input_tokens")).known()
        }
    }

    /// Reads Inspect's `ModelUsage`: cached tokens are not part of the input, but of the total.
    pub(in super::super) fn inspect(usage: &Object<'_>) -> Option<Self> {
        let cached = usage.get("input_tokens_cache_read");
        let beside = beside(usage, cached, usage.get("input_tokens_cache_write"));
        Self {
            reasoning: count(usage.get("reasoning_tokens")),
            total: count(usage.get("total_tokens")),
            cost: cost(usage.get("total_cost")),
            ..beside
        }
        .known()
    }
}

/// Reads a token count; `None` if it does not fit in a column.
fn count(value: &Node<'_>) -> Option<i64> {
    let Node::Number(digits) = value else {
        return None;
    };
    if is_integer(digits) {
        return digits.parse().ok().filter(|&count| count >= 0);
    }
    let value = number(digits);
    (value.fract() == 0.0 && (0.0..TOO_MANY).contains(&value)).then_some(value as i64)
}

fn cost(value: &Node<'_>) -> Option<f64> {
    match value {
        // Integers have no negative zero.
        Node::Number("-0") => Some(0.0),
        Node::Number(digits) => Some(number(digits)).filter(|cost| cost.is_finite()),
        _ => None,
    }
}

/// Reads a count from the details; unknown if there are no details.
fn details(details: &Node<'_>, name: &str) -> Option<i64> {
    details.object().and_then(|found| count(found.get(name)))
}

fn openai(usage: &Object<'_>) -> Option<Usage> {
    let (mut prompt, mut completion) = (usage.get("prompt_tokens"), usage.get("completion_tokens"));
    let (read, wrote) = if prompt.is_null() && completion.is_null() {
        (prompt, completion) = (usage.get("input_tokens"), usage.get("output_tokens"));
        (
            usage.get("input_tokens_details"),
            usage.get("output_tokens_details"),
        )
    } else {
        (
            usage.get("prompt_tokens_details"),
            usage.get("completion_tokens_details"),
        )
    };
    let counted = |name: &str, beside: &str| match read.object().map(|read| read.get(name)) {
        None | Some(Node::Null) => count(usage.get(beside)),
        Some(value) => count(value),
    };
    Usage {
        input: count(prompt),
        output: count(completion),
        cached: counted("cached_tokens", "cache_read_input_tokens"),
        written: counted("cache_write_tokens", "cache_creation_input_tokens"),
        reasoning: details(wrote, "reasoning_tokens"),
        total: count(usage.get("total_tokens")),
        cost: None,
    }
    .known()
}

fn langchain(usage: &Object<'_>) -> Option<Usage> {
    let (read, wrote) = (
        usage.get("input_token_details"),
        usage.get("output_token_details"),
    );
    Usage {
        input: count(usage.get("input_tokens")),
        output: count(usage.get("output_tokens")),
        cached: details(read, "cache_read"),
        written: details(read, "cache_creation"),
        reasoning: details(wrote, "reasoning"),
        total: count(usage.get("total_tokens")),
        cost: None,
    }
    .known()
}

/// Reads pydantic-ai's `RequestUsage`, which is all 0 if it is unknown.
fn pydantic_ai(usage: &Object<'_>) -> Option<Usage> {
    let known = ["input_tokens", "output_tokens", "cost"];
    if !known.iter().any(|name| usage.get(name).is_true()) {
        return None;
    }
    Usage {
        input: count(usage.get("input_tokens")),
        output: count(usage.get("output_tokens")),
        cached: count(usage.get("cache_read_tokens")),
        written: count(usage.get("cache_write_tokens")),
        reasoning: count(usage.get("output_reasoning_tokens")),
        total: None,
        cost: cost(usage.get("cost")),
    }
    .known()
}

/// Creates a usage from counts whose cached tokens are not part of the input.
fn beside(usage: &Object<'_>, cached: &Node<'_>, written: &Node<'_>) -> Usage {
    let (cached, written) = (count(cached), count(written));
    let input = count(usage.get("input_tokens")).and_then(|own| {
        own.checked_add(cached.unwrap_or(0))?
            .checked_add(written.unwrap_or(0))
    });
    Usage {
        input,
        output: count(usage.get("output_tokens")),
        cached,
        written,
        ..Usage::default()
    }
}
