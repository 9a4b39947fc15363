//! Roles of messages, and the part that each plays in a turn.

use super::super::tree::Quoted;

const ANSWERS: [&str; 4] = ["assistant", "ai", "AIMessageChunk", "model"];
const RESULTS: [&str; 3] = ["tool", "function", "ToolMessageChunk"];
const ASKED: [&str; 3] = ["user", "human", "HumanMessageChunk"];
const SILENT: [&str; 5] = [
    "system",
    "developer",
    "remove",
    "chat",
    "SystemMessageChunk",
];
/// Types of items in Responses that are not part of an answer.
const BESIDE: [&str; 7] = [
    "additional_tools",
    "compaction_trigger",
    "configuration_update",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
];

/// Types of items that only the record reader reads: outputs that may say that they failed, and
/// programs and searches that `OpenAI` runs itself.
const OF_RECORDS: [&str; 5] = [
    "apply_patch_call_output",
    "program",
    "program_output",
    "shell_call_output",
    "tool_search_output",
];

/// The part that messages of a role play in a turn.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Answer,
    Result,
    Asked,
}

impl Part {
    /// Returns the kind of a role; `None` for a role that is not part of turns.
    pub(super) fn of(role: Quoted<'_>) -> Option<Self> {
        if is_one(role, &ANSWERS) {
            Some(Self::Answer)
        } else if is_one(role, &RESULTS) {
            Some(Self::Result)
        } else {
            is_one(role, &ASKED).then_some(Self::Asked)
        }
    }
}

/// Returns whether messages of a role carry no information about an attempt.
pub(super) fn is_silent(role: Quoted<'_>) -> bool {
    is_one(role, &SILENT)
}

/// Returns whether items of a type are not part of an answer.
pub(super) fn is_beside(kind: Quoted<'_>) -> bool {
    is_one(kind, &BESIDE)
}

/// Returns whether items of a type are left to the record reader.
pub(super) fn is_of_records(kind: Quoted<'_>) -> bool {
    is_one(kind, &OF_RECORDS)
}

fn is_one(text: Quoted<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| text.is(name))
}
