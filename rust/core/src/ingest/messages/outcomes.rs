//! Outcomes of runs of instances, as rows of data sets record them.

use super::super::Row;
use super::super::certainty::Certain;
use super::super::tree::{Node, Object};
use super::columns::{write_failure, write_text};
use super::record::{STATUS, extra, truth};

pub(super) const INSTANCE: &str = "instance_id";
pub(super) const TRAJECTORY: &str = "trajectory";

/// Parts of the status of a run that exhausted its budget.
const BUDGETS: [&str; 5] = [
    "exit_cost",
    "exit_context",
    "max_iteration",
    "LimitsExceeded",
    "AgentStuckInLoop",
];

/// The identity and the outcome of a run.
pub(super) struct Outcome<'n> {
    pub agent: Option<&'n str>,
    pub model: Option<String>,
    pub attempt: Option<String>,
    pub patch: Option<String>,
    pub passed: &'n Node<'n>,
    /// The keys that it was read from, and that of the turns.
    pub used: Vec<&'n str>,
}

impl Outcome<'_> {
    /// Writes the outcome, the instance and the status of a run, and the keys without a column.
    pub(super) fn write(self, row: &mut Row<'_>, record: &Object<'_>) -> Option<()> {
        let (index, places) = (row.index, row.places);
        for (place, value) in [
            (places.task_id, Some(&*text(record, INSTANCE)??)),
            (places.messages.agent, self.agent),
            (places.model, self.model.as_deref()),
            (places.messages.attempt, self.attempt.as_deref()),
            (places.final_patch, self.patch.as_deref()),
        ] {
            if let Some(value) = value {
                write_text(&mut row.columns[place], index, value)?;
            }
        }
        if !self.passed.is_null() {
            let passed = &mut row.columns[places.messages.passed];
            passed.boolean(index, truth(self.passed)?).then_some(())?;
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
            let mut used = self.used;
            used.extend([INSTANCE, STATUS]);
            if let Some(extra) = extra(record, &used).ok()? {
                write_text(&mut row.columns[places.extra], index, &extra)?;
            }
        }
        Some(())
    }
}

/// Returns a text that may be null; any other value is refused.
pub(super) fn text(record: &Object<'_>, key: &str) -> Certain<Option<String>> {
    match record.get(key) {
        Node::Null => Some(None),
        Node::Text(text) => Some(Some(text.text()?.into_owned())),
        _ => None,
    }
}
