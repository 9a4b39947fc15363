//! Views of files from tool calls: the twin of `trajmeter.readers.tool_views`.

use std::borrow::Cow;
use std::mem::discriminant;

use super::super::column::Column;
use super::super::parser::Parser;
use super::super::places;
use super::super::raw::Uncertain;
use super::super::tree::Node;
use super::calls::Call;
use super::conversation::Draft;
use super::evidence::{hits, window};
use super::places::LeakPlaces;
use super::readings::{PATHS, read};
use super::target::Beside;
use super::tools::{self, Tool, value};
use crate::shell::{Executed, Extent, Leak, View, leak_of_path, shell_views};

const FOLDERS: [&str; 3] = ["workdir", "cwd", "working_directory"];

/// The views and leaks of an attempt.
#[derive(Default)]
pub(super) struct Watched {
    /// Views of each turn; `None` if the turn is not a step.
    pub views: Vec<Option<Vec<View>>>,
    /// Leaks, each with the number of its turn; `None` if no tool is known to read.
    pub leaks: Option<Vec<(usize, Leak)>>,
}

impl Watched {
    pub(super) fn of(drafts: &[Draft<'_>], beside: &impl Beside) -> Result<Self, Uncertain> {
        let mut calls = drafts.iter().flat_map(|draft| &draft.calls);
        let has_results = calls.any(|call| answer(call).is_some());
        let mut watched = Self::default();
        let mut shows = false;
        for (index, draft) in drafts.iter().enumerate() {
            let mut seen: Option<Vec<View>> = None;
            for call in &draft.calls {
                if answer(call).is_none() && (has_results || call.arguments.are_unknown()) {
                    continue; // an unanswered call showed nothing, or it is unknown what
                }
                let Some((views, leaks)) = shown(call, beside.exit_code(call))? else {
                    continue;
                };
                seen.get_or_insert_default().extend(views);
                let leaks = leaks.into_iter().map(|leak| (index + 1, leak));
                watched.leaks.get_or_insert_default().extend(leaks);
            }
            shows |= seen.as_ref().is_some_and(|seen| !seen.is_empty());
            watched.views.push(seen);
        }
        if shows {
            for seen in &mut watched.views {
                *seen = seen.take().filter(|views| !views.is_empty());
            }
        }
        Ok(watched)
    }
}

/// Returns the result of a call, as JSON.
fn answer<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    let result = call.result.as_ref().map(|result| &*result.json);
    result.filter(|json| *json != "null")
}

/// Returns the text of a result, with its parts joined.
pub(super) fn text_of<'c>(call: &'c Call<'_>) -> Result<Option<Cow<'c, str>>, Uncertain> {
    let Some(json) = answer(call) else {
        return Ok(None);
    };
    match Parser::new(json).value().ok_or(Uncertain)? {
        Node::Text(text) => text.certain().map(Some),
        Node::List(list) => {
            let mut texts = Vec::new();
            for part in &list.items {
                let text = part.object().map_or(part, |part| part.get("text"));
                if let Some(text) = text.quoted() {
                    texts.push(text.certain()?);
                }
            }
            Ok((!texts.is_empty()).then(|| texts.join("\n").into()))
        }
        _ => Ok(None),
    }
}

type Shown = (Vec<View>, Vec<Leak>);

/// Returns the views of a call; `None` if its tool is not known to read.
fn shown(call: &Call<'_>, code: Option<i64>) -> Result<Option<Shown>, Uncertain> {
    let views = match call.tool {
        Tool::Shell => return in_shell(call, code).map(Some),
        Tool::Search => found(call)?,
        Tool::Reader | Tool::Editor => read(call)?,
        Tool::Opener => match in_window(call)? {
            Some(view) => vec![view],
            None => read(call)?,
        },
        Tool::Window => match in_window(call)? {
            Some(view) => vec![view],
            None => return Ok(None),
        },
        Tool::Interpreter | Tool::Other => return Ok(None),
    };
    let leaks = leaks_of(&views);
    Ok(Some((views, leaks)))
}

/// Returns one leak for each file among the views that holds the solution's patch or its tests.
fn leaks_of(views: &[View]) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = Vec::new();
    for View { path, .. } in views {
        let is_new = || leaks.iter().all(|leak| *leak.evidence != **path);
        if let Some(kind) = leak_of_path(path).filter(|_| is_new()) {
            let evidence = (**path).into();
            leaks.push(Leak { kind, evidence });
        }
    }
    leaks
}

pub(super) fn view(path: &str, extent: Extent) -> View {
    View {
        path: path.into(),
        extent,
        is_search: false,
    }
}

fn in_shell(call: &Call<'_>, code: Option<i64>) -> Result<Shown, Uncertain> {
    let asked = call.arguments.read(
        |arguments| {
            let folder = match value(arguments, &FOLDERS).and_then(Node::quoted) {
                Some(folder) if folder.is_empty() => return Err(Uncertain),
                folder => folder.map(|folder| folder.certain().map(Cow::into_owned)),
            };
            Ok(Some((tools::command(arguments)?, folder.transpose()?)))
        },
        |_| None,
    )?;
    let Some((Some(command), folder)) = asked else {
        return Ok(Shown::default());
    };
    let text = text_of(call)?;
    let ended = text.as_deref().map(tools::ended).transpose()?;
    let code = code.or(ended.and_then(|(_, code)| code));
    if call.success == Some(false) && code.is_none() {
        return Ok(Shown::default());
    }
    let executed = Executed {
        command: &command,
        output: ended.map(|(output, _)| output),
        code,
        folder: folder.as_deref(),
        hidden: None,
    };
    let shown = shell_views(&executed).map_err(|_| Uncertain)?;
    Ok((shown.views, shown.leaks))
}

/// Returns the lines that a search found.
fn found(call: &Call<'_>) -> Result<Vec<View>, Uncertain> {
    let Some(text) = text_of(call)?.filter(|_| call.success != Some(false)) else {
        return Ok(Vec::new());
    };
    let path = call.arguments.read(
        |arguments| {
            let path = value(arguments, &PATHS).and_then(Node::quoted);
            path.map(|path| path.certain().map(Cow::into_owned))
                .transpose()
        },
        |_| None,
    )?;
    let hits = hits(&text, path.as_deref())?.into_iter();
    Ok(hits
        .map(|(path, line)| View {
            is_search: true,
            ..view(path, Extent::Lines(line, line))
        })
        .collect())
}

/// Returns the lines in a tool's window; `None` if the result is not a window, which other tools of
/// the same name may return.
fn in_window(call: &Call<'_>) -> Result<Option<View>, Uncertain> {
    let text = text_of(call)?.filter(|_| call.success != Some(false));
    let shown = text.as_deref().and_then(window);
    Ok(shown.map(|(path, first, last)| view(path, Extent::Lines(first, last))))
}

impl places::View {
    /// Writes views to `row` of their column.
    pub(in crate::ingest) fn write(
        &self,
        column: &mut Column,
        row: usize,
        views: &[View],
    ) -> Option<()> {
        if !column.is_wanted() {
            return Some(());
        }
        let items = column.items(row)?;
        let begin = items.len();
        let fields = items.columns(begin)?;
        let paths = views.iter().map(|view| &*view.path);
        let mut is_written = fields[self.path].texts(begin, paths);
        let mut row = begin;
        // There are many views, and most are of the same kind as the one before.
        let kind = |view: &View| (discriminant(&view.extent), view.is_search);
        for alike in views.chunk_by(|one, other| kind(one) == kind(other)) {
            if let Some(extent) = alike[0].extent.name() {
                is_written &= fields[self.extent].texts(row, alike.iter().map(|_| extent));
            }
            let lines = || alike.iter().filter_map(|view| view.extent.lines());
            is_written &= fields[self.start].integers(row, lines().map(|(first, _)| first));
            is_written &= fields[self.end].integers(row, lines().map(|(_, last)| last));
            if alike[0].is_search {
                is_written &= fields[self.searched].booleans(row, true, alike.len());
            }
            row += alike.len();
        }
        if !is_written {
            return None;
        }
        items.close_records(views.len());
        column.close();
        Some(())
    }
}

impl LeakPlaces {
    /// Writes leaks, each with the number of its turn, to `row` of their column.
    pub(super) fn write(
        &self,
        column: &mut Column,
        row: usize,
        leaks: &[(usize, Leak)],
    ) -> Option<()> {
        if !column.is_wanted() {
            return Some(());
        }
        let items = column.items(row)?;
        for (turn, leak) in leaks {
            let row = items.len();
            let fields = items.columns(row)?;
            let is_written = fields[self.kind].text(row, leak.kind.name())
                && fields[self.evidence].text(row, &leak.evidence)
                && fields[self.turn].integer(row, *turn as i64);
            if !is_written {
                return None;
            }
            items.close();
        }
        column.close();
        Some(())
    }
}
