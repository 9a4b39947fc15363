//! Writing values to a row of columns by the names of their fields.
//!
//! Every method returns `None` if the columns cannot hold the value exactly as it is; the caller
//! then removes the row.

use super::certainty::require;
use super::column::Column;
use super::places;
use super::shape::{Member, Shape};
use crate::shell::View;

/// A row of the columns of a record.
pub(super) struct Cells<'a> {
    members: &'a [Member],
    columns: &'a mut [Column],
    row: usize,
    /// The field after the previous one; most fields are written in order.
    expected: usize,
}

/// A column to write to, and its shape.
struct Cell<'a> {
    shape: &'a Shape,
    column: &'a mut Column,
}

impl<'a> Cells<'a> {
    pub(super) fn new(members: &'a [Member], columns: &'a mut [Column], row: usize) -> Self {
        Self {
            members,
            columns,
            row,
            expected: 0,
        }
    }

    /// Passes the column of a field to `write`, if there is a value and the column is wanted.
    fn with<T>(
        &mut self,
        name: &str,
        value: Option<T>,
        write: impl FnOnce(Cell<'_>, usize, T) -> Option<()>,
    ) -> Option<()> {
        let is_it = |member: &Member| member.name == name;
        let place = match self.members[self.expected..].iter().position(is_it) {
            Some(further) => self.expected + further,
            None => self.members.iter().position(is_it)?,
        };
        self.expected = place + 1;
        let column = &mut self.columns[place];
        let shape = &self.members[place].shape;
        match value {
            Some(value) if column.is_wanted() => write(Cell { shape, column }, self.row, value),
            _ => Some(()),
        }
    }

    pub(super) fn text(&mut self, name: &str, value: Option<&str>) -> Option<()> {
        self.with(name, value, |cell, row, value| {
            require(cell.column.text(row, value))
        })
    }

    pub(super) fn boolean(&mut self, name: &str, value: Option<bool>) -> Option<()> {
        self.with(name, value, |cell, row, value| {
            require(cell.column.boolean(row, value))
        })
    }

    pub(super) fn integer(&mut self, name: &str, value: Option<i64>) -> Option<()> {
        self.with(name, value, |cell, row, value| {
            require(cell.column.integer(row, value))
        })
    }

    /// Writes a number, unless JSON cannot represent it or it is -0.0.
    pub(super) fn number(&mut self, name: &str, value: Option<f64>) -> Option<()> {
        if value
            .is_some_and(|value| !value.is_finite() || (value == 0.0 && value.is_sign_negative()))
        {
            return None;
        }
        self.with(name, value, |cell, row, value| {
            require(cell.column.number(row, value))
        })
    }

    /// Writes JSON text; `None` is written as null.
    pub(super) fn json(&mut self, name: &str, value: Option<&str>) -> Option<()> {
        self.with(name, value, |cell, row, value| {
            require(cell.column.text(row, value))
        })
    }

    /// Writes the UTF-8 text that `write` writes; it is called only if the column is wanted.
    pub(super) fn written(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> Option<()>,
    ) -> Option<()> {
        self.with(name, Some(write), |cell, row, write| {
            require(cell.column.written(row, write))
        })
    }

    /// Writes the fields of a record.
    pub(super) fn record<T>(
        &mut self,
        name: &str,
        value: Option<T>,
        write: impl FnOnce(&mut Cells<'_>, T) -> Option<()>,
    ) -> Option<()> {
        self.with(name, value, |cell, row, value| {
            cell.column.pad(row);
            record(cell.shape, cell.column, |cells| write(cells, value))
        })
    }

    /// Writes a list of views to the columns at `places`.
    pub(super) fn views(
        &mut self,
        name: &str,
        views: Option<&[View]>,
        places: &places::View,
    ) -> Option<()> {
        self.with(name, views, |cell, row, views| {
            places.write(cell.column, row, views)
        })
    }

    /// Writes a list of records.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        values: Option<&[T]>,
        mut write: impl FnMut(&mut Cells<'_>, &T) -> Option<()>,
    ) -> Option<()> {
        self.with(name, values, |cell, row, values| {
            let shape = cell.shape.item.as_deref()?;
            let items = cell.column.items(row)?;
            for value in values {
                record(shape, items, |cells| write(cells, value))?;
            }
            cell.column.close();
            Some(())
        })
    }
}

/// Writes the next row of a column of records.
fn record(
    shape: &Shape,
    column: &mut Column,
    write: impl FnOnce(&mut Cells<'_>) -> Option<()>,
) -> Option<()> {
    let row = column.len();
    let columns = column.columns(row)?;
    write(&mut Cells::new(&shape.members, columns, row))?;
    column.close();
    Some(())
}
