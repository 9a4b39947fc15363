//! Turns of version 1: each assistant message, with those up to the next one.

use super::claims::{Uncertain, code, find, program, steps};
use super::record::{Call, Failure, Turn, Usage, seconds_between};
use super::run::{Message, Run};

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

/// The turns of a run.
pub(super) fn turns<'a>(run: &'a Run<'_>) -> Result<Vec<Turn<'a>>, Uncertain> {
    let messages = &run.messages;
    let image = run.info.config.environment.image.as_ref();
    let repository = image.and_then(|image| repository(&image.0));
    let steps: Vec<usize> = messages
        .iter()
        .map(|message| steps(message.text(), repository))
        .collect::<Result<_, _>>()?;
    let mut starts: Vec<usize> = (0..messages.len())
        .filter(|&at| messages[at].is_by("assistant"))
        .collect();
    starts.push(messages.len());
    // Without an answer, the steps of all messages stand alone.
    let alone: usize = steps[..starts[0]].iter().sum();
    let mut turns = vec![Turn::default(); alone];
    for (index, bounds) in starts.windows(2).enumerate() {
        let (start, end) = (bounds[0], bounds[1]);
        let before = start.checked_sub(1).map(|at| &messages[at]);
        let turn = turn(before, &messages[start], &messages[start + 1..end])?;
        let others: usize = steps[start..end].iter().sum();
        let other = Turn {
            usage: turn.usage.map(|_| Usage::NONE),
            ..Turn::default()
        };
        turns.push(Turn {
            number: Some(index + 1),
            ..turn
        });
        turns.resize(turns.len() + others.saturating_sub(1), other);
    }
    Ok(turns)
}

fn turn<'a>(
    before: Option<&Message<'_>>,
    message: &'a Message<'_>,
    after: &'a [Message<'_>],
) -> Result<Turn<'a>, Uncertain> {
    let program = program(message.text())?;
    let mut found = None;
    for other in after {
        if found.is_none() {
            found = code(other.text())?;
        }
    }
    let mut success = found.map(|code| code.parse() == Ok(0_i64));
    let mut fault = None;
    if let Some(reason) = error(after) {
        success = Some(false);
        fault = Some(Failure {
            reason,
            message: None,
        });
    } else if let (Some(code), Some(false)) = (found, success) {
        fault = Some(Failure {
            reason: "exit_code",
            message: Some(format!("exit code {code}").into()),
        });
    }
    Ok(Turn {
        program: program.map(Into::into),
        success,
        error: fault,
        tool_calls: program
            .map(|text| Call::of(text, success))
            .into_iter()
            .collect(),
        usage: Usage::of(&message.extra),
        duration_seconds: seconds_between(before, after.last().unwrap_or(message)),
        ..Turn::default()
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

/// The folder of the repository in Multi-SWE-bench's containers, from the name of the image.
fn repository(image: &str) -> Option<&str> {
    const MARK: &str = "_m_";
    let mut rest = image;
    while let Some(at) = rest.find(MARK) {
        let name = &rest[at + MARK.len()..];
        let length = name.find([':', '/']).unwrap_or(name.len());
        if length > 0 {
            return Some(&name[..length]);
        }
        rest = &rest[at + 1..];
    }
    None
}
