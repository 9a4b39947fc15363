//! The outcome of a sample: the limit or the error that ended it, and its scores.

use super::super::Row;
use super::super::certainty::require;
use super::super::messages::{is_one, may_hold_secret, write_failure};
use super::super::raw::is_certain;
use super::super::tree::{Node, Object, is_integer, number};
use super::Log;
use super::events::Events;
use super::sample::Sample;

const NO_BUDGET: [&str; 2] = ["operator", "custom"];

const TOO_LONG: [&str; 7] = [
    "context length",
    "context limit",
    "context window",
    "context_length_exceeded",
    "context_window_exceeded",
    "contextwindowexceeded",
    "prompt is too long",
];

/// Writes the limit that ended a sample, or its error.
pub(super) fn write_end(row: &mut Row<'_>, sample: &Sample<'_>) -> Option<()> {
    let places = &row.places.messages;
    let index = row.index;
    let column = &mut row.columns[places.failure];
    let (reason, message) = if let Some(Node::Object(limit)) = &sample.limit {
        let kind = limit.get("type").quoted()?.text()?;
        let message = match limit.get("reason").quoted() {
            Some(reason) if !reason.is_empty() => reason.text()?.into_owned(),
            _ => format!("{kind} limit of {}", shown(limit.get("limit"))?),
        };
        let reason = if NO_BUDGET.contains(&&*kind) {
            kind.into_owned()
        } else if kind == "turn" {
            "max_turns_exceeded".to_owned()
        } else {
            "budget_exhausted".to_owned()
        };
        (reason, Some(message))
    } else if let Some(Node::Object(error)) = &sample.error {
        let message = match error.get("message").quoted() {
            Some(message) if !message.is_empty() => Some(message.text()?.into_owned()),
            _ => None,
        };
        let is_too_long = match &message {
            Some(message) => is_too_long(message)?,
            None => false,
        };
        let reason = if is_too_long {
            "budget_exhausted"
        } else {
            "error"
        };
        (reason.to_owned(), message)
    } else {
        return Some(());
    };
    write_failure(column, index, places, &reason, message.as_deref())
}

/// Returns whether an error says that a prompt is too long; `None` if only Python can lowercase it.
fn is_too_long(message: &str) -> Option<bool> {
    if !message.is_ascii() {
        return None;
    }
    let plain = message.to_ascii_lowercase();
    Some(TOO_LONG.iter().any(|sign| plain.contains(sign)))
}

/// Formats a value as Python's `str` does.
fn shown(value: &Node<'_>) -> Option<String> {
    /// Python writes other doubles with an exponent.
    const PLAIN: std::ops::Range<f64> = 1e-4..1e16;
    match value {
        Node::Null => Some("None".to_owned()),
        Node::Number(digits) if is_integer(digits) && *digits != "-0" => Some((*digits).to_owned()),
        Node::Number(digits) => {
            let value = number(digits);
            PLAIN.contains(&value).then(|| format!("{value:?}"))
        }
        Node::Text(text) => text.text().map(std::borrow::Cow::into_owned),
        _ => None,
    }
}

/// Writes the scores of a sample, whether it passed, and its metadata.
pub(super) fn write_scores(
    row: &mut Row<'_>,
    sample: &Sample<'_>,
    log: &Log,
    events: &Events<'_>,
) -> Option<()> {
    let (index, places) = (row.index, &row.places.messages);
    let scores = sample.scores.as_ref().and_then(Node::object);
    // If a score is listed twice, the record reader decides which one counts.
    require(scores.is_none_or(Object::has_distinct_keys))?;
    let mut values = Vec::new();
    for (name, score) in scores.map_or(&[][..], |scores| &scores.members) {
        if let Some(score) = score.object().filter(|score| !score.members.is_empty()) {
            values.push((name.json, score.get("value")));
        }
    }
    if let [(_, value)] = &values[..] {
        let passed = match value {
            Node::Text(text) if text.is("C") => Some(true),
            Node::Text(text) if text.is("I") => Some(false),
            Node::Boolean(_) | Node::Number(_) if is_one(value) => Some(true),
            Node::Boolean(_) | Node::Number(_) if !value.is_true() => Some(false),
            _ => None,
        };
        if let Some(passed) = passed {
            require(row.columns[places.passed].boolean(index, passed))?;
        }
    }
    // Whether the attachments expand too far must not depend on the wanted columns.
    let about = match &sample.metadata {
        Some(about) => events.whole(about.clone())?,
        None => Node::Null,
    };
    let column = &mut row.columns[places.metadata];
    if !column.is_wanted() {
        return Some(());
    }
    let mut scores = Vec::new();
    for (name, value) in &values {
        scores.push(format!("{name}: {}", value.json()?));
    }
    let about = match about {
        Node::Null => "{}".into(),
        Node::Object(_) => about.json()?,
        _ => return None,
    };
    require(!may_hold_secret(&about))?;
    let json = format!(
        "{{\"task\": {}, \"exit_status\": {}, \"scores\": {{{}}}, \"sample\": {about}}}",
        log.task,
        log.status,
        scores.join(", "),
    );
    require(is_certain(&json) && column.text(index, &json))
}
