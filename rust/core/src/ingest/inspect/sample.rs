//! A sample of an Inspect log, in one epoch, as a row.

use std::borrow::Cow;
use std::mem;

use super::super::Row;
use super::super::certainty::{Certain, require};
use super::super::messages::{Conversation, Message, Nothing, Target, Usage, write_text};
use super::super::parser::Parser;
use super::super::tree::{List, Node, Object, is_integer, number};
use super::Log;
use super::attachments::Attachments;
use super::events::{Events, KEYS};
use super::outcome::{write_end, write_scores};

/// The parts of a sample that are read.
#[derive(Default)]
pub(super) struct Sample<'a> {
    id: Option<Node<'a>>,
    epoch: Option<Node<'a>>,
    input: Option<Node<'a>>,
    output: Option<Node<'a>>,
    pub scores: Option<Node<'a>>,
    pub metadata: Option<Node<'a>>,
    attachments: Option<Node<'a>>,
    model_usage: Option<Node<'a>>,
    total_time: Option<Node<'a>>,
    pub limit: Option<Node<'a>>,
    pub error: Option<Node<'a>>,
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

    /// Returns the final conversation, which stands in for events without answers.
    fn final_messages(&self, events: &Events<'a>) -> Option<Vec<Node<'a>>> {
        match self.messages.and_then(|text| Parser::new(text).value()) {
            Some(Node::List(List { items, .. })) => {
                items.into_iter().map(|item| events.whole(item)).collect()
            }
            _ => Some(Vec::new()),
        }
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

/// Reads an event, if it is an object.
fn event<'a>(parser: &mut Parser<'a>) -> Certain<Option<Object<'a>>> {
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

fn usage(message: &Message<'_>) -> Option<Usage> {
    message.get("usage").object().and_then(Usage::inspect)
}

/// Reads a sample into the columns. Returns `None` if it is refused, in which case the row may be
/// partly written.
pub(super) fn read(row: &mut Row<'_>, log: &Log, text: &str) -> Option<()> {
    let mut sample = Sample::parse(text)?;
    let (events, model) = write_conversation(row, &mut sample)?;
    write_identity(row, &sample, log, model.as_deref())?;
    write_output(row, &sample, &events)?;
    write_usage(row, &sample, log, &events)?;
    write_duration(row, &sample)?;
    write_end(row, &sample)?;
    write_scores(row, &sample, log, &events)?;
    row.source::<serde_json::Error>().ok()
}

/// Writes the turns of a sample; returns its events, and the model that the answers name, if any.
fn write_conversation<'a>(
    row: &mut Row<'_>,
    sample: &mut Sample<'a>,
) -> Option<(Events<'a>, Option<String>)> {
    let places = row.places;
    let mut target = Target {
        columns: row.columns,
        row: row.index,
        turns: places.turns,
        turn_views: places.turn_views,
        turn_view: &places.turn_view,
        places: &places.messages,
    };
    let attachments = Attachments::of(sample.attachments.take())?;
    let mut events = Events::new(attachments, target.wants_times()?);
    events.ask(sample.input.take().unwrap_or(Node::Null))?;
    for event in mem::take(&mut sample.events) {
        events.add(event)?;
    }
    events.finish();
    let (messages, usage): (_, fn(&Message<'_>) -> _) = if events.has_answers() {
        (mem::take(&mut events.messages), usage)
    } else {
        (sample.final_messages(&events)?, Usage::of)
    };
    let keeps_said = target.columns[places.messages.transcript].is_wanted();
    let mut conversation = Conversation::new(usage, keeps_said);
    for message in &messages {
        conversation.add(message)?;
    }
    if events.has_answers() {
        require(conversation.drafts.len() == events.count())?;
        target.write(&mut conversation, &events)?;
    } else {
        target.write(&mut conversation, &Nothing)?;
    }
    let model = conversation.model()?.map(Cow::into_owned);
    Some((events, model))
}

/// Writes the task, the attempt and the agent of a sample, and the model that the log or else its
/// answers name.
fn write_identity(
    row: &mut Row<'_>,
    sample: &Sample<'_>,
    log: &Log,
    model: Option<&str>,
) -> Option<()> {
    let places = row.places;
    let id = id(sample.id.as_ref()?)?;
    let epoch = match &sample.epoch {
        None | Some(Node::Null) => "1",
        Some(Node::Number(digits)) if is_integer(digits) && *digits != "-0" => digits,
        _ => return None,
    };
    for (place, text) in [
        (places.task_id, Some(&*id)),
        (places.messages.attempt, Some(epoch)),
        (places.messages.agent, log.agent.as_deref()),
        (places.model, log.model.as_deref().or(model)),
    ] {
        if let Some(text) = text {
            write_text(&mut row.columns[place], row.index, text)?;
        }
    }
    Some(())
}

/// Writes the output of a sample, which replaces the text of the last answer.
fn write_output<'a>(row: &mut Row<'_>, sample: &Sample<'a>, events: &Events<'a>) -> Option<()> {
    let output = sample.output.as_ref().and_then(Node::object);
    let output = output.map_or(&Node::Null, |output| output.get("completion"));
    let output = events.whole(output.clone())?;
    if let Some(text) = output.quoted().filter(|text| !text.is_empty()) {
        let column = &mut row.columns[row.places.messages.final_output];
        column.clear(row.index);
        write_text(column, row.index, &text.text()?)?;
    }
    Some(())
}

/// Writes the usage of the agent's model, unless scorers called models too.
fn write_usage(
    row: &mut Row<'_>,
    sample: &Sample<'_>,
    log: &Log,
    events: &Events<'_>,
) -> Option<()> {
    let places = &row.places.messages;
    let usage = own_usage(sample.model_usage.as_ref(), log)?;
    if let Some(usage) = usage.filter(|_| !events.has_others) {
        let column = &mut row.columns[places.usage];
        places.usage_fields.write(column, row.index, usage)?;
    }
    Some(())
}

fn write_duration(row: &mut Row<'_>, sample: &Sample<'_>) -> Option<()> {
    let duration = &mut row.columns[row.places.messages.duration];
    match &sample.total_time {
        None | Some(Node::Null) => Some(()),
        Some(Node::Number(digits)) if *digits != "-0" => {
            require(duration.number(row.index, number(digits)))
        }
        _ => None,
    }
}

/// Returns the id of a sample: a text, or an integer.
fn id(id: &Node<'_>) -> Option<String> {
    match id {
        Node::Text(text) => text.text().map(Cow::into_owned),
        Node::Number(digits) if is_integer(digits) && *digits != "-0" => Some((*digits).to_owned()),
        _ => None,
    }
}

/// Returns the usage of the agent's model, or of the only model, if there is one.
fn own_usage(by_model: Option<&Node<'_>>, log: &Log) -> Certain<Option<Usage>> {
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
            require(others.iter().any(|(key, _)| !key.is(&first)))?;
            None
        }
        (_, []) => None,
    };
    Some(counts.and_then(Usage::inspect))
}
