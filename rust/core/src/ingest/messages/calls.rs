//! Tool calls, in every shape in which messages hold them.

use std::borrow::Cow;

use super::super::certainty::Certain;
use super::super::raw::Uncertain;
use super::super::tree::{Node, Object, Quoted};
use super::arguments::{Arguments, UNREAD};
use super::shapes::{Message, ResultValue, is_kind};
use super::tools::{self, Tool};

/// A tool call and its result.
#[derive(Clone, Debug)]
pub(in super::super) struct Call<'n> {
    pub name: Cow<'n, str>,
    pub tool: Tool,
    pub arguments: Arguments<'n>,
    pub id: Option<Cow<'n, str>>,
    pub result: Option<ResultValue<'n>>,
    pub success: Option<bool>,
    pub error: Option<Cow<'n, str>>,
}

impl<'n> Call<'n> {
    /// Returns the command or the code that a call ran.
    pub(super) fn program(&self) -> Result<Option<String>, Uncertain> {
        match self.tool {
            Tool::Shell => self.arguments.read(tools::command, |_| None),
            Tool::Interpreter => self
                .arguments
                .read(tools::code, |text| Some(text.into_owned())),
            _ => Ok(None),
        }
    }

    fn new(name: Cow<'n, str>, arguments: Arguments<'n>, id: &'n Node<'n>) -> Option<Self> {
        let id = match identity(id)? {
            Some(id) => Some(id.text()?),
            None => None,
        };
        Some(Self {
            tool: tools::tool(&name)?,
            name,
            arguments,
            id,
            result: None,
            success: None,
            error: None,
        })
    }
}

/// Returns the id of a call. Some programs write an empty string if there is none.
///
/// A number is refused: only the record reader accepts it as an id.
pub(super) fn identity<'n>(id: &'n Node<'n>) -> Certain<Option<Quoted<'n>>> {
    let is_certain = !matches!(id, Node::Number(_));
    is_certain.then(|| id.quoted().filter(|id| !id.is_empty()))
}

fn named<'n>(name: &'n Node<'n>) -> Option<Cow<'n, str>> {
    let name = name.quoted().filter(|name| !name.is_empty())?;
    name.text()
}

const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "action"];

/// Reads a call of a message; `None` if it has no name or is uncertain.
pub(super) fn call<'n>(call: &'n Node<'n>) -> Option<Call<'n>> {
    let call = call.object()?;
    let unread = call.get("parse_error");
    made(
        call,
        unread.or(call.get("error")).quoted(),
        unread.is_true(),
    )
}

/// Reads a call whose arguments `LangChain` could not parse; it does not always say why.
fn invalid<'n>(call: &'n Node<'n>) -> Option<Call<'n>> {
    let call = call.object()?;
    let reason = call.get("error").quoted().filter(|error| !error.is_empty());
    let error = reason.unwrap_or(Quoted::plain("\"the arguments are not valid JSON\""));
    made(call, Some(error), true)
}

/// Reads a call that may have failed, either because its arguments could not be parsed or later.
fn made<'n>(call: &'n Object<'n>, error: Option<Quoted<'n>>, is_unread: bool) -> Option<Call<'n>> {
    if holds_result(call) {
        return None;
    }
    let mut is_free = false;
    let (name, value) = match (call.get("function"), call.get("custom")) {
        (Node::Object(function), _) => (
            named(function.get("name"))?,
            Some(function.get("arguments")),
        ),
        (name @ Node::Text(_), _) => (named(name)?, Some(call.get("arguments"))),
        (_, Node::Object(custom)) => {
            is_free = true;
            (named(custom.get("name"))?, Some(custom.get("input")))
        }
        _ => {
            let name = call.get("name").or(call.get("tool_name")).quoted()?;
            let mut values = ARGUMENTS.iter().map(|key| call.get(key));
            let value = values.find(|value| !value.is_null());
            (spaced(call.get("namespace"), name)?, value)
        }
    };
    let error = error.filter(|error| !error.is_empty());
    let error = match error {
        Some(error) => Some(error.text()?),
        None => None,
    };
    let has_value = is_free || value.is_some_and(Node::is_true);
    let arguments = match (&error, value) {
        (Some(error), _) if !has_value => match unparsed(error) {
            Some(text) => Arguments::parsed(Cow::Owned(text.to_owned()), Arguments::Text)?,
            None if is_unread => Arguments::Text(Cow::Borrowed("")),
            None => Arguments::NONE,
        },
        (_, Some(value)) if is_free => Arguments::Value(Cow::Borrowed(value)),
        (_, Some(value)) => Arguments::of(value)?,
        (_, None) => Arguments::NONE,
    };
    let id = call.get("tool_call_id").or(call.get("call_id"));
    let made = Call::new(name, arguments, id.or(call.get("id")))?;
    Some(Call {
        success: error.is_some().then_some(false),
        error,
        ..made
    })
}

fn spaced<'n>(space: &'n Node<'n>, name: Quoted<'n>) -> Option<Cow<'n, str>> {
    match space.quoted() {
        Some(space) => Some(Cow::Owned(format!("{}.{}", space.text()?, name.text()?))),
        None if name.is_empty() => None,
        None => name.text(),
    }
}

/// Returns the arguments that an error message quotes.
fn unparsed(error: &str) -> Option<&str> {
    const OPENING: &str = "arguments:\n\n";
    let (_, rest) = error.split_once(OPENING)?;
    Some(rest.rsplit_once("\n\nError details:")?.0)
}

/// Types of calls that are executed by the model's provider.
const SERVER_CALLS: [&str; 4] = [
    "server_tool_use",
    "mcp_tool_use",
    "server_tool_call",
    "builtin-tool-call",
];
const CALLS: [&str; 3] = ["tool_use", "tool_call", "tool-call"];

/// Returns whether a call includes its result, as Inspect's calls of the model's provider do.
fn holds_result(call: &Object<'_>) -> bool {
    call.get("tool_type").quoted().is_some()
}

/// Reads the calls of a message; `None` if any of them is uncertain.
pub(super) fn calls<'n>(message: &Message<'n>, content: &'n Node<'n>) -> Option<Vec<Call<'n>>> {
    let (valid, unread) = (message.get("tool_calls"), message.get("invalid_tool_calls"));
    let parts = || {
        content
            .list()
            .unwrap_or_default()
            .iter()
            .filter_map(Node::object)
    };
    if valid.is_true() || unread.is_true() {
        let is_apart =
            |part| is_kind(part, &SERVER_CALLS) || is_kind(part, &CALLS) && holds_result(part);
        let is_list = |calls: &Node<'_>| calls.list().is_some() || !calls.is_true();
        if !is_list(valid) || !is_list(unread) || parts().any(is_apart) {
            return None;
        }
        let [valid, unread] = [valid, unread].map(|calls| calls.list().unwrap_or_default());
        return valid
            .iter()
            .map(call)
            .chain(unread.iter().map(invalid))
            .collect();
    }
    let mut found = Vec::new();
    let older = message.get("additional_kwargs").object();
    if older.is_some_and(|older| !older.get("function_call").is_null()) {
        return None;
    }
    if let Node::Object(function) = message.get("function_call") {
        let name = named(function.get("name"))?;
        let arguments = Arguments::of(function.get("arguments"))?;
        found.push(Call::new(name, arguments, &Node::Null)?);
    }
    for part in content.list().unwrap_or_default() {
        let is_call = |part| is_kind(part, &CALLS) || is_kind(part, &SERVER_CALLS);
        if part.object().is_some_and(is_call) {
            found.push(call(part)?);
        }
    }
    Some(found)
}

/// Keys of an item that are not arguments of its call.
const OURS: [&str; 12] = [
    "call_id",
    "caller",
    "created_by",
    "error",
    "fingerprint",
    "id",
    "name",
    "output",
    "outputs",
    "results",
    "status",
    "type",
];

/// Reads a call that is a separate item of `OpenAI`'s Responses, of a type that ends in `_call`.
pub(super) fn item<'n>(item: &Message<'n>, kind: &str) -> Option<Call<'n>> {
    let is_plain = item.get("outputs").is_null() && item.get("results").is_null();
    if !is_plain || item.get("status").is("failed") || kind == "image_generation_call" {
        return None;
    }
    let id = item.get("call_id").or(item.get("id"));
    if kind == "custom_tool_call" {
        let name = named(item.get("name"))?;
        return Call::new(name, Arguments::Value(Cow::Borrowed(item.get("input"))), id);
    }
    let name = match item.get("name") {
        name if !name.is_true() => Cow::Owned(kind.strip_suffix("_call")?.to_owned()),
        name => named(name)?,
    };
    let space = item.get("namespace").or(item.get("server_label")).quoted();
    let name = match space {
        Some(space) => Cow::Owned(format!("{}.{name}", space.text()?)),
        None => name,
    };
    let mut values = ["arguments", "action"].iter().map(|key| item.get(key));
    let arguments = match values.find(|value| !value.is_null()) {
        Some(value) => Arguments::of(value)?,
        None => rest(item)?,
    };
    (!name.is_empty()).then(|| Call::new(name, arguments, id))?
}

/// Returns the keys of an item that not every item has, as arguments.
fn rest<'n>(item: &Message<'n>) -> Option<Arguments<'n>> {
    let own = item.bare().filter(|own| own.has_distinct_keys())?;
    let mut members = own.members.clone();
    members.retain(|(key, value)| !value.is_null() && !OURS.iter().any(|ours| key.is(ours)));
    let is_unread = members.iter().any(|(key, _)| key.is(UNREAD));
    let json = None;
    (!is_unread).then_some(Arguments::Value(Cow::Owned(Node::Object(Object {
        json,
        members,
    }))))
}
