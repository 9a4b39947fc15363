//! Runs of instances with their messages, as in data sets of `OpenHands`.
//!
//! `readers/data_sets` is the specification.

use super::super::Row;
use super::super::certainty::Certain;
use super::super::tree::{Node, Object};
use super::outcomes::{INSTANCE, Outcome, TRAJECTORY, text};
use super::recognition::{begins_with_messages, is_of_autogen};
use super::record::{
    AGENTS, ATTEMPTS, MESSAGES, MODELS, STATUS, converse, may_be_foreign, parsed, with_list,
};

const NAMED: &str = "trajectory_id";
const RESOLVED: &str = "resolved";
const TESTED: &str = "test_result";
const PATCHES: [&str; 3] = ["model_patch", "git_patch", "generated_patch"];
/// Keys that, together with the id of an instance, identify such a run; so does a patch.
const OUTCOMES: [&str; 4] = [STATUS, RESOLVED, TESTED, NAMED];
/// Keys of other formats that such runs may also have.
const SHARED: [&str; 4] = [TRAJECTORY, MESSAGES, TESTED, PATCHES[0]];

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
    if !is_instance(&record) || may_be_foreign(row, &record, &SHARED) {
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
    let mut used = [&[key, RESOLVED][..], &PATCHES].concat();
    let mut named = |names| {
        let (name, value) = first_text(&record, names)?.unzip();
        used.extend(name);
        Some(value)
    };
    let (agent, model, attempt) = (named(&AGENTS)?, named(&MODELS)?, named(&ATTEMPTS)?);
    let outcome = Outcome {
        agent: agent.as_deref(),
        model: model.or(own),
        attempt,
        patch: patch(&record)?,
        passed: record.get(RESOLVED),
        used,
    };
    outcome.write(row, &record)?;
    row.source::<serde_json::Error>().ok()
}

/// Returns the first key whose text is not empty, and the text; refused if the value of any of these
/// keys is neither a text nor null.
fn first_text<'n>(record: &Object<'_>, names: &[&'n str]) -> Certain<Option<(&'n str, String)>> {
    let mut found = None;
    for name in names {
        let own = text(record, name)?.filter(|own| !own.is_empty());
        found = found.or(own.map(|own| (*name, own)));
    }
    Some(found)
}

/// Returns the first patch with content, or else an empty one if there is one; refused if a patch is
/// not a text.
fn patch(record: &Object<'_>) -> Certain<Option<String>> {
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
