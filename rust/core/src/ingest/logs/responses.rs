//! Answers and calls of the model, in messages and in items of the Responses API.

use std::borrow::Cow;

use super::super::parser::Parser;
use super::content::{Content, joined};
use super::fields::{Kept, Value, keys, list};

/// One of several answers.
#[derive(Default)]
pub(super) struct Choice<'de> {
    seen: u16,
    pub message: Said<'de>,
}

keys! { Choice<'de>,
    "message", 0, object message;
}

/// The answers of a response, only the first of which is used.
#[derive(Default)]
pub(super) struct Choices<'de>(pub Vec<Choice<'de>>);

impl<'de> Value<'de> for Choices<'de> {
    fn read(parser: &mut Parser<'de>) -> Option<Self> {
        let mut values = Vec::new();
        list(parser, &mut values, true)?;
        Some(Self(values))
    }
}

/// An answer, with its calls.
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

/// A call as written, or another item of a response.
#[derive(Default)]
pub(super) struct Called<'de> {
    seen: u16,
    kind: Option<Cow<'de, str>>,
    content: Content<'de>,
    id: Option<Cow<'de, str>>,
    call: Option<Cow<'de, str>>,
    name: Option<Cow<'de, str>>,
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
    "function", 6, object function;
}

impl<'de> Called<'de> {
    /// Returns the call that the item asks for, if it is one.
    pub(super) fn into_call(self) -> Option<Requested<'de>> {
        let call = self.call.filter(|id| !id.is_empty());
        let id = call.or(self.id);
        let (name, arguments) = if self.seen & (1 << FUNCTION) == 0 {
            (self.name, self.arguments)
        } else {
            (self.function.name, self.function.arguments)
        };
        Some(Requested {
            id,
            name: name?,
            arguments: arguments.map(|kept| kept.0),
        })
    }
}

/// A call that a response asks for.
pub(super) struct Requested<'de> {
    pub id: Option<Cow<'de, str>>,
    /// The name of the tool.
    pub name: Cow<'de, str>,
    /// The arguments, as JSON.
    pub arguments: Option<&'de str>,
}

/// The function of a call whose id is outside of it.
#[derive(Default)]
struct Function<'de> {
    seen: u16,
    name: Option<Cow<'de, str>>,
    arguments: Option<Kept<'de>>,
}

keys! { Function<'de>,
    "name", 0, value name;
    "arguments", 1, value arguments;
}

/// The value of `output`: the text of an observation, or items.
#[derive(Default)]
pub(super) enum Output<'de> {
    /// Neither.
    #[default]
    Nothing,
    Text(Cow<'de, str>),
    Items(Vec<Called<'de>>),
}

impl Output<'_> {
    /// Returns the text of its messages.
    pub(super) fn said(&self) -> Cow<'_, str> {
        let Self::Items(items) = self else {
            return Cow::default();
        };
        let is_message =
            |item: &&Called<'_>| item.kind.as_ref().is_some_and(|kind| *kind == "message");
        let said = items.iter().filter(is_message);
        joined(said.map(|item| item.content.text().into())).unwrap_or_default()
    }
}

impl<'de> Value<'de> for Output<'de> {
    fn read(parser: &mut Parser<'de>) -> Option<Self> {
        Some(match parser.peek()? {
            b'"' => Self::Text(parser.quoted()?.text()?),
            b'[' => {
                let mut items = Vec::new();
                list(parser, &mut items, false)?;
                Self::Items(items)
            }
            _ => return parser.null()?.then_some(Self::Nothing),
        })
    }
}
