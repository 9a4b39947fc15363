//! The arguments of a call: a JSON value, an object written as a string, or text.

use std::borrow::Cow;

use super::super::escapes::json_text;
use super::super::parser::Parser;
use super::super::raw::{Uncertain, is_certain};
use super::super::tree::{Node, Object};
use crate::text::trim;

/// The key under which pydantic-ai keeps arguments that are not valid JSON.
pub(super) const UNREAD: &str = "INVALID_JSON";

/// The arguments of a call.
#[derive(Clone, Debug)]
pub(in super::super) enum Arguments<'n> {
    /// A JSON value, as written.
    Value(Cow<'n, Node<'n>>),
    /// An object that was written as a string.
    Parsed(Cow<'n, str>),
    /// Part of a text.
    Text(Cow<'n, str>),
}

/// Returns whether the first key of an object may be that of arguments that are not valid JSON.
fn may_be_unread(json: &str) -> bool {
    let key = json.split('"').nth(1);
    key.is_some_and(|key| key == UNREAD || key.contains('\\'))
}

impl<'n> Arguments<'n> {
    pub(super) const NONE: Self = Self::Value(Cow::Owned(Node::Null));

    pub(super) fn are_unknown(&self) -> bool {
        matches!(self, Self::Value(value) if value.is_null())
    }

    /// Reads arguments written as a string, which may hold an object; `None` if that is uncertain.
    pub(super) fn parsed(
        text: Cow<'n, str>,
        otherwise: impl FnOnce(Cow<'n, str>) -> Self,
    ) -> Option<Self> {
        if trim(&text).is_empty() {
            return Some(Self::Parsed(Cow::Borrowed("{}")));
        }
        if !text
            .trim_start_matches([' ', '\t', '\n', '\r'])
            .starts_with('{')
        {
            return Some(otherwise(text));
        }
        let mut parser = Parser::new(&text);
        let is_json = parser.skip().is_some() && parser.is_at_end();
        let is_beyond = parser.is_beyond();
        if is_json {
            let is_plain = is_certain(&text) && !may_be_unread(&text);
            return is_plain.then_some(Self::Parsed(text));
        }
        (!is_beyond).then(|| otherwise(text))
    }

    pub(super) fn of(value: &'n Node<'n>) -> Option<Self> {
        match value {
            Node::Text(text) => Self::parsed(text.text()?, |_| Self::Value(Cow::Borrowed(value))),
            Node::Object(object) => match &object.members[..] {
                [(key, unread @ Node::Text(_))] if key.is(UNREAD) => {
                    Some(Self::Value(Cow::Borrowed(unread)))
                }
                _ => Some(Self::Value(Cow::Borrowed(value))),
            },
            _ => Some(Self::Value(Cow::Borrowed(value))),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
            || matches!(self, Self::Value(value) if value.quoted().is_some())
    }

    /// Returns the arguments as JSON; `None` if there are none.
    pub(super) fn json(&self) -> Result<Option<Cow<'_, str>>, Uncertain> {
        match self {
            Self::Value(value) if value.is_null() => Ok(None),
            Self::Value(value) => value.json().map(Some).ok_or(Uncertain),
            Self::Parsed(json) => Ok(Some(Cow::Borrowed(json))),
            Self::Text(text) => Ok(Some(Cow::Owned(json_text(text)))),
        }
    }

    /// Applies `read` to the arguments as an object, or `otherwise` to arguments that are text.
    pub(super) fn read<T>(
        &self,
        read: impl Fn(&Object<'_>) -> Result<Option<T>, Uncertain>,
        otherwise: impl FnOnce(Cow<'_, str>) -> Option<T>,
    ) -> Result<Option<T>, Uncertain> {
        let text = match self {
            Self::Value(value) => match &**value {
                Node::Object(object) => return read(object),
                // The input of a tool that takes text may hold an object nevertheless.
                Node::Text(text) => {
                    let parsed = Self::parsed(text.certain()?, Self::Text);
                    match parsed.ok_or(Uncertain)? {
                        Self::Parsed(json) => json,
                        _ => return Ok(otherwise(text.certain()?)),
                    }
                }
                _ => return Ok(None),
            },
            Self::Parsed(json) => Cow::Borrowed(&**json),
            Self::Text(text) => return Ok(otherwise(Cow::Borrowed(text))),
        };
        match Parser::new(&text).value() {
            Some(Node::Object(object)) => read(&object),
            _ => Err(Uncertain),
        }
    }
}
