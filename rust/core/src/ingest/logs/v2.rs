//! Turns of version 2: each answer of the model, or what interrupted it, with the messages up to
//! the next one.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::super::parser::Parser;
use super::super::tree::Quoted;
use super::content::joined;
use super::fields::{Kept, Value};
use super::observations::{Uncertain, hidden};
use super::record::{Arguments, Call, Failure, Printed, Turn, Usage, seconds_between};
use super::responses::{Choices, Output};
use super::run::{Action, Message, Run, TurnMessages};
use super::views::Folder;
use crate::shell::{Executed, View};

/// The text that the harness returns for a call that it did not run.
const NOT_EXECUTED: &str = "action was not executed";

/// Prefix of the names of interruptions by the user, which do not begin a turn.
const BY_USER: &str = "User";
/// The interruption that does not concern the answer before it: the run continues with a new task
/// after its submission.
const NEW_TASK: &str = "UserNewTask";

/// Returns the turns of a run, with the views that `folder` finds, if it looks for any.
pub(super) fn turns<'a>(
    run: &'a Run<'_>,
    mut folder: Option<&mut Folder<'_>>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    run.turns(begins_turn)
        .map(|messages| turn(&messages, folder.as_deref_mut()))
        .collect()
}

/// Returns the messages that begin the turns.
pub(super) fn starts<'a, 'r>(run: &'a Run<'r>) -> impl Iterator<Item = &'a Message<'r>> {
    run.messages.iter().filter(|message| begins_turn(message))
}

/// Returns the commands that a message asks for.
pub(super) fn commands<'a>(message: &'a Message<'_>) -> impl Iterator<Item = &'a str> {
    actions(&message.extra.actions).map(|(command, _)| command)
}

fn begins_turn(message: &Message<'_>) -> bool {
    let extra = &message.extra;
    let is_answer = message.is_by("assistant") || message.is_response();
    is_answer || (extra.is_interrupt() && stopped(message).is_none())
}

/// Returns the name of the interruption by which the user stopped an answer, if a message reports
/// one.
fn stopped<'a>(message: &'a Message<'_>) -> Option<&'a str> {
    let interrupt = message.extra.interrupt.as_deref();
    interrupt.filter(|interrupt| interrupt.starts_with(BY_USER))
}

fn turn<'a>(
    messages: &TurnMessages<'a, '_>,
    folder: Option<&mut Folder<'_>>,
) -> Result<Turn<'a>, Uncertain> {
    let &TurnMessages {
        number,
        before,
        first: message,
        after,
    } = messages;
    let extra = &message.extra;
    let done = calls(&extra.actions, after);
    let mut views = Vec::new();
    if let Some(folder) = folder {
        for done in &done {
            see(number, done, folder, &mut views)?;
        }
    }
    let failed = done.iter().find(|done| done.call.success == Some(false));
    let failed = failed.map(|done| done.call.error.clone());
    let (error, tool_calls) = if let Some(interrupt) = extra.interrupt.as_ref() {
        let error = Failure {
            reason: interrupt,
            message: text_in(message),
        };
        (Some(error), refused(message)?)
    } else {
        let error = match failed {
            Some(message) => Some(Failure {
                reason: "exit_code",
                message,
            }),
            None => after.iter().find_map(stop),
        };
        (error, done.into_iter().map(|done| done.call).collect())
    };
    let is_known = !tool_calls.is_empty() && tool_calls.iter().all(|call| call.success.is_some());
    let success = match error {
        Some(_) => Some(false),
        None => is_known.then_some(true),
    };
    let last = after.iter().rev().find(|other| !other.is_by("exit"));
    Ok(Turn {
        number: Some(number),
        program: program(&extra.actions),
        text: answer_text(message)?
            .filter(|text| !text.is_empty())
            .map(Printed::Text),
        success,
        error,
        tool_calls,
        views: Some(views),
        usage: Usage::of(message),
        duration_seconds: seconds_between(before, last.unwrap_or(message)),
    })
}

/// Returns the failure of an answer that the user stopped, if this message reports that.
fn stop<'a>(message: &'a Message<'_>) -> Option<Failure<'a>> {
    Some(Failure {
        reason: stopped(message).filter(|&reason| reason != NEW_TASK)?,
        message: text_in(message),
    })
}

fn text_in<'a>(message: &'a Message<'_>) -> Option<Cow<'a, str>> {
    Some(message.text())
        .filter(|text| !text.is_empty())
        .map(Cow::Borrowed)
}

/// Returns the text of the model's answer, or of the response that a message refuses.
fn answer_text<'a>(message: &'a Message<'_>) -> Result<Option<Cow<'a, str>>, Uncertain> {
    if !message.extra.is_interrupt() {
        return Ok(Some(if message.has_output() {
            message.said()
        } else {
            message.text().into()
        }));
    }
    let said = output_of(message)?.said().into_owned();
    if !said.is_empty() {
        return Ok(Some(said.into()));
    }
    let choice = choices_of(message)?.0.into_iter().next();
    let said = choice.map(|choice| choice.message.text().to_owned());
    Ok(match said.filter(|said| !said.is_empty()) {
        Some(said) => Some(said.into()),
        None => message.extra.answer.as_deref().map(Cow::Borrowed),
    })
}

/// Returns the items of the response that a message refuses.
fn output_of<'a>(message: &'a Message<'_>) -> Result<Output<'a>, Uncertain> {
    parsed(message.extra.response.output)
}

/// Returns the answers of the response that a message refuses.
fn choices_of<'a>(message: &'a Message<'_>) -> Result<Choices<'a>, Uncertain> {
    parsed(message.extra.response.choices)
}

fn parsed<'a, T: Value<'a> + Default>(kept: Option<Kept<'a>>) -> Result<T, Uncertain> {
    kept.map_or_else(
        || Ok(T::default()),
        |kept| T::read(&mut Parser::new(kept.0)).ok_or(Uncertain),
    )
}

/// Returns the calls of a response that the harness could not use, with arguments as written.
fn refused<'a>(message: &'a Message<'_>) -> Result<Vec<Call<'a>>, Uncertain> {
    let items = if let Output::Items(items) = output_of(message)? {
        items
    } else {
        let choice = choices_of(message)?.0.into_iter().next();
        choice.map_or_else(Vec::new, |choice| choice.message.calls)
    };
    let calls = items.into_iter().filter_map(|item| {
        let requested = item.into_call()?;
        Some(Call {
            id: requested.id,
            name: requested.name,
            arguments: Arguments::Written(requested.arguments),
            result: None,
            success: Some(false),
            error: text_in(message),
        })
    });
    Ok(calls.collect())
}

fn actions<'a>(actions: &'a [Action<'_>]) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
    actions.iter().filter_map(|action| {
        let id = action.id.as_deref().filter(|id| !id.is_empty());
        Some((action.command.as_deref()?, id))
    })
}

fn program<'a>(actions: &'a [Action<'_>]) -> Option<Cow<'a, str>> {
    joined(self::actions(actions).map(|(command, _)| command.into()))
}

/// A command and its result.
struct Done<'a> {
    command: &'a str,
    call: Call<'a>,
    /// Exit code, and the message with the output.
    observed: Option<(i64, &'a Message<'a>)>,
}

/// Pairs the calls of a turn with their observations: by id or, failing that, by position.
///
/// Servers may give the same id to several calls, whose observations are then in the order of the
/// calls. Messages after a command of the user belong to that command.
fn calls<'a>(actions: &'a [Action<'_>], after: &'a [Message<'_>]) -> Vec<Done<'a>> {
    let own = after.iter().take_while(|m| m.extra.actions.is_empty());
    let found: Vec<&Message<'_>> = own.filter(|m| m.extra.has_code()).collect();
    let mut by_id: FxHashMap<&str, VecDeque<&Message<'_>>> = FxHashMap::default();
    for message in &found {
        let (id, other) = (message.tool_call.as_deref(), message.call.as_deref());
        let other = other.filter(|_| other != id);
        for id in [id, other].into_iter().flatten() {
            by_id.entry(id).or_default().push_back(message);
        }
    }
    let calls = self::actions(actions)
        .enumerate()
        .map(|(position, (command, id))| {
            let observed = match id {
                None => found.get(position).copied(),
                Some(id) => by_id.get_mut(id).and_then(VecDeque::pop_front),
            };
            let mut done = call(command, observed);
            done.call.id = id.map(Cow::Borrowed);
            done
        });
    calls.collect()
}

fn call<'a>(command: &'a str, observed: Option<&'a Message<'_>>) -> Done<'a> {
    let extra = observed.map(|message| &message.extra);
    let exception = extra.and_then(|extra| extra.exception.as_ref());
    let exception = exception
        .map(|text| &**text)
        .filter(|text| !text.is_empty());
    let code = extra
        .and_then(|extra| extra.code)
        .filter(|_| exception != Some(NOT_EXECUTED));
    let mut call = Call::of(command, code.map(|code| code == 0));
    let observed = code.zip(observed);
    if let Some((code, message)) = observed {
        call.result = message
            .extra
            .output
            .map(|output| Printed::Escaped(output.inside()));
        if code != 0 {
            let shown = Some(message.shown()).filter(|text| !text.is_empty());
            call.error = Some(match exception.or(shown) {
                Some(text) => text.into(),
                None => format!("exit code {code}").into(),
            });
        }
    }
    Done {
        command,
        call,
        observed,
    }
}

/// Adds the views of a command, from the part of its output that the agent was shown.
fn see(
    number: usize,
    done: &Done<'_>,
    folder: &mut Folder<'_>,
    views: &mut Vec<View>,
) -> Result<(), Uncertain> {
    let Some((code, message)) = done.observed else {
        return Ok(());
    };
    let output = message.extra.output.map(Quoted::certain).transpose()?;
    let output = output.as_deref();
    let executed = Executed {
        command: done.command,
        output,
        code: Some(code),
        hidden: output.map_or(Ok(None), |output| hidden(output, message.shown()))?,
        ..Executed::default()
    };
    folder.see(number, &executed, views)
}
