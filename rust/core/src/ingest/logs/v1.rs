//! Turns of version 1: each assistant message, with the messages up to the next one.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::observations::{Uncertain, observation, program};
use super::record::{Call, Failure, Printed, Turn, Usage, seconds_between};
use super::run::{Message, Run, TurnMessages};
use super::views::Folder;
use crate::shell::Executed;

/// Beginnings of messages in which the harness reports that the agent, not its command, failed, or
/// that the user stopped it.
const ERRORS: [(&str, &str); 7] = [
    ("command_timeout", "The last command <command>"),
    (
        "missing_context",
        "ERROR: This action appears to print source code content",
    ),
    (
        "context_format_error",
        "ERROR: The context format is incorrect",
    ),
    ("step_timeout", "Step response timed out after"),
    (
        "retry_limit",
        "Repeated read-file actions without valid EXPLORE_CONTEXT",
    ),
    ("UserRejection", "Command not executed. "),
    ("UserInterruption", "Interrupted by user: "),
];

/// The error that may be mentioned anywhere in a message except the output of a command, and that
/// takes precedence over the others.
const FORMAT_ERROR: &str = "format_error";
static FORMAT_SIGN: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("Please always provide EXACTLY ONE action"));

/// Returns the turns of a run, with the views that `folder` finds, if it looks for any.
pub(super) fn turns<'a>(
    run: &'a Run<'_>,
    mut folder: Option<&mut Folder<'_>>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    run.turns(|message| message.is_by("assistant"))
        .map(|messages| turn(&messages, folder.as_deref_mut()))
        .collect()
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
    let program = program(message.content.around_blocks());
    let found = after
        .iter()
        .find_map(|other| Some((other, observation(&other.content)?)));
    let mut views = Vec::new();
    if let (Some(command), Some((_, observed)), Some(folder)) = (program, &found, folder) {
        let output = observed.output.as_ref().map(Printed::text).transpose()?;
        let executed = Executed {
            command,
            output: output.as_deref(),
            code: Some(observed.code),
            ..Executed::default()
        };
        folder.see(number, &executed, &mut views)?;
    }
    let code = found.as_ref().map(|(_, observed)| observed.code);
    let fault = failure(after, code);
    let success = match fault {
        Some(_) => Some(false),
        None => code.map(|_| true),
    };
    let call = program.map(|text| {
        let mut call = Call::of(text, success);
        if success == Some(false) {
            let shown = found
                .as_ref()
                .map(|(message, _)| *message)
                .or(after.first());
            call.error = shown.map(|message| message.text().into());
        }
        call.result = found.and_then(|(_, observed)| observed.output);
        call
    });
    Ok(Turn {
        number: Some(number),
        program: program.map(Into::into),
        text: Some(message.content.printed()),
        success,
        error: fault,
        tool_calls: call.into_iter().collect(),
        views: Some(views),
        usage: Usage::of(message),
        duration_seconds: seconds_between(before, after.last().unwrap_or(message)),
    })
}

/// Returns why a turn failed: its message could not be used, or its command failed.
fn failure<'a>(after: &[Message<'_>], code: Option<i64>) -> Option<Failure<'a>> {
    if let Some(reason) = error(after) {
        return Some(Failure {
            reason,
            message: None,
        });
    }
    let code = code.filter(|&code| code != 0)?;
    Some(Failure {
        reason: "exit_code",
        message: Some(format!("exit code {code}").into()),
    })
}

fn error(messages: &[Message<'_>]) -> Option<&'static str> {
    let is_refused = |message: &Message<'_>| {
        FORMAT_SIGN.find(signs(message).as_bytes()).is_some()
            && observation(&message.content).is_none()
    };
    if messages.iter().any(is_refused) {
        return Some(FORMAT_ERROR);
    }
    let begins = |sign: &str| messages.iter().any(|each| signs(each).starts_with(sign));
    let found = ERRORS.iter().find(|(_, sign)| begins(sign));
    found.map(|(reason, _)| *reason)
}

/// Returns the text in which to look for signs, none of which contains a character that JSON
/// escapes.
fn signs<'a>(message: &'a Message<'_>) -> &'a str {
    let content = &message.content;
    content.written().unwrap_or_else(|| content.text())
}
