//! What the model said and called, in messages and in items of the Responses API.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::super::objects::{Into, Item, List, Object, next_object, once};
use super::super::value::{Kept, Raw, Text};
use super::run::{Content, keys};

/// One of several answers.
#[derive(Default)]
pub(super) struct Choice<'de> {
    seen: u16,
    pub message: Said<'de>,
}

keys! { Choice<'de>,
    "message", 0, object message;
}

impl<'de> Item<'de> for Choice<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        next_object(list)
    }
}

/// Those of a response; only the first is looked at.
#[derive(Default)]
pub(super) struct Choices<'de>(pub Vec<Choice<'de>>);

impl<'de> Deserialize<'de> for Choices<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Vec::new();
        let list = List {
            values: &mut values,
            nullable: true,
        };
        serde::de::DeserializeSeed::deserialize(list, deserializer)?;
        Ok(Self(values))
    }
}

/// An answer, with the calls in it.
#[derive(Default)]
pub(super) struct Said<'de> {
    seen: u16,
    content: Content<'de>,
    pub calls: Vec<Called<'de>>,
}

keys! { Said<'de>,
    "content", 0, value content;
    "tool_calls", 1, list calls;
}

impl Said<'_> {
    pub(super) fn text(&self) -> &str {
        self.content.text()
    }
}

/// A call as it was written, or another item of a response.
#[derive(Default)]
pub(super) struct Called<'de> {
    seen: u16,
    kind: Option<Text<'de>>,
    content: Content<'de>,
    id: Option<Text<'de>>,
    call: Option<Text<'de>>,
    name: Option<Text<'de>>,
    arguments: Option<Kept<'de>>,
    function: Function<'de>,
}

const FUNCTION: u8 = 6;

keys! { Called<'de>,
    "type", 0, value kind;
    "content", 1, value content;
    "id", 2, value id;
    "call_id", 3, value call;
    "name", 4, value name;
    "arguments", 5, value arguments;
    "function", 6, value function;
}

impl<'de> Item<'de> for Called<'de> {
    fn next<A: SeqAccess<'de>>(list: &mut A) -> Result<Option<Self>, A::Error> {
        next_object(list)
    }
}

impl<'de> Called<'de> {
    /// The id of a call, the name of what is called, and the arguments as JSON, if it is a call.
    #[allow(clippy::type_complexity)]
    pub(super) fn into_call(
        self,
    ) -> Option<(Option<Cow<'de, str>>, Cow<'de, str>, Option<&'de str>)> {
        let call = self.call.filter(|id| !id.0.is_empty());
        let id = call.or(self.id).map(|id| id.0);
        let (name, arguments) = if self.seen & (1 << FUNCTION) == 0 {
            (self.name, self.arguments)
        } else {
            (self.function.name, self.function.arguments)
        };
        Some((id, name?.0, arguments.map(|kept| kept.0)))
    }
}

/// What is called, where the id stands outside.
#[derive(Default)]
struct Function<'de> {
    seen: u16,
    name: Option<Text<'de>>,
    arguments: Option<Kept<'de>>,
}

keys! { Function<'de>,
    "name", 0, value name;
    "arguments", 1, value arguments;
}

impl<'de> Deserialize<'de> for Function<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut target = Self::default();
        let whole = Into {
            target: &mut target,
            nullable: true,
        };
        serde::de::DeserializeSeed::deserialize(whole, deserializer)?;
        Ok(target)
    }
}

/// What stands under `output`: the text of an observation, or items.
#[derive(Default)]
pub(super) enum Output<'de> {
    /// Neither.
    #[default]
    Nothing,
    Text(Cow<'de, str>),
    Items(Vec<Called<'de>>),
}

impl Output<'_> {
    /// What its messages say.
    pub(super) fn said(&self) -> Cow<'_, str> {
        let Self::Items(items) = self else {
            return Cow::default();
        };
        let is_message =
            |item: &&Called<'_>| item.kind.as_ref().is_some_and(|kind| kind.0 == "message");
        let mut said = items
            .iter()
            .filter(is_message)
            .map(|item| item.content.text());
        let first = said.next().unwrap_or_default();
        let others: Vec<&str> = said.collect();
        if others.is_empty() {
            return first.into();
        }
        [&[first], &others[..]].concat().join("\n").into()
    }
}

impl<'de> Deserialize<'de> for Output<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Output<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text, or a list of items")
            }

            fn visit_unit<E: Error>(self) -> Result<Output<'de>, E> {
                Ok(Output::Nothing)
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Output<'de>, E> {
                Ok(Output::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Output<'de>, E> {
                Ok(Output::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Output<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = Called::next(&mut list)? {
                    items.push(item);
                }
                Ok(Output::Items(items))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
