//! Turns of version 2: each answer of the model, or what interrupted it, with the messages up to
//! the next one.

use std::borrow::Cow;

use super::observations::Uncertain;
use super::record::{Call, Failure, Turn, Usage, seconds_between};
use super::run::{Action, Message, Run};

/// What the harness says of a call that it did not run.
const NOT_EXECUTED: &str = "action was not executed";

/// The turns of a run, unless there is one that the record reader has to read.
pub(super) fn turns<'a>(run: &'a Run<'_>) -> Result<Vec<Turn<'a>>, Uncertain> {
    let messages = &run.messages;
    if messages
        .iter()
        .any(|message| message.has_output() || message.extra.is_interrupt())
    {
        return Err(Uncertain);
    }
    let mut starts: Vec<usize> = (0..messages.len())
        .filter(|&at| messages[at].is_by("assistant") || messages[at].is_response())
        .collect();
    starts.push(messages.len());
    let turns = starts.windows(2).enumerate().map(|(index, bounds)| {
        let (start, end) = (bounds[0], bounds[1]);
        let before = start.checked_sub(1).map(|at| &messages[at]);
        let turn = turn(before, &messages[start], &messages[start + 1..end]);
        Turn {
            number: Some(index + 1),
            ..turn
        }
    });
    Ok(turns.collect())
}

fn turn<'a>(
    before: Option<&Message<'_>>,
    message: &'a Message<'_>,
    after: &'a [Message<'_>],
) -> Turn<'a> {
    let extra = &message.extra;
    let calls = calls(&extra.actions, after);
    let failed = calls.iter().find(|call| call.success == Some(false));
    let error = failed.map(|call| Failure {
        reason: "exit_code",
        message: call.error.clone(),
    });
    let is_known = !calls.is_empty() && calls.iter().all(|call| call.success.is_some());
    let success = match error {
        Some(_) => Some(false),
        None => is_known.then_some(true),
    };
    let last = after.iter().rev().find(|other| !other.is_by("exit"));
    Turn {
        program: program(&extra.actions),
        text: Some(message.text()).filter(|text| !text.is_empty()),
        success,
        error,
        tool_calls: calls,
        usage: Usage::of(message),
        duration_seconds: seconds_between(before, last.unwrap_or(message)),
        ..Turn::default()
    }
}

fn commands<'a>(actions: &'a [Action<'_>]) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
    actions.iter().filter_map(|action| {
        let id = action.id.as_ref().map(|id| &*id.0);
        Some((&*action.command.as_ref()?.0, id))
    })
}

fn program<'a>(actions: &'a [Action<'_>]) -> Option<Cow<'a, str>> {
    let mut programs = commands(actions).map(|(command, _)| command);
    let first = programs.next()?;
    let others: Vec<&str> = programs.collect();
    Some(if others.is_empty() {
        first.into()
    } else {
        [&[first], &others[..]].concat().join("\n").into()
    })
}

/// The calls of a turn, each with what was observed: by its id, else by its position.
fn calls<'a>(actions: &'a [Action<'_>], after: &'a [Message<'_>]) -> Vec<Call<'a>> {
    let found: Vec<&Message<'_>> = after.iter().filter(|m| m.extra.has_code()).collect();
    let calls = commands(actions)
        .enumerate()
        .map(|(position, (command, id))| {
            let observed = match id {
                None => found.get(position).copied(),
                Some(id) => found.iter().copied().find(|message| {
                    let ids = [&message.tool_call, &message.call];
                    ids.into_iter().flatten().any(|own| own.0 == id)
                }),
            };
            let mut call = call(command, observed);
            call.id = id;
            call
        });
    calls.collect()
}

fn call<'a>(command: &'a str, observed: Option<&'a Message<'_>>) -> Call<'a> {
    let extra = observed.map(|message| &message.extra);
    let exception = extra.and_then(|extra| extra.exception.as_ref());
    let exception = exception
        .map(|text| &*text.0)
        .filter(|text| !text.is_empty());
    let code = extra
        .and_then(|extra| extra.code)
        .filter(|_| exception != Some(NOT_EXECUTED));
    let mut call = Call::of(command, code.map(|code| code == 0));
    if let (Some(message), Some(code)) = (observed, code) {
        let output = message.extra.output.as_ref();
        call.result = output.map(|text| Cow::Borrowed(&*text.0));
        if code != 0 {
            let shown = Some(message.text()).filter(|text| !text.is_empty());
            call.error = Some(match exception.or(shown) {
                Some(text) => text.into(),
                None => format!("exit code {code}").into(),
            });
        }
    }
    call
}
