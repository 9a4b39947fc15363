//! A sample of an Inspect log, in one epoch, as a row.

use super::super::Row;
use super::super::messages::{Conversation, Nothing, Target, Usage, write_text};
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

pub(super) fn ok(condition: bool) -> Option<()> {
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
