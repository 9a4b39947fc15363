//! Tokens in logs of mini-swe-agent, under the names of each API.

use super::super::parser::Parser;
use super::fields::{Value, keys, object};

/// Tokens of a call, as one API or another names them.
#[derive(Clone, Copy, Default)]
pub(super) struct Tokens {
    seen: u16,
    prompt: Option<i64>,
    input: Option<i64>,
    completion: Option<i64>,
    output: Option<i64>,
    pub total: Option<i64>,
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

/// Kinds of tokens among those of a call.
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

    pub(super) fn input(&self) -> Option<i64> {
        if self.is_chat() {
            self.prompt
        } else {
            self.input
        }
    }

    pub(super) fn output(&self) -> Option<i64> {
        if self.is_chat() {
            self.completion
        } else {
            self.output
        }
    }

    fn read(&self) -> Option<Details> {
        if self.is_chat() {
            self.prompt_details
        } else {
            self.input_details
        }
    }

    pub(super) fn cached(&self) -> Option<i64> {
        self.read()
            .map_or(self.cache_read, |details| details.cached)
    }

    pub(super) fn written(&self) -> Option<i64> {
        self.read()
            .map_or(self.cache_creation, |details| details.written)
    }

    pub(super) fn reasoning(&self) -> Option<i64> {
        let wrote = if self.is_chat() {
            self.completion_details
        } else {
            self.output_details
        };
        wrote?.reasoning
    }
}
