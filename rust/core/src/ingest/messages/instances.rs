//! Runs of instances with their messages, as in data sets of `OpenHands`.
//!
//! `readers/data_sets` is the specification.

use super::super::Row;
use super::super::tree::{Node, Object};
use super::columns::{write_failure, write_text};
use super::record::{
    MESSAGES, STATUS, begins_with_messages, converse, extra, is_of_autogen, parsed, truth,
    with_list,
};

const TRAJECTORY: &str = "trajectory";
const INSTANCE: &str = "instance_id";
const ATTEMPT: &str = "trajectory_id";
const MODEL: &str = "model";
const RESOLVED: &str = "resolved";
const TESTED: &str = "test_result";
const PATCHES: [&str; 3] = ["model_patch", "git_patch", "generated_patch"];
/// Keys that, together with the id of an instance, identify such a run; so does a patch.
const OUTCOMES: [&str; 4] = [STATUS, RESOLVED, TESTED, ATTEMPT];
/// Keys of other formats that such runs may also have.
const SHARED: [&str; 4] = [TRAJECTORY, MESSAGES, TESTED, PATCHES[0]];
/// Parts of the status of a run that exhausted its budget.
const BUDGETS: [&str; 5] = [
    "exit_cost",
    "exit_context",
    "max_iteration",
    "LimitsExceeded",
    "AgentStuckInLoop",
];

/// Returns whether a record is such a run, provided that it holds messages.
pub(super) fn is_instance(record: &Object<'_>) -> bool {
    let mut telling = OUTCOMES.iter().chain(&PATCHES);
    record.get(INSTANCE).quoted().is_some() && telling.any(|key| record.has(key))
}

/// Reads a run into the columns. Returns `None` if it is refused, in which case the row may be
/// partly written.
pub(in super::super) fn read_instance(row: &mut Row<'_>, line: &str) -> Option<()> {
    let Node::Object(record) = parsed(line)? else {
        return None;
    };
    let is_foreign = |key: &str| row.foreign.contains(key) && !SHARED.contains(&key);
    let mut keys = record.members.iter().map(|(key, _)| key.text());
    if !is_instance(&record) || keys.any(|key| key.is_none_or(|key| is_foreign(&key))) {
        return None;
    }
    let key = match record.get(TRAJECTORY) {
        Node::Null => MESSAGES,
        _ => TRAJECTORY,
    };
    let own = with_list(record.get(key), |messages| {
        let Some(Node::Object(first)) = messages.first() else {
            return None;
        };
        // A first message with a text may be that of a run of SWE-agent.
        let is_certain =
            begins_with_messages(messages) && !is_of_autogen(first) && !first.has("text");
        is_certain.then(|| converse(row, messages))?
    })?;
    write_rest(row, &record, own, key)?;
    row.source::<serde_json::Error>().ok()
}

/// Writes the identity and the outcome of the run, and the keys that have no column.
fn write_rest(
    row: &mut Row<'_>,
    record: &Object<'_>,
    own: Option<String>,
    messages: &str,
) -> Option<()> {
    let (index, places) = (row.index, row.places);
    let model = match text(record, MODEL)?.filter(|model| !model.is_empty()) {
        Some(model) => Some(model),
        None => own,
    };
    for (place, value) in [
        (places.task_id, text(record, INSTANCE)?),
        (places.model, model),
        (places.messages.attempt, text(record, ATTEMPT)?),
        (places.final_patch, patch(record)?),
    ] {
        if let Some(value) = value {
            write_text(&mut row.columns[place], index, &value)?;
        }
    }
    match record.get(RESOLVED) {
        Node::Null => {}
        value => {
            let passed = &mut row.columns[places.messages.passed];
            passed.boolean(index, truth(value)?).then_some(())?;
        }
    }
    if let Some(status) = text(record, STATUS)? {
        let json = record.get(STATUS).json()?;
        let metadata = &mut row.columns[places.messages.metadata];
        write_text(metadata, index, &format!("{{\"{STATUS}\": {json}}}"))?;
        if BUDGETS.iter().any(|budget| status.contains(budget)) {
            let places = &places.messages;
            let failure = &mut row.columns[places.failure];
            write_failure(failure, index, places, "budget_exhausted", Some(&status))?;
        }
    }
    if row.columns[places.extra].is_wanted() {
        let mut used = vec![messages, INSTANCE, ATTEMPT, RESOLVED, STATUS, MODEL];
        used.extend(PATCHES);
        if let Some(extra) = extra(record, &used).ok()? {
            write_text(&mut row.columns[places.extra], index, &extra)?;
        }
    }
    Some(())
}

/// Returns a text that may be null; outer `None` for any other value.
#[allow(clippy::option_option)]
fn text(record: &Object<'_>, key: &str) -> Option<Option<String>> {
    match record.get(key) {
        Node::Null => Some(None),
        Node::Text(text) => Some(Some(text.text()?.into_owned())),
        _ => None,
    }
}

/// Returns the first patch with content, or else an empty one if there is one; outer `None` if a
/// patch is not a text.
#[allow(clippy::option_option)]
fn patch(record: &Object<'_>) -> Option<Option<String>> {
    let mut found = None;
    for place in [Some(record), record.get(TESTED).object()] {
        for key in PATCHES {
            let own = match place {
                Some(place) => text(place, key)?,
                None => None,
            };
            if own.as_ref().is_some_and(|own| !own.is_empty()) {
                return Some(own);
            }
            found = found.or(own);
        }
    }
    Some(found)
}
