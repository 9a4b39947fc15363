//! Turns of version 1: each assistant message, with those up to the next one.

use super::observations::{Uncertain, find, observation, program};
use super::record::{Call, Failure, Turn, Usage, seconds_between};
use super::run::{Message, Run};
use super::views::Folder;
use crate::shell::Executed;

/// How the harness says that the agent, not its command, failed: by the beginning of a message.
const ERRORS: [(&str, &str); 5] = [
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
];

/// The one that may stand anywhere in a message, and counts before the others.
const FORMAT_ERROR: (&str, &str) = ("format_error", "Please always provide EXACTLY ONE action");

/// The turns of a run, with what `folder` sees if it looks.
pub(super) fn turns<'a>(
    run: &'a Run<'_>,
    mut folder: Option<&mut Folder<'_>>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    let messages = &run.messages;
    let mut starts: Vec<usize> = (0..messages.len())
        .filter(|&at| messages[at].is_by("assistant"))
        .collect();
    starts.push(messages.len());
    let turns = starts.windows(2).enumerate().map(|(index, bounds)| {
        let (start, end) = (bounds[0], bounds[1]);
        let before = start.checked_sub(1).map(|at| &messages[at]);
        let after = &messages[start + 1..end];
        turn(
            index + 1,
            before,
            &messages[start],
            after,
            folder.as_deref_mut(),
        )
    });
    turns.collect()
}

fn turn<'a>(
    number: usize,
    before: Option<&Message<'_>>,
    message: &'a Message<'_>,
    after: &'a [Message<'_>],
    folder: Option<&mut Folder<'_>>,
) -> Result<Turn<'a>, Uncertain> {
    let program = program(message.text());
    let found = after
        .iter()
        .find_map(|other| Some((other.text(), observation(other.text())?)));
    let mut views = Vec::new();
    if let (Some(command), Some((_, observed)), Some(folder)) = (program, &found, folder) {
        let executed = Executed {
            command,
            output: observed.output.as_deref(),
            code: Some(observed.code),
            ..Executed::default()
        };
        folder.see(number, &executed, &mut views)?;
    }
    let mut success = found.as_ref().map(|(_, observed)| observed.code == 0);
    let mut fault = None;
    if let Some(reason) = error(after) {
        success = Some(false);
        fault = Some(Failure {
            reason,
            message: None,
        });
    } else if let (Some((_, observed)), Some(false)) = (&found, success) {
        fault = Some(Failure {
            reason: "exit_code",
            message: Some(format!("exit code {}", observed.code).into()),
        });
    }
    let call = program.map(|text| {
        let mut call = Call::of(text, success);
        if success == Some(false) {
            let shown = found.as_ref().map(|(text, _)| *text);
            call.error = shown
                .or_else(|| after.first().map(Message::text))
                .map(Into::into);
        }
        call.result = found.and_then(|(_, observed)| observed.output);
        call
    });
    Ok(Turn {
        number,
        program: program.map(Into::into),
        text: Some(message.text().into()),
        success,
        error: fault,
        tool_calls: call.into_iter().collect(),
        views: Some(views),
        usage: Usage::of(message),
        duration_seconds: seconds_between(before, after.last().unwrap_or(message)),
    })
}

fn error(messages: &[Message<'_>]) -> Option<&'static str> {
    let any = |is_sign: &dyn Fn(&str) -> bool| messages.iter().any(|each| is_sign(each.text()));
    let (reason, sign) = FORMAT_ERROR;
    if any(&|text| find(text, sign).is_some()) {
        return Some(reason);
    }
    let mut errors = ERRORS.iter();
    let found = errors.find(|(_, sign)| any(&|text| text.starts_with(sign)));
    found.map(|(reason, _)| *reason)
}
