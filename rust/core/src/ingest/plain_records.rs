//! Trajmeter records in their most common form: only keys that name columns, and no unusual values.
//!
//! Such a line is parsed directly into the columns, more than twice as fast as by
//! [`records`](super::records), which reads all others and defines what each value means.

use super::Row;
use super::column::Column;
use super::cursor::{Cursor, Scalar};
use super::raw::is_certain;
use super::records::complete;
use super::shape::{Kind, Member, Shape};
use super::value::{Others, are_distinct, is_empty};

/// Reads a Trajmeter trajectory into a row of the columns. Returns `None` if it is refused, in
/// which case the row may be partly written.
pub(super) fn read(row: &mut Row<'_>, line: &str) -> Option<()> {
    let mut cursor = Cursor::new(line);
    fields(&mut cursor, row.members, row.columns, row.index)?;
    if !cursor.is_at_end() {
        return None;
    }
    complete::<serde_json::Error>(row, &Others::default()).ok()
}

/// Reads an object into `row` of the columns of its members.
fn fields(
    cursor: &mut Cursor<'_>,
    members: &[Member],
    columns: &mut [Column],
    row: usize,
) -> Option<()> {
    let mut seen: u64 = 0;
    let mut next = 0;
    cursor.members(|cursor| {
        // Members are usually in order, with some left out.
        let likely = members[next..].iter().map(|member| member.key.as_str());
        let index = if let Some(after) = cursor.pass_key(likely) {
            next + after
        } else {
            let key = cursor.key()?;
            members.iter().position(|member| member.name == *key)?
        };
        next = index + 1;
        let is_first = seen & (1 << index) == 0;
        seen |= 1 << index;
        let member = &members[index];
        let slot = &mut columns[index];
        value(cursor, &member.shape, member.nullable, slot, row)?;
        is_first.then_some(())
    })?;
    let is_missing =
        |(index, member): (usize, &Member)| member.required && seen & (1 << index) == 0;
    (!members.iter().enumerate().any(is_missing)).then_some(())
}

/// Reads a value into `row` of its column.
fn value(
    cursor: &mut Cursor<'_>,
    shape: &Shape,
    nullable: bool,
    column: &mut Column,
    row: usize,
) -> Option<()> {
    if cursor.null()? {
        column.null(row);
        return nullable.then_some(());
    }
    let is_taken = match shape.kind {
        Kind::Text => {
            let text = cursor.text()?;
            let choices = &shape.choices;
            (choices.is_empty() || choices.iter().any(|choice| *choice == *text))
                && column.text(row, &text)
        }
        Kind::Integer => column.integer(row, cursor.integer()?),
        Kind::Boolean => match cursor.scalar()? {
            Scalar::Flag(flag) => column.boolean(row, flag),
            _ => false,
        },
        Kind::Number => match cursor.scalar()? {
            // The record reader reads `-0` as the integer 0.
            Scalar::Number(number) if number != 0.0 || number.is_sign_positive() => {
                column.number(row, number)
            }
            _ => false,
        },
        Kind::Json => return json(cursor, shape, nullable, column, row),
        Kind::List => {
            let shape = shape.item.as_deref()?;
            let items = column.items(row)?;
            cursor.list(|cursor| item(cursor, shape, items))?;
            column.close();
            true
        }
        Kind::Mapping => {
            mapping(cursor, shape, column, row)?;
            column.close();
            true
        }
        Kind::Record => {
            column.pad(row);
            let row = column.len();
            fields(cursor, &shape.members, column.columns(row)?, row)?;
            column.close();
            true
        }
        Kind::Checked => false,
    };
    is_taken.then_some(())
}

/// Reads a value into the next row of a column.
fn item(cursor: &mut Cursor<'_>, shape: &Shape, column: &mut Column) -> Option<()> {
    let row = column.len();
    value(cursor, shape, false, column, row)?;
    column.pad(row + 1);
    Some(())
}

fn json(
    cursor: &mut Cursor<'_>,
    shape: &Shape,
    nullable: bool,
    column: &mut Column,
    row: usize,
) -> Option<()> {
    let text = cursor.raw().filter(|text| is_certain(text))?;
    if shape.is_object && !text.starts_with('{') {
        return None;
    }
    // An empty object, if that is the default, is null in the column.
    if shape.is_object && !nullable && is_empty(text) {
        column.null(row);
        return Some(());
    }
    column.text(row, text).then_some(())
}

fn mapping(cursor: &mut Cursor<'_>, shape: &Shape, column: &mut Column, row: usize) -> Option<()> {
    let shape = shape.item.as_deref()?;
    let (mut keys, items) = column.entries(row)?;
    let mut found = Vec::new();
    cursor.object(|cursor, key| {
        if !keys.as_mut().is_none_or(|keys| keys.key(&key)) {
            return None;
        }
        found.push(key);
        item(cursor, shape, items)
    })?;
    are_distinct(found.len(), || found.iter().map(|key| &**key)).then_some(())
}
