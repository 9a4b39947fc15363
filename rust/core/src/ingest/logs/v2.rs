//! Turns of version 2: each answer of the model, or what interrupted it, with the messages up to
//! the next one.

use std::borrow::Cow;

use super::record::{Call, Failure, Turn, Usage, seconds_between};
use super::run::{Action, Extra, Message, Run};

/// The turns of a run.
pub(super) fn turns<'a>(run: &'a Run<'_>) -> Vec<Turn<'a>> {
    let messages = &run.messages;
    let mut starts: Vec<usize> = (0..messages.len())
        .filter(|&at| begins_turn(&messages[at]))
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
    turns.collect()
}

fn begins_turn(message: &Message<'_>) -> bool {
    let is_response = message.object.as_ref();
    message.is_by("assistant")
        || is_response.is_some_and(|object| object.0 == "response")
        || message.extra.is_interrupt()
}

fn turn<'a>(
    before: Option<&Message<'_>>,
    message: &'a Message<'_>,
    after: &'a [Message<'_>],
) -> Turn<'a> {
    let extra = &message.extra;
    let calls = calls(&extra.actions, after);
    let failed = calls.iter().find(|call| call.success == Some(false));
    let error = match (&extra.interrupt, failed) {
        (Some(reason), _) => Some(Failure {
            reason: &reason.0,
            message: Some(message.text())
                .filter(|text| !text.is_empty())
                .map(Into::into),
        }),
        (None, Some(call)) => Some(Failure {
            reason: "exit_code",
            message: call.error.clone(),
        }),
        (None, None) => None,
    };
    let is_known = !calls.is_empty() && calls.iter().all(|call| call.success.is_some());
    let success = match error {
        Some(_) => Some(false),
        None => is_known.then_some(true),
    };
    let last = after.iter().rev().find(|other| !other.is_by("exit"));
    Turn {
        program: program(&extra.actions),
        success,
        error,
        tool_calls: calls,
        usage: Usage::of(extra),
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
            call(command, observed.map(|message| &message.extra))
        });
    calls.collect()
}

fn call<'a>(command: &'a str, observed: Option<&'a Extra<'_>>) -> Call<'a> {
    let code = observed.and_then(|extra| extra.code);
    let mut call = Call::of(command, code.map(|code| code == 0));
    if let (Some(extra), Some(code), Some(false)) = (observed, code, call.success) {
        call.error = Some(match &extra.exception {
            Some(exception) => Cow::Borrowed(&*exception.0),
            None => format!("exit code {code}").into(),
        });
    }
    call
}
