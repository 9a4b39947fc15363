//! The spans of a sample, which tell where events happened.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::iter;

use rustc_hash::FxHashMap;

use super::super::certainty::{Certain, require};
use super::super::tree::{Node, Object, is_integer};

/// Most spans that are followed outwards from one. Real spans are never nested deeper, and those of
/// a hostile log may form a cycle.
const DEEPEST: usize = 100;

/// The id of a span or a call, or the name of a tool.
pub(super) type Name<'a> = Cow<'a, str>;

#[derive(Debug)]
struct Span<'a> {
    kind: Option<Name<'a>>,
    parent: Option<Name<'a>>,
}

/// The spans that have begun so far, and the calls and commands that ran in them.
#[derive(Debug, Default)]
pub(super) struct Spans<'a> {
    by_id: FxHashMap<Name<'a>, Span<'a>>,
    /// Spans of tools whose call is not yet known, by parent span and tool name.
    waiting: FxHashMap<(Option<Name<'a>>, Name<'a>), VecDeque<Name<'a>>>,
    /// Exit codes of the commands that ran in each span.
    runs: FxHashMap<Name<'a>, Vec<i64>>,
    /// Spans, each with the id of its call.
    calls: Vec<(Name<'a>, Name<'a>)>,
}

impl<'a> Spans<'a> {
    /// Reads the beginning of a span.
    pub(super) fn begin(&mut self, event: &Object<'a>) -> Option<()> {
        let (own, parent) = (filled(event.get("id"))?, filled(event.get("parent_id"))?);
        let Some(own) = own else {
            return Some(());
        };
        let kind = filled(event.get("type"))?;
        if event.get("type").is("tool") {
            let name = event.get("name").quoted()?.text()?;
            let waiting = self.waiting.entry((parent.clone(), name)).or_default();
            waiting.push_back(own.clone());
        }
        // If two spans share an id, the record reader decides which one counts.
        require(self.by_id.insert(own, Span { kind, parent }).is_none())
    }

    /// Reads the exit code of a command.
    pub(super) fn run(&mut self, event: &Object<'a>) -> Option<()> {
        let span = filled(event.get("span_id"))?;
        if let (Some(span), Node::Number(digits)) = (span, event.get("result")) {
            if is_integer(digits) {
                let code = digits.parse().ok()?;
                self.runs.entry(span).or_default().push(code);
            }
        }
        Some(())
    }

    /// Gives a call the first span of its tool, within its parent span, that no other call has.
    pub(super) fn assign(&mut self, parent: Option<Name<'a>>, tool: Name<'a>, call: Name<'a>) {
        let waiting = self.waiting.get_mut(&(parent, tool));
        if let Some(span) = waiting.and_then(VecDeque::pop_front) {
            self.calls.push((span, call));
        }
    }

    /// Returns the exit codes of the calls that ran a single command.
    pub(super) fn exit_codes(&self) -> FxHashMap<Name<'a>, i64> {
        let code = |(span, call): &(Name<'a>, Name<'a>)| match self.runs.get(span)?[..] {
            [code] => Some((call.clone(), code)),
            _ => None,
        };
        self.calls.iter().filter_map(code).collect()
    }

    /// Returns whether a span, or one around it, is of this type.
    pub(super) fn is_within(&self, kind: &str, span: Option<&Name<'a>>) -> bool {
        let innermost = span.and_then(|id| self.by_id.get(id));
        iter::successors(innermost, |span| self.by_id.get(span.parent.as_ref()?))
            .take(DEEPEST)
            .any(|span| span.kind.as_deref() == Some(kind))
    }
}

/// Reads a text, if it is one and not empty.
pub(super) fn filled<'a>(value: &Node<'a>) -> Certain<Option<Name<'a>>> {
    match value.quoted() {
        Some(text) if !text.is_empty() => text.text().map(Some),
        _ => Some(None),
    }
}
