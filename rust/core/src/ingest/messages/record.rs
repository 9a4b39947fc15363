//! Rows with their messages under `messages`, as in data sets and fine-tuning files.

use std::borrow::Cow;
use std::path::Path;

use super::super::Row;
use super::super::certainty::Certain;
use super::super::parser::Parser;
use super::super::raw::{Uncertain, is_certain};
use super::super::tree::{Node, Object, Quoted, is_integer};
use super::columns::write_text;
use super::conversation::Conversation;
use super::instances::is_instance;
use super::recognition::{begins_with_messages, is_of_autogen};
use super::shapes::is_one;
use super::target::{Nothing, Target};
use super::usage::Usage;

pub(super) const MESSAGES: &str = "messages";

const TASKS: [&str; 3] = ["task_id", "instance_id", "id"];
pub(super) const AGENTS: [&str; 2] = ["agent", "agent_name"];
pub(super) const MODELS: [&str; 3] = ["model", "model_name", "model_name_or_path"];
pub(super) const ATTEMPTS: [&str; 3] = ["attempt", "trajectory_id", "run_id"];
const PATCHES: [&str; 3] = ["model_patch", "final_patch", "generated_patch"];
const PASSED: [&str; 2] = ["passed", "resolved"];
pub(super) const STATUS: &str = "exit_status";

const SUFFIXES: [&str; 4] = [".gz", ".zst", ".jsonl", ".json"];

/// Words in the names of secrets, and the scheme before an HTTP token.
const SECRETS: [&str; 9] = [
    "authoriz",
    "bearer",
    "cookie",
    "credential",
    "key",
    "pass",
    "pwd",
    "secret",
    "token",
];
/// Words that mark a secret only if no letter follows them.
const SECRET_ENDS: [&str; 2] = ["auth", "pat"];

/// Reads a row into the columns. Returns `None` if it is refused, in which case the row may be
/// partly written.
pub(in super::super) fn read(row: &mut Row<'_>, line: &str) -> Option<()> {
    let Node::Object(record) = parsed(line)? else {
        return None;
    };
    let is_ours = !may_be_foreign(row, &record, &SHARED);
    let own = with_list(record.get(MESSAGES), |messages| {
        (is_ours && are_certain(&record, messages)).then(|| converse(row, messages))?
    })?;
    write_rest(row, &record, own)?;
    row.source::<serde_json::Error>().ok()
}

/// Reads a list of messages that is an attempt by itself; refuses it as [`read`] does.
pub(in super::super) fn read_list(row: &mut Row<'_>, text: &str) -> Option<()> {
    let list = parsed(text)?;
    let messages = list.list()?;
    if !begins_with_messages(messages) {
        return None;
    }
    let model = converse(row, messages)?;
    let task = name_of(&row.file)?;
    let (index, places) = (row.index, row.places);
    write_text(&mut row.columns[places.task_id], index, &task)?;
    if let Some(model) = model {
        write_text(&mut row.columns[places.model], index, &model)?;
    }
    row.source::<serde_json::Error>().ok()
}

/// Parses a text that is a single value.
pub(super) fn parsed(text: &str) -> Option<Node<'_>> {
    let mut parser = Parser::new(text.trim_start_matches('\u{feff}'));
    let value = parser.value()?;
    parser.is_at_end().then_some(value)
}

/// Calls a function with a list, or with one that is written as text.
pub(super) fn with_list<T>(
    value: &Node<'_>,
    call: impl FnOnce(&[Node<'_>]) -> Option<T>,
) -> Option<T> {
    let Node::Text(text) = value else {
        return call(value.list()?);
    };
    let text = text.text().filter(|text| text.starts_with("[{"))?;
    call(parsed(&text)?.list()?)
}

/// Writes the conversation, and returns the model if it is named.
pub(super) fn converse(row: &mut Row<'_>, messages: &[Node<'_>]) -> Certain<Option<String>> {
    let keeps_transcript = row.columns[row.places.messages.transcript].is_wanted();
    let mut conversation = Conversation::new(Usage::of, keeps_transcript);
    for message in messages {
        conversation.add(message)?;
    }
    let mut target = Target {
        columns: row.columns,
        row: row.index,
        turns: row.places.turns,
        turn_views: row.places.turn_views,
        turn_view: &row.places.turn_view,
        places: &row.places.messages,
    };
    target.write(&mut conversation, &Nothing)?;
    Some(conversation.model()?.map(Cow::into_owned))
}

/// Keys of other formats that rows of messages may also have.
const SHARED: [&str; 3] = [MESSAGES, "model_patch", "task_id"];

/// Returns whether a key of a row, other than those `shared`, may be that of another format.
pub(super) fn may_be_foreign(row: &Row<'_>, record: &Object<'_>, shared: &[&str]) -> bool {
    record.members.iter().any(|(key, _)| {
        key.text()
            .is_none_or(|key| row.foreign.contains(&*key) && !shared.contains(&&*key))
    })
}

/// Returns whether a record certainly holds a list of messages and has no other format.
fn are_certain(record: &Object<'_>, messages: &[Node<'_>]) -> bool {
    let Some(Node::Object(first)) = messages.first() else {
        return false;
    };
    begins_with_messages(messages) && !is_of_autogen(first) && !is_instance(record)
}

/// Writes the identity and the outcome of the attempt, and the keys that have no column.
fn write_rest(row: &mut Row<'_>, record: &Object<'_>, own: Option<String>) -> Option<()> {
    let mut used = vec![MESSAGES];
    write_identity(row, record, own, &mut used)?;
    let (index, places) = (row.index, row.places);
    let passed = PASSED
        .into_iter()
        .find_map(|name| Some((name, truth(record.get(name))?)));
    if let Some((name, passed)) = passed {
        used.push(name);
        if !row.columns[places.messages.passed].boolean(index, passed) {
            return None;
        }
    }
    if let Node::Text(status) = record.get(STATUS) {
        used.push(STATUS);
        status.text()?;
        let json = format!("{{\"{STATUS}\": {}}}", status.json);
        write_text(&mut row.columns[places.messages.metadata], index, &json)?;
    }
    if row.columns[places.extra].is_wanted() {
        if let Some(extra) = extra(record, &used).ok()? {
            if may_hold_secret(&extra) {
                return None;
            }
            write_text(&mut row.columns[places.extra], index, &extra)?;
        }
    }
    Some(())
}

/// Writes the texts that name the attempt, and its patch; adds their keys to `used`.
fn write_identity(
    row: &mut Row<'_>,
    record: &Object<'_>,
    own: Option<String>,
    used: &mut Vec<&'static str>,
) -> Option<()> {
    let mut first = |names: &[&'static str]| -> Result<Option<String>, Uncertain> {
        for name in names {
            if let Some(text) = text_of(record.get(name))? {
                used.push(name);
                return Ok(Some(text));
            }
        }
        Ok(None)
    };
    let task = match first(&TASKS).ok()? {
        Some(task) => task,
        None => name_of(&row.file)?,
    };
    let agent = first(&AGENTS).ok()?;
    let model = first(&MODELS).ok()?;
    let attempt = first(&ATTEMPTS).ok()?;
    let patch = first(&PATCHES).ok()?;
    let (index, places) = (row.index, row.places);
    for (place, value) in [
        (places.task_id, Some(task)),
        (places.messages.agent, agent),
        (places.model, model.or(own)),
        (places.messages.attempt, attempt),
        (places.final_patch, patch),
    ] {
        if let Some(value) = value {
            write_text(&mut row.columns[place], index, &value)?;
        }
    }
    Some(())
}

/// Returns a text, an integer or a boolean as Python formats it; `None` for any other value.
fn text_of(value: &Node<'_>) -> Result<Option<String>, Uncertain> {
    Ok(Some(match value {
        Node::Text(text) => text.certain()?.into_owned(),
        Node::Number(digits) if is_integer(digits) => whole(digits)?,
        Node::Boolean(value) => if *value { "True" } else { "False" }.to_owned(),
        _ => return Ok(None),
    }))
}

/// Formats an integer as Python does.
fn whole(digits: &str) -> Result<String, Uncertain> {
    if digits == "-0" {
        return Err(Uncertain);
    }
    Ok(digits.to_owned())
}

/// Reads a boolean, or 1 or 0 as one.
pub(super) fn truth(value: &Node<'_>) -> Option<bool> {
    match value {
        Node::Boolean(value) => Some(*value),
        Node::Number(_) if is_one(value) => Some(true),
        Node::Number(_) if !value.is_true() => Some(false),
        _ => None,
    }
}

/// Returns the unused keys as JSON; `None` if there are none.
pub(super) fn extra(record: &Object<'_>, used: &[&str]) -> Result<Option<String>, Uncertain> {
    // If a key occurs twice, one value may be null; the last one counts.
    if !record.has_distinct_keys() {
        return Err(Uncertain);
    }
    let is_kept = |(key, _): &&(Quoted<'_>, Node<'_>)| !used.iter().any(|each| key.is(each));
    let mut members = Vec::new();
    for (key, value) in record.members.iter().filter(is_kept) {
        if !value.is_null() {
            members.push(format!("{}: {}", key.json, value.json().ok_or(Uncertain)?));
        }
    }
    if members.is_empty() {
        return Ok(None);
    }
    let json = format!("{{{}}}", members.join(", "));
    if !is_certain(&json) {
        return Err(Uncertain);
    }
    Ok(Some(json))
}

/// Returns the name of a file without its suffixes, for rows that name no task.
fn name_of(file: &str) -> Option<String> {
    let mut name = Path::new(file).file_name()?.to_str()?;
    for suffix in SUFFIXES {
        name = name
            .strip_suffix(suffix)
            .filter(|rest| !rest.is_empty())
            .unwrap_or(name);
    }
    Some(name.to_owned())
}

/// Returns whether JSON may contain the name of a secret.
pub(in super::super) fn may_hold_secret(json: &str) -> bool {
    let plain = json.to_ascii_lowercase();
    let ends = |word: &&str| {
        let mut rests = plain.split(*word).skip(1);
        rests.any(|rest| !rest.starts_with(|next: char| next.is_ascii_lowercase()))
    };
    let is_escaped = plain.contains("\\u00");
    is_escaped || SECRETS.iter().any(|word| plain.contains(word)) || SECRET_ENDS.iter().any(ends)
}
