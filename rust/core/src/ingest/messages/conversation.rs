//! Conversion of a list of messages to turns: each answer of the model, with the results of its
//! calls.
//!
//! If the record reader would report anything about a message, the whole list is left to it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::super::certainty::Certain;
use super::super::tree::{Node, Object, Quoted};
use super::calls::{self, Call};
use super::results::{self, CallResult};
use super::roles::{Part, is_beside, is_of_records, is_silent};
use super::shapes::{Message, ResultValue, content_texts, result_value};
use super::usage::Usage;
use super::waiting::Waiting;

/// The error of a failed call without a result.
const NO_REASON: &str = "the call failed";

/// A turn to which calls and results may still be added.
#[derive(Debug, Default)]
pub(in super::super) struct Draft<'n> {
    /// Whether further items of the model's answer belong to this turn.
    is_flat: bool,
    pub texts: Vec<Quoted<'n>>,
    pub calls: Vec<Call<'n>>,
    pub agent: Option<Quoted<'n>>,
    pub model: Option<Quoted<'n>>,
    pub usage: Option<Usage>,
    waiting: Waiting<'n>,
}

/// The turns of the messages added so far.
///
/// Every method returns `None` if the list is not certain to mean the same to the record reader.
#[derive(Debug)]
pub(in super::super) struct Conversation<'n> {
    usage: fn(&Message<'_>) -> Option<Usage>,
    by_id: FxHashMap<Cow<'n, str>, (usize, usize)>,
    pub drafts: Vec<Draft<'n>>,
    /// The text of the conversation; `None` if its column is not wanted.
    pub transcript: Option<String>,
}

impl<'n> Conversation<'n> {
    pub(in super::super) fn new(
        usage: fn(&Message<'_>) -> Option<Usage>,
        keeps_transcript: bool,
    ) -> Self {
        Self {
            usage,
            by_id: FxHashMap::default(),
            drafts: Vec::new(),
            transcript: keeps_transcript.then(String::new),
        }
    }

    pub(in super::super) fn add(&mut self, message: &'n Node<'n>) -> Option<()> {
        let message = message.object()?;
        let role = message.get("role");
        if role.is_null() || !message.get("type").is_null() {
            return self.add_unlabelled(message);
        }
        let role = role.quoted()?;
        if is_silent(role) {
            return Some(());
        }
        self.take(&Message::plain(message), Part::of(role)?)
    }

    /// Returns the model that the latest answers name as their own, if any.
    pub(in super::super) fn model(&self) -> Certain<Option<Cow<'n, str>>> {
        let mut models = self.drafts.iter().rev().filter_map(|draft| draft.model);
        match models.find(|model| !model.is_empty()) {
            Some(model) => model.text().map(Some),
            None => Some(None),
        }
    }

    fn take(&mut self, message: &Message<'n>, part: Part) -> Option<()> {
        match part {
            Part::Answer => self.answer(message),
            Part::Result => self.result(message),
            Part::Asked => self.user(message),
        }
    }

    /// Adds a message that has a type, with or without a role.
    fn add_unlabelled(&mut self, object: &'n Object<'n>) -> Option<()> {
        let message = Message::unwrapped(object);
        let kind = message.get("type");
        let role = message.get("role").or(kind);
        if kind.quoted().is_some_and(is_beside) {
            return Some(());
        }
        if kind.is("message") && role.is("assistant") && is_item(&message)? {
            let texts = content_texts(message.get("content"));
            let draft = self.flat();
            return self.say(draft, texts);
        }
        if let Some(part) = role.quoted().and_then(Part::of) {
            return self.take(&message, part);
        }
        if message.get("object").is("response") {
            if let Node::List(output) = message.get("output") {
                return self.response(&message, &output.items);
            }
        }
        let whole = message.get("kind");
        if whole.is("request") || whole.is("response") {
            return None;
        }
        let kind = kind.quoted()?;
        if is_of_records(kind) {
            return None;
        }
        let kind = kind.text()?;
        if kind == "reasoning" || kind == "compaction" {
            self.flat();
            Some(())
        } else if kind.ends_with("_call_output") {
            self.give(results::of_item(&message)?)
        } else if kind.ends_with("_call") {
            self.item_call(&message, &kind)
        } else {
            role.quoted().filter(|role| is_silent(*role)).map(|_| ())
        }
    }

    fn answer(&mut self, message: &Message<'n>) -> Option<()> {
        let draft = self.drafts.len();
        self.drafts.push(Draft::default());
        let content = message.content();
        let mut texts = content_texts(content);
        if texts.is_empty() {
            let refusal = message.get("refusal").quoted();
            texts.extend(refusal.filter(|text| !text.is_empty()));
            let more = message.get("additional_kwargs").object();
            if texts.is_empty() && more.is_some_and(|more| more.get("refusal").is_true()) {
                return None;
            }
        }
        self.say(draft, texts)?;
        for call in calls::calls(message, content)? {
            self.call(draft, call)?;
        }
        if let Node::List(parts) = content {
            self.results_in(&parts.items)?;
        }
        let draft = &mut self.drafts[draft];
        draft.agent = message.get("name").quoted();
        draft.model = message.model();
        draft.usage = (self.usage)(message);
        Some(())
    }

    fn say(&mut self, draft: usize, texts: Vec<Quoted<'n>>) -> Option<()> {
        if texts.is_empty() {
            return Some(());
        }
        self.note("assistant: ", &texts)?;
        self.drafts[draft].texts.extend(texts);
        Some(())
    }

    /// Appends texts to the transcript, after who wrote them.
    fn note(&mut self, who: &str, texts: &[Quoted<'n>]) -> Option<()> {
        if texts.is_empty() {
            return Some(());
        }
        if let Some(transcript) = &mut self.transcript {
            begin_entry(transcript, who);
            for text in texts {
                transcript.push_str(&text.text()?);
            }
        }
        Some(())
    }

    /// Adds a call; `None` if another call of the turn has its id.
    fn call(&mut self, draft: usize, call: Call<'n>) -> Option<()> {
        let calls = &mut self.drafts[draft].calls;
        if let Some(id) = &call.id {
            let before = self.by_id.insert(id.clone(), (draft, calls.len()));
            if before.is_some_and(|(turn, _)| turn == draft) {
                return None;
            }
        }
        calls.push(call);
        Some(())
    }

    /// Adds a message that holds the result of a call.
    fn result(&mut self, message: &Message<'n>) -> Option<()> {
        if let Node::List(parts) = message.get("parts") {
            return self.results_in(&parts.items);
        }
        self.give(results::of_message(message)?)
    }

    fn user(&mut self, message: &Message<'n>) -> Option<()> {
        let content = message.content();
        if let Node::List(parts) = content {
            self.results_in(&parts.items)?;
        }
        self.end_flat();
        self.note("user: ", &content_texts(content))
    }

    /// Adds the results among the parts of a message.
    fn results_in(&mut self, parts: &'n [Node<'n>]) -> Option<()> {
        for part in parts.iter().filter_map(Node::object) {
            if let Some(found) = results::of_part(part)? {
                self.give(found)?;
            }
        }
        Some(())
    }

    /// Assigns a result to its call.
    fn give(&mut self, result: CallResult<'n>) -> Option<()> {
        let (draft, call) = match calls::identity(result.id)? {
            Some(id) => *self.by_id.get(&id.text()?)?,
            None => self.waiting(result.name)?,
        };
        let is_text = result.value.as_ref().is_some_and(ResultValue::is_text);
        let text = result
            .value
            .as_ref()
            .filter(|value| is_text && !value.inside().is_empty());
        if let (Some(transcript), Some(text)) = (&mut self.transcript, text) {
            begin_entry(transcript, "tool: ");
            transcript.push_str(&text.text()?);
        }
        let call = &mut self.drafts[draft].calls[call];
        if call.success.is_none() || result.success == Some(false) {
            call.success = result.success;
        }
        if result.success == Some(false) && call.error.is_none() {
            let named = result.error.filter(|error| !error.is_empty());
            call.error = Some(match (named, text) {
                (Some(error), _) => error.text()?,
                (None, Some(text)) => Cow::Owned(text.text()?.into_owned()),
                // Only Python knows how it formats other values.
                (None, None) if is_text || result.value.is_none() => Cow::Borrowed(NO_REASON),
                (None, None) => return None,
            });
        }
        if result.value.is_some() {
            call.result = result.value;
        }
        self.end_flat();
        Some(())
    }

    /// Returns the first call of the last turn without a result, with this name if one is
    /// specified.
    fn waiting(&mut self, name: Option<Quoted<'_>>) -> Option<(usize, usize)> {
        let last = self.drafts.len().checked_sub(1)?;
        let Draft { calls, waiting, .. } = &mut self.drafts[last];
        let place = match name {
            Some(name) => waiting.named(&name.text()?, calls),
            None => waiting.first(calls),
        };
        Some((last, place?))
    }

    fn end_flat(&mut self) {
        if let Some(last) = self.drafts.last_mut() {
            last.is_flat = false;
        }
    }

    /// Returns the turn that an item of the model's answer belongs to.
    fn flat(&mut self) -> usize {
        if !self.drafts.last().is_some_and(|last| last.is_flat) {
            self.drafts.push(Draft {
                is_flat: true,
                ..Draft::default()
            });
        }
        self.drafts.len() - 1
    }

    fn item_call(&mut self, item: &Message<'n>, kind: &str) -> Option<()> {
        let draft = self.flat();
        let mut call = calls::item(item, kind)?;
        let (output, error) = (item.get("output"), item.get("error"));
        if !output.is_null() || !error.is_null() {
            call.result = Some(result_value(output)?);
            call.success = Some(error.is_null());
            if !error.is_null() {
                call.error = Some(error.quoted()?.text()?);
            }
        }
        self.call(draft, call)
    }

    /// Adds a complete answer of `OpenAI`'s Responses.
    fn response(&mut self, response: &Message<'n>, output: &'n [Node<'n>]) -> Option<()> {
        self.end_flat();
        let draft = self.flat();
        for item in output {
            self.add(item)?;
        }
        let draft = &mut self.drafts[draft];
        draft.is_flat = false;
        draft.model = response.model();
        draft.usage = (self.usage)(response);
        Some(())
    }
}

/// Returns whether a message is an item of `OpenAI`'s Responses, which holds neither calls nor
/// usage.
///
/// A message of Anthropic's has the same type, and may have been stored without its stop reason.
fn is_item(message: &Message<'_>) -> Option<bool> {
    if message.has("stop_reason") || !message.get("usage").is_null() {
        return Some(false);
    }
    Some(calls::calls(message, message.get("content"))?.is_empty())
}

fn begin_entry(transcript: &mut String, who: &str) {
    transcript.push_str(if transcript.is_empty() { "" } else { "\n\n" });
    transcript.push_str(who);
}
