//! Results of tool calls, in every shape in which messages hold them.
//!
//! Every function returns `None` if the result is not certain to mean the same to the record
//! reader.

use super::super::certainty::Certain;
use super::super::tree::{Node, Object, Quoted};
use super::shapes::{Message, ResultValue, is_kind, kind_of, result_value};

const RESULT_PARTS: [&str; 4] = [
    "tool_call_response",
    "tool-return",
    "builtin-tool-return",
    "retry-prompt",
];

/// A result, and the call that it belongs to.
pub(super) struct CallResult<'n> {
    pub id: &'n Node<'n>,
    pub name: Option<Quoted<'n>>,
    pub value: Option<ResultValue<'n>>,
    pub success: Option<bool>,
    pub error: Option<Quoted<'n>>,
}

/// Reads a message that is the result of a call.
pub(super) fn of_message<'n>(message: &Message<'n>) -> Option<CallResult<'n>> {
    let (function, error) = (message.get("function").quoted(), message.get("error"));
    let success = if let Some(status) = message.get("status").quoted() {
        Some(!status.is("error"))
    } else if function.is_some() || !error.is_null() {
        Some(error.is_null())
    } else {
        message.get("role").is_null().then_some(true)
    };
    let error = match error {
        Node::Object(error) => error.get("message"),
        _ => error,
    };
    let value = if message.has("content") {
        Some(result_value(message.get("content"))?)
    } else {
        None
    };
    Some(CallResult {
        id: message.get("tool_call_id"),
        name: function.or_else(|| message.get("name").quoted()),
        value,
        success,
        error: error.quoted(),
    })
}

/// Reads the result of a call, if this part of a message is one.
pub(super) fn of_part<'n>(part: &'n Object<'n>) -> Certain<Option<CallResult<'n>>> {
    let kind = kind_of(part);
    // Half a surrogate pair is left to the record reader.
    let kind = kind.map_or(Some("".into()), Quoted::text)?;
    if kind.ends_with("tool_result") {
        let content = part.get("content").object();
        let of = content.and_then(kind_of);
        let is_odd = |of: Quoted<'_>| of.text().is_none_or(|of| of.ends_with("_error"));
        let is_of_langchain = ["tool_call_id", "output", "status"]
            .iter()
            .any(|key| part.has(key));
        let may_have_failed = content.is_some_and(|content| content.has("return_code"));
        if is_of_langchain || may_have_failed || of.is_some_and(is_odd) {
            return None;
        }
        return Some(Some(CallResult {
            id: part.get("tool_use_id"),
            name: None,
            value: Some(result_value(part.get("content"))?),
            success: Some(!part.get("is_error").is_true()),
            error: None,
        }));
    }
    if !is_kind(part, &RESULT_PARTS) {
        return Some(None);
    }
    let name = part.get("tool_name").or(part.get("name"));
    let content = part.find("response").unwrap_or_else(|| part.get("content"));
    let outcome = part.get("outcome");
    let success = if is_kind(part, &["retry-prompt"]) {
        if name.is_null() {
            return Some(None); // does not answer a call
        }
        Some(false)
    } else if outcome.is_null() {
        (!is_kind(part, &["tool_call_response"])).then_some(true)
    } else {
        Some(outcome.is("success"))
    };
    Some(Some(CallResult {
        id: part.get("tool_call_id").or(part.get("id")),
        name: name.quoted(),
        value: Some(result_value(content)?),
        success,
        error: None,
    }))
}

/// Reads a result that is a separate item of `OpenAI`'s Responses.
pub(super) fn of_item<'n>(item: &Message<'n>) -> Option<CallResult<'n>> {
    Some(CallResult {
        id: item.get("call_id").or(item.get("id")),
        name: None,
        value: Some(result_value(item.get("output"))?),
        success: None,
        error: None,
    })
}
