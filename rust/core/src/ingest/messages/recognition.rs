//! Recognition of lists that certainly hold messages.

use super::super::tree::{Node, Object, Quoted};
use super::shapes::is_one;

/// Number of values at the beginning of a list that must be messages.
const FEW: usize = 3;

const ROLES: [&str; 9] = [
    "assistant",
    "developer",
    "function",
    "model",
    "system",
    "tool",
    "user",
    "ai",
    "human",
];

pub(super) const CONTENTS: [&str; 4] = ["content", "parts", "tool_calls", "function_call"];

const LANGCHAIN: [&str; 7] = [
    "ai", "chat", "function", "human", "remove", "system", "tool",
];

/// Keys that identify a result of `AutoGen`.
const OF_AUTOGEN: [&str; 3] = ["source", "models_usage", "type"];

/// Returns whether a message may belong to a result of `AutoGen`.
pub(super) fn is_of_autogen(message: &Object<'_>) -> bool {
    OF_AUTOGEN.iter().all(|key| message.has(key))
}

/// Returns whether a list certainly holds messages.
pub(super) fn begins_with_messages(values: &[Node<'_>]) -> bool {
    let few = &values[..values.len().min(FEW)];
    !few.is_empty() && few.iter().all(is_message)
}

/// Returns whether a value certainly has the shape of a message.
fn is_message(value: &Node<'_>) -> bool {
    let Node::Object(message) = value else {
        return false;
    };
    let is_any = |value: &Node<'_>, names: &[&str]| names.iter().any(|name| value.is(name));
    if message.get("role").quoted().is_some() {
        let has_content = CONTENTS.iter().any(|key| message.has(key));
        return is_any(message.get("role"), &ROLES) && has_content && !has_untyped_parts(message);
    }
    let kind = message.get("type");
    if message.has("kind") {
        return false;
    }
    if message.has("lc") {
        return is_one(message.get("lc")) && message.get("kwargs").object().is_some();
    }
    if kind.is("reasoning") && message.get("summary").list().is_some() {
        return true;
    }
    if is_any(kind, &LANGCHAIN) {
        return message.get("data").object().is_some() || message.has("content");
    }
    let ends = |text: &str| text.ends_with("_call") || text.ends_with("_call_output");
    let is_item = kind
        .quoted()
        .and_then(Quoted::text)
        .is_some_and(|kind| ends(&kind));
    is_item && (message.has("call_id") || message.has("id"))
}

/// Returns whether a message has parts of unnamed types, as in the contents of Gemini.
fn has_untyped_parts(message: &Object<'_>) -> bool {
    let first = message.get("parts").list().and_then(<[_]>::first);
    first
        .and_then(Node::object)
        .is_some_and(|part| !part.has("type") && !part.has("part_kind") && !message.has("content"))
}
