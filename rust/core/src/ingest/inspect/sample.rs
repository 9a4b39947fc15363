//! A sample of an Inspect log, in one epoch, as a row.

use super::super::Row;
use super::super::messages::{
    Conversation, Nothing, Target, Usage, is_one, may_hold_secret, write_failure, write_text,
};
use super::super::parser::Parser;
use super::super::raw::is_certain;
use super::super::tree::{List, Node, Object, is_integer, number};
use super::Log;
use super::attachments::Attachments;
use super::events::{Events, KEYS};

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

/// The parts of a sample that are read.
#[derive(Default)]
struct Sample<'a> {
    id: Option<Node<'a>>,
    epoch: Option<Node<'a>>,
    input: Option<Node<'a>>,
    output: Option<Node<'a>>,
    scores: Option<Node<'a>>,
    metadata: Option<Node<'a>>,
    attachments: Option<Node<'a>>,
    model_usage: Option<Node<'a>>,
    total_time: Option<Node<'a>>,
    limit: Option<Node<'a>>,
    error: Option<Node<'a>>,
    /// The final conversation, as JSON.
    messages: Option<&'a str>,
    events: Vec<Object<'a>>,
}

impl<'a> Sample<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut sample = Self::default();
        let mut parser = Parser::new(text.trim_start_matches('\u{feff}'));
        parser.object(|parser, key| {
            let key = key.text()?;
            let place = match &*key {
                "id" => &mut sample.id,
                "epoch" => &mut sample.epoch,
                "input" => &mut sample.input,
                "output" => &mut sample.output,
                "scores" => &mut sample.scores,
                "metadata" => &mut sample.metadata,
                "attachments" => &mut sample.attachments,
                "model_usage" => &mut sample.model_usage,
                "total_time" => &mut sample.total_time,
                "limit" => &mut sample.limit,
                "error" => &mut sample.error,
                "messages" => {
                    sample.messages = Some(parser.skip()?);
                    return Some(());
                }
                "events" => {
                    sample.events = events(parser)?;
                    return Some(());
                }
                _ => return parser.skip().map(drop),
            };
            *place = Some(parser.value()?);
            Some(())
        })?;
        parser.is_at_end().then_some(sample)
    }
}

/// Reads a list of events, each with the keys that are needed; `None` for any other value.
fn events<'a>(parser: &mut Parser<'a>) -> Option<Vec<Object<'a>>> {
    let mut found = Vec::new();
    if parser.peek()? != b'[' {
        parser.skip()?;
        return Some(found);
    }
    parser.list(|parser| {
        found.extend(event(parser)?);
        Some(())
    })?;
    Some(found)
}

/// Reads an event; inner `None` if it is not an object.
#[allow(clippy::option_option)]
fn event<'a>(parser: &mut Parser<'a>) -> Option<Option<Object<'a>>> {
    if parser.peek()? != b'{' {
        parser.skip()?;
        return Some(None);
    }
    let mut members = Vec::with_capacity(KEYS.len());
    parser.object(|parser, key| {
        if key.is("events") {
            let items = events(parser)?.into_iter().map(Node::Object).collect();
            members.push((key, Node::List(List { json: None, items })));
        } else if KEYS.iter().any(|each| key.is(each)) {
            members.push((key, parser.value()?));
        } else {
            parser.skip()?;
        }
        Some(())
    })?;
    let json = None;
    Some(Some(Object { json, members }))
}

fn usage(message: &super::super::messages::Message<'_>) -> Option<Usage> {
    message.get("usage").object().and_then(Usage::inspect)
}

/// Reads a sample into the columns. Returns `None` if it is refused, in which case the row may be
/// partly written.
pub(super) fn read(row: &mut Row<'_>, log: &Log, text: &str) -> Option<()> {
    let (index, places) = (row.index, row.places);
    let mut sample = Sample::parse(text)?;
    let mut target = Target {
        columns: row.columns,
        row: index,
        turns: places.turns,
        turn_views: places.turn_views,
        turn_view: &places.turn_view,
        places: &places.messages,
    };
    let is_timed = target.wants_times()?;
    let keeps_said = target.columns[places.messages.transcript].is_wanted();
    let attachments = Attachments::of(sample.attachments.take())?;
    let mut events = Events::new(attachments, is_timed);
    events.ask(sample.input.take().unwrap_or(Node::Null))?;
    for event in std::mem::take(&mut sample.events) {
        events.add(event)?;
    }
    events.finish();
    let messages;
    let mut conversation;
    if events.has_answers() {
        messages = std::mem::take(&mut events.messages);
        conversation = Conversation::new(usage, keeps_said);
    } else {
        messages = match sample.messages.and_then(|text| Parser::new(text).value()) {
            Some(Node::List(List { items, .. })) => {
                let items = items.into_iter().map(|item| events.whole(item));
                items.collect::<Option<_>>()?
            }
            _ => Vec::new(),
        };
        conversation = Conversation::new(Usage::of, keeps_said);
    }
    for message in &messages {
        conversation.add(message)?;
    }
    if events.has_answers() {
        if conversation.drafts.len() != events.count() {
            return None;
        }
        target.write(&mut conversation, &events)?;
    } else {
        target.write(&mut conversation, &Nothing)?;
    }
    let own = conversation.model()?;
    let model = log.model.as_deref().or(own.as_deref());
    let columns = &mut *row.columns;
    write_text(
        &mut columns[places.task_id],
        index,
        &id(sample.id.as_ref()?)?,
    )?;
    let epoch = match &sample.epoch {
        None | Some(Node::Null) => "1",
        Some(Node::Number(digits)) if is_integer(digits) && *digits != "-0" => digits,
        _ => return None,
    };
    write_text(&mut columns[places.messages.attempt], index, epoch)?;
    for (place, text) in [
        (places.messages.agent, log.agent.as_deref()),
        (places.model, model),
    ] {
        if let Some(text) = text {
            write_text(&mut columns[place], index, text)?;
        }
    }
    let output = sample.output.as_ref().and_then(Node::object);
    let output = output.map_or(&Node::Null, |output| output.get("completion"));
    let output = events.whole(output.clone())?;
    if let Some(text) = output.quoted().filter(|text| !text.is_empty()) {
        let column = &mut columns[places.messages.final_output];
        column.clear(index);
        write_text(column, index, &text.text()?)?;
    }
    let own = own_usage(sample.model_usage.as_ref(), log)?;
    if let Some(own) = own.filter(|_| !events.has_others) {
        let fields = &places.messages.usage_fields;
        fields.write(&mut columns[places.messages.usage], index, own)?;
    }
    let duration = &mut columns[places.messages.duration];
    match &sample.total_time {
        None | Some(Node::Null) => {}
        Some(Node::Number(digits)) if *digits != "-0" => {
            ok(duration.number(index, number(digits)))?;
        }
        _ => return None,
    }
    write_end(row, &sample)?;
    write_scores(row, &sample, log, &events)?;
    row.source::<serde_json::Error>().ok()
}

fn ok(condition: bool) -> Option<()> {
    condition.then_some(())
}

/// Returns the id of a sample: a text, or an integer.
fn id(id: &Node<'_>) -> Option<String> {
    match id {
        Node::Text(text) => text.text().map(std::borrow::Cow::into_owned),
        Node::Number(digits) if is_integer(digits) && *digits != "-0" => Some((*digits).to_owned()),
        _ => None,
    }
}

/// Returns the usage of the agent's model, or of the only model; outer `None` if it is uncertain.
#[allow(clippy::option_option)]
fn own_usage(by_model: Option<&Node<'_>>, log: &Log) -> Option<Option<Usage>> {
    let Some(by_model) = by_model.and_then(Node::object) else {
        return Some(None);
    };
    let counts = by_model.get(log.model.as_deref().unwrap_or("None"));
    let counts = match (counts, &by_model.members[..]) {
        (Node::Object(counts), _) => Some(counts),
        (_, [(_, counts)]) => counts.object(),
        (_, [(first, _), others @ ..]) => {
            // If a model is listed twice, the record reader decides.
            let first = first.text()?;
            ok(others.iter().any(|(key, _)| !key.is(&first)))?;
            None
        }
        (_, []) => None,
    };
    Some(counts.and_then(Usage::inspect))
}

fn write_end(row: &mut Row<'_>, sample: &Sample<'_>) -> Option<()> {
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

fn write_scores(
    row: &mut Row<'_>,
    sample: &Sample<'_>,
    log: &Log,
    events: &Events<'_>,
) -> Option<()> {
    let (index, places) = (row.index, &row.places.messages);
    let scores = sample.scores.as_ref().and_then(Node::object);
    // If a score is listed twice, the record reader decides which one counts.
    ok(scores.is_none_or(Object::has_distinct_keys))?;
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
            ok(row.columns[places.passed].boolean(index, passed))?;
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
    ok(!may_hold_secret(&about))?;
    let json = format!(
        "{{\"task\": {}, \"exit_status\": {}, \"scores\": {{{}}}, \"sample\": {about}}}",
        log.task,
        log.status,
        scores.join(", "),
    );
    ok(is_certain(&json) && column.text(index, &json))
}
