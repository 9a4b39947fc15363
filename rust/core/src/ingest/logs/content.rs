//! The content of a message of a mini-swe-agent file: a text, or a list of parts.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::super::escapes::{Escapes, unescaped};
use super::super::parser::Parser;
use super::super::tree::Quoted;
use super::fields::{Value, keys, list};
use super::observations::{around_blocks, find};
use super::record::Printed;

/// The text of a message, with its parts joined by newlines. It is unescaped on demand.
#[derive(Default)]
pub(super) struct Content<'de> {
    whole: Option<Quoted<'de>>,
    text: OnceCell<String>,
    around_blocks: OnceCell<String>,
}

impl<'de> Content<'de> {
    pub(super) fn text(&self) -> &str {
        if let Some(whole) = self.whole.filter(|whole| whole.escapes == Escapes::Absent) {
            return whole.inside();
        }
        let text = || self.whole.and_then(Quoted::text).unwrap_or_default();
        self.text.get_or_init(|| text().into_owned())
    }

    /// Returns the escaped content of the string, if every JSON writer would write it like this.
    pub(super) fn written(&self) -> Option<&'de str> {
        self.whole.map(Quoted::inside)
    }

    /// Returns the text in the form in which it is stored.
    pub(super) fn printed(&self) -> Printed<'_> {
        match self.written() {
            Some(inside) => Printed::Escaped(inside),
            None => Printed::Text(self.text().into()),
        }
    }

    /// Returns the part of the text that contains all of its bash blocks.
    pub(super) fn around_blocks(&self) -> &str {
        let escaped = self.whole.filter(|whole| whole.escapes != Escapes::Absent);
        let Some(inside) = escaped.map(Quoted::inside) else {
            return self.text();
        };
        let part = || unescaped(around_blocks(inside)).unwrap_or_default();
        self.around_blocks.get_or_init(|| part().into_owned())
    }

    /// Returns whether the text contains a mark that JSON writes without escapes.
    pub(super) fn has(&self, mark: &str) -> bool {
        find(self.written().unwrap_or_else(|| self.text()), mark).is_some()
    }

    fn known(text: Cow<'_, str>) -> Self {
        Self {
            text: text.into_owned().into(),
            ..Self::default()
        }
    }
}

impl<'de> Value<'de> for Content<'de> {
    fn read(parser: &mut Parser<'de>) -> Option<Self> {
        match parser.peek()? {
            b'"' => {
                let whole = parser.quoted()?;
                if whole.escapes == Escapes::Other {
                    return whole.text().map(Self::known);
                }
                Some(Self {
                    whole: Some(whole),
                    ..Self::default()
                })
            }
            b'[' => {
                let mut parts: Vec<Part<'de>> = Vec::new();
                list(parser, &mut parts, false)?;
                let texts = parts.into_iter().filter_map(|part| part.text);
                Some(Self::known(joined(texts).unwrap_or_default()))
            }
            _ => parser.null()?.then(Self::default),
        }
    }
}

/// Joins texts with newlines; a single text is not copied.
pub(super) fn joined<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Option<Cow<'a, str>> {
    texts.reduce(|mut all, text| {
        let own = all.to_mut();
        own.push('\n');
        own.push_str(&text);
        all
    })
}

#[derive(Default)]
struct Part<'de> {
    seen: u16,
    text: Option<Cow<'de, str>>,
}

keys! { Part<'de>,
    "text", 0, value text;
}
