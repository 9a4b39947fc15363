//! Predictions in their most common form: only known keys, and files before lines before symbols.
//!
//! Such a line is parsed directly into the columns, several times as fast as by
//! [`predictions`](super::predictions), which reads all others.

use std::borrow::Cow;

use super::Row;
use super::column::Column;
use super::context::{LINES, add};
use super::cursor::Cursor;
use super::places::View;
use super::value::are_distinct;

/// With more files, a linear search takes longer than hashing.
const MOST_FILES: usize = 64;

/// Keys of a range of lines; most of a file consists of ranges.
const SPAN_KEYS: [&str; 3] = ["\"type\":", "\"start\":", "\"end\":"];

/// The last part of a context that was read, in the order of the views.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
enum Part {
    #[default]
    Nothing,
    Files,
    Spans,
    Symbols,
}

#[derive(Default)]
struct Context<'a> {
    last: Part,
    files: Vec<Cow<'a, str>>,
    paths: Vec<Cow<'a, str>>,
}

impl<'a> Context<'a> {
    fn clear(&mut self) {
        self.last = Part::Nothing;
        self.files.clear();
    }

    /// Reads a part and adds its views.
    fn read(
        &mut self,
        part: Part,
        cursor: &mut Cursor<'a>,
        views: &mut Column,
        places: &View,
    ) -> Option<()> {
        if part <= self.last {
            return None;
        }
        self.last = part;
        self.paths.clear();
        match part {
            Part::Nothing => return None,
            Part::Files => cursor.list(|cursor| {
                let path = cursor.text()?;
                add(views, places.path, &path)?;
                views.close();
                self.files.push(path);
                (self.files.len() <= MOST_FILES).then_some(())
            })?,
            Part::Spans => cursor.object(|cursor, path| {
                let is_listed = self.files.contains(&path);
                cursor.list(|cursor| span(cursor, &path, is_listed, views, places))?;
                self.paths.push(path);
                Some(())
            })?,
            Part::Symbols => cursor.object(|cursor, path| {
                let mut names = Vec::new();
                cursor.list(|cursor| cursor.text().map(|name| names.push(name)))?;
                if !names.is_empty() {
                    symbols(&names, &path, self.files.contains(&path), views, places)?;
                }
                self.paths.push(path);
                Some(())
            })?,
        }
        let paths = || self.paths.iter().map(|path| &**path);
        are_distinct(self.paths.len(), paths).then_some(())
    }
}

fn span(
    cursor: &mut Cursor<'_>,
    path: &str,
    is_listed: bool,
    views: &mut Column,
    places: &View,
) -> Option<()> {
    let begin = cursor.place();
    let (start, end) = usual_lines(cursor).or_else(|| {
        cursor.go_back(begin);
        lines(cursor)
    })?;
    let index = views.len();
    let columns = add(views, places.path, path)?;
    let is_written = columns[places.extent].text(index, LINES)
        && columns[places.start].integer(index, start)
        && columns[places.end].integer(index, end)
        && (is_listed || columns[places.listed].boolean(index, false));
    views.close();
    is_written.then_some(())
}

/// First and last line of a range as `json.dumps` writes it.
fn usual_lines(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    cursor.pass_next(r#"{"type": "line", "start": "#)?;
    let start = cursor.integer()?;
    cursor.pass_next(r#", "end": "#)?;
    let end = cursor.integer()?;
    cursor.object_end().then_some((start, end))
}

/// First and last line of a range, written in any way.
fn lines(cursor: &mut Cursor<'_>) -> Option<(i64, i64)> {
    let (mut start, mut end) = (None, None);
    cursor.members(|cursor| {
        let number = match cursor.pass_key(SPAN_KEYS)? {
            0 => return cursor.text().map(drop),
            1 => &mut start,
            _ => &mut end,
        };
        let is_first = number.replace(cursor.integer()?).is_none();
        is_first.then_some(())
    })?;
    start.zip(end)
}

fn symbols(
    names: &[Cow<'_, str>],
    path: &str,
    is_listed: bool,
    views: &mut Column,
    places: &View,
) -> Option<()> {
    let index = views.len();
    let columns = add(views, places.path, path)?;
    let mut is_written = columns[places.listed].boolean(index, is_listed);
    let list = &mut columns[places.symbols];
    let items = list.items(index)?;
    for name in names {
        is_written &= items.text(items.len(), name);
    }
    list.close();
    views.close();
    is_written.then_some(())
}

/// Reads a prediction into a row of the columns. Returns `None` if it is refused, in which case the
/// row may be partly written.
pub(super) fn read(row: &mut Row<'_>, line: &str) -> Option<()> {
    let mut cursor = Cursor::new(line);
    let (mut id, mut original) = (None, None);
    let (mut has_model, mut has_patch, mut has_data) = (false, false, false);
    let places = row.places;
    let index = row.index;
    cursor.object(|cursor, key| match &*key {
        "instance_id" => set(&mut id, cursor.text()?),
        "original_inst_id" => set(&mut original, cursor.text()?),
        "model_name_or_path" => {
            let text = cursor.text()?;
            (once(&mut has_model) && row.columns[places.model].text(index, &text)).then_some(())
        }
        "model_patch" => {
            let text = cursor.text()?;
            let column = &mut row.columns[places.final_patch];
            (once(&mut has_patch) && column.text(index, &text)).then_some(())
        }
        "traj_data" if once(&mut has_data) => data(row, cursor),
        _ => None,
    })?;
    let id: Cow<'_, str> = id?;
    let is_known = !id.is_empty() && original.is_none_or(|original| original == id);
    let is_whole = cursor.is_at_end() && is_known && (has_patch || has_data);
    if !is_whole || !row.columns[places.task_id].text(index, &id) {
        return None;
    }
    row.source::<serde_json::Error>().ok()
}

fn data(row: &mut Row<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    let places = row.places;
    let index = row.index;
    let mut context = Context::default();
    let mut has_steps = false;
    cursor.object(|cursor, key| {
        let part = match &*key {
            "pred_steps" if once(&mut has_steps) => return steps(row, cursor),
            "pred_files" => Part::Files,
            "pred_spans" => Part::Spans,
            "pred_symbols" => Part::Symbols,
            _ => return None,
        };
        let views = row.columns[places.final_views].items(index)?;
        context.read(part, cursor, views, &places.final_view)
    })?;
    if context.last != Part::Nothing {
        row.columns[places.final_views].close();
    }
    Some(())
}

fn steps(row: &mut Row<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
    let places = row.places;
    let column = &mut row.columns[places.turns];
    let turns = column.items(row.index)?;
    let mut context = Context::default();
    cursor.list(|cursor| {
        context.clear();
        let turn = turns.len();
        let list = &mut turns.columns(turn)?[places.turn_views];
        let views = list.items(turn)?;
        cursor.object(|cursor, key| {
            let part = match &*key {
                "files" => Part::Files,
                "spans" => Part::Spans,
                "symbols" => Part::Symbols,
                _ => return None,
            };
            context.read(part, cursor, views, &places.turn_view)
        })?;
        list.close();
        turns.close();
        Some(())
    })?;
    column.close();
    Some(())
}

fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

/// Marks a key as seen; returns whether it was not seen before.
fn once(seen: &mut bool) -> bool {
    !std::mem::replace(seen, true)
}
