//! Positions of the columns that the readers of trajectories fill by name.

use super::messages::places::Places as Messages;
use super::shape::Shape;

/// Positions of columns, and of those within records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    pub task_id: usize,
    pub model: usize,
    pub source: usize,
    pub turns: usize,
    pub final_views: usize,
    pub final_patch: usize,
    pub extra: usize,
    pub turn_views: usize,
    pub turn_extra: usize,
    pub turn_view: View,
    pub final_view: View,
    pub source_file: usize,
    pub source_line: usize,
    pub source_record: usize,
    pub messages: Messages,
}

/// Positions of the columns of a view.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct View {
    pub path: usize,
    pub extent: usize,
    pub start: usize,
    pub end: usize,
    pub symbols: usize,
    pub listed: usize,
    pub searched: usize,
}

impl Places {
    pub(super) fn of(shape: &Shape) -> Result<Self, String> {
        let turns = place(shape, "turns")?;
        let turn = item(shape, turns)?;
        let source = place(shape, "source")?;
        let turn_views = place(turn, "views")?;
        let final_views = place(shape, "final_views")?;
        Ok(Self {
            task_id: place(shape, "task_id")?,
            model: place(shape, "model")?,
            source,
            turns,
            final_views,
            final_patch: place(shape, "final_patch")?,
            extra: place(shape, "extra")?,
            turn_views,
            turn_extra: place(turn, "extra")?,
            turn_view: View::of(item(turn, turn_views)?)?,
            final_view: View::of(item(shape, final_views)?)?,
            source_file: place(&shape.members[source].shape, "file")?,
            source_line: place(&shape.members[source].shape, "line")?,
            source_record: place(&shape.members[source].shape, "record")?,
            messages: Messages::of(shape)?,
        })
    }
}

impl View {
    pub(super) fn of(shape: &Shape) -> Result<Self, String> {
        Ok(Self {
            path: place(shape, "path")?,
            extent: place(shape, "extent")?,
            start: place(shape, "start")?,
            end: place(shape, "end")?,
            symbols: place(shape, "symbols")?,
            listed: place(shape, "listed")?,
            searched: place(shape, "searched")?,
        })
    }
}

pub(super) fn place(shape: &Shape, name: &str) -> Result<usize, String> {
    shape
        .position(name)
        .ok_or_else(|| format!("the shape lacks {name}"))
}

pub(super) fn item(shape: &Shape, index: usize) -> Result<&Shape, String> {
    let item = shape.members[index].shape.item.as_deref();
    item.ok_or_else(|| format!("{} is not a list", shape.members[index].name))
}
