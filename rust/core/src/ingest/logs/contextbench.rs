//! Views of the profile `contextbench`, by the rules of `ContextBench`'s own reader.
//!
//! It reads the context that the agent declares or, if there is none, the commands that it ran, but
//! never their output.

use super::claims::{FINAL, Files, blocks, claims, path_in_repository};
use super::commands::shown;
use super::observations::{Uncertain, first_program};
use super::record::{Turn, Usage};
use super::run::{Message, Run};
use super::{v1, v2};
use crate::shell::{Extent, View};

const CLAIM: (&str, &str) = ("<explore_context>", "</explore_context>");
const ASKS_FOR_CLAIMS: [&str; 2] = ["<EXPLORE_CONTEXT>", "<PATCH_CONTEXT>"];

/// Converts turns of version 1. A turn with several steps is followed by turns with one step each.
pub(super) fn turns_1<'a>(
    run: &'a Run<'_>,
    repository: Option<&str>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    let messages = &run.messages;
    let steps = |message: &Message<'_>| -> Result<Vec<Vec<View>>, Uncertain> {
        if !message.content.has(CLAIM.0) {
            return Ok(Vec::new());
        }
        let found = blocks(message.text(), CLAIM).into_iter();
        let found = found.map(|block| claims(block, repository));
        let found: Result<Vec<_>, _> = found.collect();
        Ok(found?
            .into_iter()
            .filter(|views| !views.is_empty())
            .collect())
    };
    let claimed: Result<Vec<_>, _> = messages.iter().map(steps).collect();
    let mut claimed = claimed?;
    let has_claims = claimed.iter().any(|steps| !steps.is_empty());
    let first = messages
        .iter()
        .position(|message| message.is_by("assistant"));
    let before = claimed[..first.unwrap_or(messages.len())].iter_mut();
    let mut turns: Vec<Turn<'a>> = before.flat_map(std::mem::take).map(step).collect();
    let mut end = first.unwrap_or(messages.len());
    for mut turn in v1::turns(run, None)? {
        let start = end;
        let next = messages[start + 1..]
            .iter()
            .position(|message| message.is_by("assistant"));
        end = next.map_or(messages.len(), |next| start + 1 + next);
        let mut steps = if has_claims {
            claimed[start..end]
                .iter_mut()
                .flat_map(std::mem::take)
                .collect()
        } else {
            let command = first_program(messages[start].content.around_blocks());
            Vec::from_iter(views_shown(command.into_iter(), repository)?)
        }
        .into_iter();
        turn.views = steps.next();
        let usage = turn.usage.map(|_| Usage::none());
        turns.push(turn);
        turns.extend(steps.map(|views| Turn {
            usage,
            ..step(views)
        }));
    }
    Ok(turns)
}

/// Converts turns of version 2.
pub(super) fn turns_2<'a>(
    run: &'a Run<'_>,
    repository: Option<&str>,
) -> Result<Vec<Turn<'a>>, Uncertain> {
    let mut turns = v2::turns(run, None)?;
    for (turn, message) in turns.iter_mut().zip(v2::starts(run)) {
        turn.views = views_shown(v2::commands(message), repository)?;
    }
    Ok(turns)
}

fn step<'a>(views: Vec<View>) -> Turn<'a> {
    Turn {
        views: Some(views),
        ..Turn::default()
    }
}

/// Returns the context that was declared last; `None` if the run was not asked to declare one.
pub(super) fn final_views(
    run: &Run<'_>,
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    let messages = &run.messages;
    let may_declare = messages.iter().filter(|each| each.content.has(FINAL.0));
    let declared = may_declare.flat_map(|each| blocks(each.text(), FINAL));
    if let Some(last) = declared.last() {
        return claims(last, repository).map(Some);
    }
    let is_asked = |message: &Message<'_>| {
        let mut signs = ASKS_FOR_CLAIMS.iter();
        signs.any(|sign| message.content.has(sign))
    };
    Ok(messages.iter().any(is_asked).then(Vec::new))
}

/// Returns the views of a step that ran these commands; inner `None` if they show no file.
fn views_shown<'c>(
    commands: impl Iterator<Item = &'c str>,
    repository: Option<&str>,
) -> Result<Option<Vec<View>>, Uncertain> {
    let mut files = Files::default();
    for command in commands {
        // In other text, Python's patterns match more letters, digits and blanks.
        if !command.is_ascii() {
            return Err(Uncertain);
        }
        for (path, lines) in shown(command) {
            if let Some(path) = path_in_repository(path, repository) {
                files.add(&path, lines.map(|(first, last)| Extent::Lines(first, last)))?;
            }
        }
    }
    Ok((!files.is_empty()).then(|| files.views()))
}
