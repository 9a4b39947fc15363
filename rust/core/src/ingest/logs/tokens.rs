//! Token counts in logs of mini-swe-agent, under the names of each API.

use super::super::parser::Parser;
use super::fields::{Value, keys, object};

/// Token counts of a call, under the names of either API.
#[derive(Clone, Copy, Default)]
pub(super) struct Tokens {
    seen: u16,
    prompt: Option<i64>,
    input: Option<i64>,
    completion: Option<i64>,
    output: Option<i64>,
    total: Option<i64>,
    prompt_details: Option<Details>,
    input_details: Option<Details>,
    completion_details: Option<Details>,
    output_details: Option<Details>,
    cache_read: Option<i64>,
    cache_creation: Option<i64>,
}

keys! { Tokens,
    "prompt_tokens", 0, value prompt;
    "input_tokens", 1, value input;
    "completion_tokens", 2, value completion;
    "output_tokens", 3, value output;
    "total_tokens", 4, value total;
    "prompt_tokens_details", 5, value prompt_details;
    "input_tokens_details", 6, value input_details;
    "completion_tokens_details", 7, value completion_details;
    "output_tokens_details", 8, value output_details;
    "cache_read_input_tokens", 9, value cache_read;
    "cache_creation_input_tokens", 10, value cache_creation;
}

/// Details: subtotals of the token counts of a call.
#[derive(Clone, Copy, Default)]
struct Details {
    seen: u16,
    cached: Option<i64>,
    written: Option<i64>,
    reasoning: Option<i64>,
}

keys! { Details,
    "cached_tokens", 0, value cached;
    "cache_write_tokens", 1, value written;
    "reasoning_tokens", 2, value reasoning;
}

macro_rules! whole {
    ($($type:ty),+) => {$(
        impl<'a> Value<'a> for $type {
            fn read(parser: &mut Parser<'a>) -> Option<Self> {
                let mut target = Self::default();
                object(parser, &mut target, false)?;
                Some(target)
            }
        }
    )+};
}

whole!(Tokens, Details);

impl Tokens {
    fn is_chat(&self) -> bool {
        self.prompt.is_some() || self.completion.is_some()
    }

    /// Chooses between the counts of the two APIs, by the one that the names belong to.
    fn of<T>(&self, of_chat: Option<T>, of_response: Option<T>) -> Option<T> {
        if self.is_chat() { of_chat } else { of_response }
    }

    pub(super) fn input(&self) -> Option<i64> {
        known(self.of(self.prompt, self.input))
    }

    pub(super) fn output(&self) -> Option<i64> {
        known(self.of(self.completion, self.output))
    }

    fn read(&self) -> Option<Details> {
        self.of(self.prompt_details, self.input_details)
    }

    /// Returns the cached tokens. `LiteLLM` adds cache counts beside the details, which may omit
    /// them.
    pub(super) fn cached(&self) -> Option<i64> {
        let detail = self.read().and_then(|details| details.cached);
        known(detail.or(self.cache_read))
    }

    pub(super) fn written(&self) -> Option<i64> {
        let detail = self.read().and_then(|details| details.written);
        known(detail.or(self.cache_creation))
    }

    pub(super) fn reasoning(&self) -> Option<i64> {
        let wrote = self.of(self.completion_details, self.output_details);
        known(wrote?.reasoning)
    }

    pub(super) fn total(&self) -> Option<i64> {
        known(self.total)
    }
}

/// Returns a token count; `None` if it is negative.
fn known(count: Option<i64>) -> Option<i64> {
    count.filter(|&count| count >= 0)
}
