//! The events of a sample, converted to messages.

use rustc_hash::FxHashMap;

use super::super::certainty::Certain;
use super::super::messages::{Beside, Call};
use super::super::tree::{List, Node, Object, Quoted};
use super::attachments::Attachments;
use super::spans::{Name, Spans, filled};
use super::times::{epoch_seconds, seconds_between};

const SCORERS: &str = "scorers";
/// The error, as JSON, of a failed call that gave the model no reason.
const HARD_FAILURE: &str = "\"the tool raised an exception\"";

/// The keys of an event that are read; all others are skipped.
pub(super) const KEYS: [&str; 16] = [
    "event",
    "id",
    "type",
    "name",
    "parent_id",
    "span_id",
    "output",
    "function",
    "completed",
    "result",
    "pending",
    "error",
    "failed",
    "timestamp",
    "action",
    "events",
];

/// The events read so far.
#[derive(Debug, Default)]
pub(super) struct Events<'a> {
    attachments: Attachments<'a>,
    is_timed: bool,
    /// The messages: what was asked, answered and returned by calls.
    pub messages: Vec<Node<'a>>,
    /// Whether scorers called models.
    pub has_others: bool,
    /// Number of steps of scorers that have begun and not ended, in older logs without spans.
    scoring: usize,
    /// Times at which the model was asked and at which it had answered.
    answers: Vec<(Option<f64>, Option<f64>)>,
    ends: FxHashMap<Name<'a>, f64>,
    durations: FxHashMap<Name<'a>, f64>,
    spans: Spans<'a>,
    exit_codes: FxHashMap<Name<'a>, i64>,
}

impl<'a> Events<'a> {
    pub(super) fn new(attachments: Attachments<'a>, is_timed: bool) -> Self {
        Self {
            attachments,
            is_timed,
            ..Self::default()
        }
    }

    pub(super) fn whole(&self, value: Node<'a>) -> Option<Node<'a>> {
        self.attachments.whole(value)
    }

    /// Returns whether the agent's model answered.
    pub(super) fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.answers.len()
    }

    /// Starts the messages with the input of the sample.
    pub(super) fn ask(&mut self, input: Node<'a>) -> Option<()> {
        match self.whole(input)? {
            asked @ Node::Text(_) => {
                let role = Node::Text(Quoted::plain("\"user\""));
                self.messages
                    .push(object([("\"role\"", role), ("\"content\"", asked)]));
            }
            Node::List(List { items, .. }) => {
                let is_user = |item: &Node<'_>| {
                    let role = item.object().map(|message| message.get("role"));
                    role.is_some_and(|role| role.is("user"))
                };
                self.messages.extend(items.into_iter().filter(is_user));
            }
            _ => {}
        }
        Some(())
    }

    /// Reads an event, including the nested events of older logs.
    pub(super) fn add(&mut self, mut event: Object<'a>) -> Option<()> {
        let inner = event.take("events");
        let kind = event.get("event");
        if kind.is("span_begin") {
            self.spans.begin(&event)?;
        } else if kind.is("model") {
            self.answer(&mut event)?;
        } else if kind.is("step") && event.get("type").is("scorer") {
            let is_begin = event.get("action").is("begin");
            self.scoring = if is_begin {
                self.scoring + 1
            } else {
                self.scoring.saturating_sub(1)
            };
        } else if kind.is("tool") {
            self.result(&mut event)?;
        } else if kind.is("sandbox") && event.get("action").is("exec") {
            self.spans.run(&event)?;
        }
        if let Some(Node::List(List { items, .. })) = inner {
            for event in items {
                if let Node::Object(event) = event {
                    self.add(event)?;
                }
            }
        }
        Some(())
    }

    /// Assigns exit codes to calls, after all events were read.
    pub(super) fn finish(&mut self) {
        self.exit_codes = self.spans.exit_codes();
    }

    fn answer(&mut self, event: &mut Object<'a>) -> Option<()> {
        let Some(Node::Object(mut output)) = event.take("output") else {
            return Some(());
        };
        let Some(Node::List(List { items, .. })) = output.take("choices") else {
            return Some(());
        };
        let Some(Node::Object(mut choice)) = items.into_iter().next() else {
            return Some(());
        };
        let Some(Node::Object(mut message)) = choice.take("message") else {
            return Some(());
        };
        // An empty message stands for the answer that an error of the provider prevented.
        let is_empty = !message.get("content").is_true() && !message.get("tool_calls").is_true();
        if is_empty && filled(event.get("error"))?.is_some() {
            return Some(());
        }
        let span = filled(event.get("span_id"))?;
        if self.scoring > 0 || self.spans.is_within(SCORERS, span.as_ref()) {
            self.has_others = true;
            return Some(());
        }
        let (asked, answered) = if self.is_timed {
            (
                seconds(event.get("timestamp"))?,
                seconds(event.get("completed"))?,
            )
        } else {
            (None, None)
        };
        self.answers.push((asked, answered));
        let take = |message: &mut Object<'a>, key| message.take(key).unwrap_or(Node::Null);
        let content = self.whole(take(&mut message, "content"))?;
        let calls = self.calls(take(&mut message, "tool_calls"))?;
        self.messages.push(object([
            ("\"role\"", Node::Text(Quoted::plain("\"assistant\""))),
            ("\"content\"", content),
            ("\"tool_calls\"", Node::List(calls)),
            ("\"model\"", take(&mut message, "model")),
            ("\"usage\"", take(&mut output, "usage")),
        ]));
        Some(())
    }

    /// Returns the calls of an answer, without how they are displayed to people.
    fn calls(&self, calls: Node<'a>) -> Option<List<'a>> {
        let Node::List(List { items, .. }) = calls else {
            return Some(List {
                json: None,
                items: Vec::new(),
            });
        };
        let call = |call| match call {
            Node::Object(mut call) => {
                call.remove("view");
                self.whole(Node::Object(call))
            }
            other => Some(other),
        };
        Some(List {
            json: None,
            items: items.into_iter().map(call).collect::<Option<_>>()?,
        })
    }

    fn result(&mut self, event: &mut Object<'a>) -> Option<()> {
        let Some(id) = filled(event.get("id"))? else {
            return Some(());
        };
        let completed = event.get("completed");
        let is_completed = !completed.is_null();
        if is_completed && self.is_timed {
            let end = seconds(completed)?;
            let duration = seconds_between(seconds(event.get("timestamp"))?, end);
            self.ends.extend(end.map(|end| (id.clone(), end)));
            self.durations
                .extend(duration.map(|took| (id.clone(), took)));
        }
        let function = event.get("function").clone();
        let is_given = event.get("result").is_true() && !event.get("pending").is_true();
        if is_completed || is_given {
            let take = |event: &mut Object<'a>, key| event.take(key).unwrap_or(Node::Null);
            let content = self.whole(take(event, "result"))?;
            let mut error = self.whole(take(event, "error"))?;
            if error.is_null() && event.get("failed").is_true() {
                error = Node::Text(Quoted::plain(HARD_FAILURE));
            }
            self.messages.push(object([
                ("\"role\"", Node::Text(Quoted::plain("\"tool\""))),
                ("\"tool_call_id\"", event.get("id").clone()),
                ("\"function\"", function.clone()),
                ("\"content\"", content),
                ("\"error\"", error),
            ]));
        }
        let parent = filled(event.get("span_id"))?;
        self.spans.assign(parent, function.quoted()?.text()?, id);
        Some(())
    }
}

impl Beside for Events<'_> {
    fn exit_code(&self, call: &Call<'_>) -> Option<i64> {
        self.exit_codes.get(call.id.as_deref()?).copied()
    }

    fn call_seconds(&self, call: &Call<'_>) -> Option<f64> {
        self.durations.get(call.id.as_deref()?).copied()
    }

    /// Returns the seconds from the request to the model until its last call returned.
    fn turn_seconds(&self, turn: usize, calls: &[Call<'_>]) -> Option<f64> {
        let &(asked, answered) = self.answers.get(turn)?;
        let ends = calls
            .iter()
            .filter_map(|call| self.ends.get(call.id.as_deref()?));
        let last = ends
            .copied()
            .chain(answered)
            .fold(None, |last: Option<f64>, end| {
                Some(last.map_or(end, |last| last.max(end)))
            });
        seconds_between(asked, last)
    }
}

/// Reads a time, if it is a text; refused if only Python can read it.
fn seconds(value: &Node<'_>) -> Certain<Option<f64>> {
    match value {
        Node::Text(text) => epoch_seconds(&text.text()?).map(Some),
        _ => Some(None),
    }
}

/// Creates an object from members; the keys are quoted JSON strings.
fn object<'a, const N: usize>(members: [(&'static str, Node<'a>); N]) -> Node<'a> {
    let members = members.map(|(key, value)| (Quoted::plain(key), value));
    Node::Object(Object {
        json: None,
        members: members.into(),
    })
}
