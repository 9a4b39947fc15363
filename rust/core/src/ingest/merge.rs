//! Concatenation of consecutive pieces: one batch costs less than many, however few rows they have.

use super::column::{Column, Values, last};
use super::room::make_room;
use super::texts::Texts;
use super::{Piece, Refused};
use crate::pool;

/// Target size of a batch, in bytes.
const BYTES: usize = 1 << 24;
/// Pieces with more bytes on average are left as they are: copying them would cost more than
/// additional batches.
const ENOUGH: usize = 1 << 22;

/// Parts of a column with more bytes than this are concatenated on a thread of their own.
const LARGE: usize = 1 << 18;

/// Concatenates parts, each given in pieces, into a few of about the same size; returns the results
/// of `finish` for them. The sizes do not depend on how parts are divided.
pub(super) fn merged<T: Send>(
    parts: Vec<Vec<Piece>>,
    finish: impl Fn(Piece) -> T + Send + Sync,
) -> Vec<T> {
    let groups = pool::map(grouped(parts).into_iter(), |group| one(group).map(&finish));
    groups.into_iter().flatten().collect()
}

fn grouped(parts: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let size = |piece: &Piece| piece.columns.iter().flatten().map(bytes).sum::<usize>();
    let sizes = parts.iter().map(|pieces| pieces.iter().map(size).sum());
    let places = places(&sizes.collect::<Vec<_>>());
    let mut groups = Vec::new();
    groups.resize_with(places.last().map_or(0, |last| last + 1), Vec::new);
    for (pieces, place) in parts.into_iter().zip(places) {
        groups[place].extend(pieces);
    }
    groups
}

/// Assigns parts of these sizes to groups: each to the group that contains its midpoint.
fn places(sizes: &[usize]) -> Vec<usize> {
    let whole: usize = sizes.iter().sum();
    if whole > ENOUGH * sizes.len() {
        return (0..sizes.len()).collect();
    }
    let count = whole.div_ceil(BYTES).max(1);
    let share = whole.div_ceil(count).max(1);
    let ends = sizes.iter().scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    let middles = ends.zip(sizes).map(|(end, size)| end - size.div_ceil(2));
    middles
        .map(|middle| (middle / share).min(count - 1))
        .collect()
}

fn one(pieces: Vec<Piece>) -> Option<Piece> {
    let mut columns: Vec<Vec<Option<Column>>> = Vec::new();
    let mut whole: Option<Piece> = None;
    for mut piece in pieces {
        let own = std::mem::take(&mut piece.columns);
        columns.resize_with(own.len(), Vec::new);
        for (parts, part) in columns.iter_mut().zip(own) {
            parts.push(part);
        }
        match &mut whole {
            None => whole = Some(piece),
            Some(whole) => {
                let before = whole.rows;
                let refused = piece.refused.into_iter();
                whole.refused.extend(refused.map(|each| Refused {
                    row: before + each.row,
                    ..each
                }));
                whole.rows += piece.rows;
                whole.version_1 += piece.version_1;
                whole.next_line = piece.next_line;
            }
        }
    }
    let mut whole = whole?;
    let parts = columns.into_iter();
    whole.columns = parts
        .map(|parts| joined(parts.into_iter().flatten().collect()))
        .collect();
    Some(whole)
}

/// Concatenates the rows of finished columns of the same structure.
fn joined(parts: Vec<Column>) -> Option<Column> {
    let mut parts = parts.into_iter();
    let mut whole = parts.next()?;
    append_to(&mut whole, parts.collect());
    Some(whole)
}

fn append(whole: &mut Values, parts: Vec<Values>) {
    /// Unwraps the values of all parts, which are of the same kind as the first.
    macro_rules! of {
        ($kind:pat => $held:expr) => {
            parts
                .into_iter()
                .filter_map(|part| match part {
                    $kind => Some($held),
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
    }
    match whole {
        Values::Boolean(whole) => extend(whole, of!(Values::Boolean(part) => part)),
        Values::Integer(whole) => extend(whole, of!(Values::Integer(part) => part)),
        Values::Number(whole) => extend(whole, of!(Values::Number(part) => part)),
        Values::Text(whole) => extend_texts(whole, of!(Values::Text(part) => part)),
        Values::List(offsets, items) => {
            let (more, others): (Vec<_>, Vec<_>) =
                of!(Values::List(offsets, items) => (offsets, *items))
                    .into_iter()
                    .unzip();
            extend_offsets(offsets, &more);
            append_to(items, others);
        }
        Values::Mapping(offsets, keys, items) => {
            let parts = of!(Values::Mapping(offsets, keys, items) => (offsets, (keys, *items)));
            let (more, others): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            let (more_keys, others): (Vec<_>, Vec<_>) = others.into_iter().unzip();
            extend_offsets(offsets, &more);
            extend_texts(keys, more_keys);
            append_to(items, others);
        }
        Values::Record(columns) => {
            let parts = of!(Values::Record(columns) => columns);
            let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
            let mut large = Vec::new();
            for column in columns {
                let own: Vec<_> = parts.iter_mut().filter_map(Iterator::next).collect();
                if own.iter().map(bytes).sum::<usize>() > LARGE {
                    large.push((column, own));
                } else {
                    append_to(column, own);
                }
            }
            pool::map(large.into_iter(), |(column, parts)| {
                append_to(column, parts);
            });
        }
    }
}

/// Appends the rows of columns to those of another with the same structure.
fn append_to(whole: &mut Column, parts: Vec<Column>) {
    if whole.is_wanted() {
        let (valid, values): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .map(|part| (part.valid, part.values))
            .unzip();
        extend(&mut whole.valid, valid);
        append(&mut whole.values, values);
    }
}

fn extend<T: Copy>(whole: &mut Vec<T>, parts: Vec<Vec<T>>) {
    make_room(whole, parts.iter().map(Vec::len).sum());
    for mut part in parts {
        whole.append(&mut part);
    }
}

/// Appends the end offsets of texts or lists, which every part counts from its own beginning.
fn extend_offsets(whole: &mut Vec<i32>, parts: &[Vec<i32>]) {
    make_room(whole, parts.iter().map(|part| part.len() - 1).sum());
    for part in parts {
        let base = last(whole) as i32;
        whole.extend(part.iter().skip(1).map(|end| base + end));
    }
}

fn extend_texts(whole: &mut Texts, parts: Vec<Texts>) {
    let (offsets, bytes): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|part| (part.offsets, part.bytes))
        .unzip();
    extend_offsets(&mut whole.offsets, &offsets);
    extend(&mut whole.bytes, bytes);
}

/// Returns the bytes that a column occupies.
fn bytes(column: &Column) -> usize {
    let values = match &column.values {
        Values::Boolean(values) => values.len(),
        Values::Integer(values) => 8 * values.len(),
        Values::Number(values) => 8 * values.len(),
        Values::Text(texts) => size(texts),
        Values::List(_, items) => 4 * column.valid.len() + bytes(items),
        Values::Mapping(_, keys, items) => 4 * column.valid.len() + size(keys) + bytes(items),
        Values::Record(columns) => columns.iter().map(bytes).sum(),
    };
    column.valid.len() + values
}

fn size(texts: &Texts) -> usize {
    4 * (texts.offsets.len() - 1) + texts.bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{BYTES, ENOUGH, places};

    #[test]
    fn groups_are_of_about_the_same_size() {
        const MANY: usize = BYTES / ENOUGH;
        for (sizes, groups) in [
            (&[][..], &[][..]),
            (&[0, 0], &[0, 0]),
            (&[1, 2, 3], &[0, 0, 0]),
            (&[ENOUGH; MANY], &[0; MANY]),
            (&[ENOUGH; 6], &[0, 0, 0, 1, 1, 1]),
            (&[1, MANY * ENOUGH, 1, 0, 0], &[0, 1, 1, 1, 1]),
            (
                &[1, 2 * MANY * ENOUGH, 1, 0, 0, 0, 0, 0, 0],
                &[0, 1, 2, 2, 2, 2, 2, 2, 2],
            ),
        ] {
            assert_eq!(places(sizes), groups, "{sizes:?}");
        }
    }

    #[test]
    fn large_pieces_stay_alone() {
        assert_eq!(places(&[ENOUGH + 1]), [0]);
        assert_eq!(places(&[ENOUGH, ENOUGH + 1, ENOUGH]), [0, 1, 2]);
    }
}
