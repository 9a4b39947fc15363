//! The shapes in which programs write messages: their texts and their results.

use std::borrow::Cow;

use super::super::escapes::unescaped;
use super::super::tree::{Node, Object, Quoted, number};

/// A message, with the envelope that supplies the keys that it lacks.
pub(in super::super) struct Message<'n> {
    own: &'n Object<'n>,
    around: [(&'static str, &'n Node<'n>); 2],
}

static NULL: Node<'static> = Node::Null;

impl<'n> Message<'n> {
    pub(super) fn plain(own: &'n Object<'n>) -> Self {
        let around = [("", &NULL); 2];
        Self { own, around }
    }

    /// Unwraps a message from `LangChain`'s envelope or from `OpenAI`'s answer.
    pub(super) fn unwrapped(message: &'n Object<'n>) -> Self {
        let plain = Self::plain(message);
        if let Some(data) = message.get("data").object().filter(|d| d.has("content")) {
            let around = [("type", message.get("type")), ("", &NULL)];
            return Self { own: data, around };
        }
        if is_one(message.get("lc")) {
            if let Some(kwargs) = message.get("kwargs").object() {
                return Self::plain(kwargs);
            }
        }
        let choices = message.get("choices").list().unwrap_or_default();
        let answer = choices
            .first()
            .and_then(|choice| choice.object()?.get("message").object());
        match answer {
            Some(own) if message.get("role").is_null() => {
                let usage = ("usage", message.get("usage"));
                let model = ("model", message.get("model"));
                let around = [usage, model];
                Self { own, around }
            }
            _ => plain,
        }
    }

    pub(in super::super) fn get(&self, key: &str) -> &'n Node<'n> {
        let around = || {
            let mut around = self.around.iter();
            around
                .find(|(name, _)| *name == key)
                .map(|(_, value)| *value)
        };
        self.own.find(key).or_else(around).unwrap_or(&NULL)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.own.has(key) || self.around.iter().any(|(name, _)| *name == key)
    }

    /// Returns the message as an object; `None` if it needs keys of its envelope.
    pub(super) fn bare(&self) -> Option<&'n Object<'n>> {
        let takes = self.around.iter().any(|(name, _)| !name.is_empty());
        (!takes).then_some(self.own)
    }

    /// Returns the content of the message, or the parts that it has instead.
    pub(super) fn content(&self) -> &'n Node<'n> {
        match self.get("content") {
            Node::Null => self.get("parts"),
            content => content,
        }
    }

    /// Returns the model that an answer names as its own.
    pub(super) fn model(&self) -> Option<Quoted<'n>> {
        let model = self.get("model").or(self.get("model_name"));
        match (model, self.get("response_metadata")) {
            (Node::Null, Node::Object(about)) => about.get("model_name").quoted(),
            _ => model.quoted(),
        }
    }
}

/// Returns whether a value equals 1 in Python.
pub(in super::super) fn is_one(value: &Node<'_>) -> bool {
    match value {
        Node::Boolean(value) => *value,
        Node::Number(digits) => number(digits).total_cmp(&1.0).is_eq(),
        _ => false,
    }
}

/// Returns the type of a part of a message, if it has one.
pub(super) fn kind_of<'n>(part: &'n Object<'n>) -> Option<Quoted<'n>> {
    part.get("type").or(part.get("part_kind")).quoted()
}

pub(super) fn is_kind(part: &Object<'_>, kinds: &[&str]) -> bool {
    kind_of(part).is_some_and(|kind| kinds.iter().any(|each| kind.is(each)))
}

const TEXTS: [&str; 3] = ["text", "output_text", "input_text"];

/// Returns the texts of a message's content, without reasoning and without empty texts.
pub(super) fn content_texts<'n>(content: &'n Node<'n>) -> Vec<Quoted<'n>> {
    let mut texts = Vec::new();
    match content {
        Node::Text(text) => texts.push(*text),
        Node::List(parts) => texts.extend(parts.items.iter().filter_map(part_text)),
        _ => {}
    }
    texts.retain(|text| !text.is_empty());
    texts
}

fn part_text<'n>(part: &'n Node<'n>) -> Option<Quoted<'n>> {
    match part {
        Node::Text(text) => Some(*text),
        Node::Object(part) if is_kind(part, &TEXTS) => match part.get("text") {
            Node::Null => part.get("content").quoted(),
            text => text.quoted(),
        },
        Node::Object(part) if is_kind(part, &["refusal"]) => part.get("refusal").quoted(),
        _ => None,
    }
}

/// The result of a tool, as JSON.
#[derive(Clone, Debug)]
pub(in super::super) struct ResultValue<'n> {
    pub json: Cow<'n, str>,
}

impl ResultValue<'_> {
    pub(super) fn is_text(&self) -> bool {
        self.json.starts_with('"')
    }

    /// Returns the content of the JSON string, without its quotes.
    pub(super) fn inside(&self) -> &str {
        &self.json[1..self.json.len() - 1]
    }

    /// Returns the text; `None` if it contains half a surrogate pair.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        unescaped(self.inside())
    }
}

const BYTES: [&str; 11] = [
    "audio",
    "base64",
    "blob",
    "data",
    "file",
    "file_data",
    "image",
    "image_url",
    "input_audio",
    "source",
    "video",
];

/// Types of images, then of audio, then of files.
const WITHOUT_BYTES: [&str; 7] = [
    "image_url",
    "input_image",
    "output_image",
    "computer_screenshot",
    "input_audio",
    "input_file",
    "document",
];

/// Returns whether a part is a pydantic-ai file, with its bytes or a URL, about which the record
/// reader keeps more.
fn is_file(part: &Object<'_>) -> bool {
    let kind = part.get("kind");
    (kind.is("binary") && part.has("data"))
        || (LINKED.iter().any(|linked| kind.is(linked)) && part.has("url"))
}

/// Kinds of pydantic-ai's files that are URLs.
const LINKED: [&str; 4] = ["audio-url", "document-url", "image-url", "video-url"];

/// Returns the result of a tool: a text if it is only text, otherwise parts, without binary data.
pub(super) fn result_value<'n>(content: &'n Node<'n>) -> Option<ResultValue<'n>> {
    let json = match content {
        Node::Null => Cow::Borrowed("\"\""),
        Node::Object(own) if is_kind(own, &WITHOUT_BYTES) || is_file(own) => return None,
        Node::List(parts) if parts.items.iter().filter_map(Node::object).any(is_file) => {
            return None;
        }
        Node::List(parts) => {
            let parts: Vec<Part<'n>> = parts.items.iter().map(part).collect();
            let texts: Option<Vec<Quoted<'n>>> = parts.iter().map(Part::text).collect();
            match texts.as_deref() {
                Some([text]) => Cow::Borrowed(text.json),
                Some(texts) => {
                    let inside: Vec<&str> = texts.iter().map(|text| text.inside()).collect();
                    Cow::Owned(format!("\"{}\"", inside.join("\\n")))
                }
                None => {
                    let parts: Option<Vec<_>> = parts.iter().map(Part::json).collect();
                    Cow::Owned(format!("[{}]", parts?.join(", ")))
                }
            }
        }
        Node::Text(text) => Cow::Borrowed(text.json),
        other => other.json()?,
    };
    Some(ResultValue { json })
}

/// A part of a result.
enum Part<'n> {
    Text(Quoted<'n>),
    /// An image, audio or a file, of which only the kind is kept.
    Kind(String),
    Plain(&'n Node<'n>),
}

fn part<'n>(node: &'n Node<'n>) -> Part<'n> {
    let Node::Object(part) = node else {
        return Part::Plain(node);
    };
    if is_kind(part, &TEXTS) {
        if let Node::Text(text) = part.get("text") {
            return Part::Text(*text);
        }
    }
    match kind_of(part) {
        Some(kind) if !kind.is_empty() && BYTES.iter().any(|key| part.has(key)) => {
            let short = match WITHOUT_BYTES.iter().position(|each| kind.is(each)) {
                Some(0..=3) => "\"image\"",
                Some(4) => "\"audio\"",
                Some(_) => "\"file\"",
                None => kind.json,
            };
            Part::Kind(format!("{{\"type\": {short}}}"))
        }
        _ => Part::Plain(node),
    }
}

impl<'n> Part<'n> {
    /// Returns the text of the part, if it is only text.
    fn text(&self) -> Option<Quoted<'n>> {
        match self {
            Self::Text(text) | Self::Plain(Node::Text(text)) => Some(*text),
            Self::Plain(Node::Object(part)) => {
                let is_known = |key: &Quoted<'_>| key.is("type") || key.is("text");
                let is_text = part.has("type") && part.members.iter().all(|(key, _)| is_known(key));
                is_text.then(|| part.get("text").quoted()).flatten()
            }
            _ => None,
        }
    }

    fn json(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Owned(format!(
                "{{\"type\": \"text\", \"text\": {}}}",
                text.json
            ))),
            Self::Kind(json) => Some(Cow::Borrowed(json)),
            Self::Plain(node) => node.json(),
        }
    }
}
