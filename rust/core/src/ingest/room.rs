//! Reserves room for rows like those read so far, so that columns need not grow and be copied.

use super::Row;
use super::column::{Column, Values};
use super::texts::Texts;

/// Factor by which the reserved room exceeds the expected size.
const MARGIN: f64 = 1.1;

impl Row<'_> {
    /// Reserves room for about `ratio` times as many rows as there are.
    pub(super) fn expect(&mut self, ratio: f64) {
        for column in &mut *self.columns {
            column.expect(MARGIN * ratio);
        }
    }
}

impl Column {
    /// Reserves room for `ratio` times as many rows as there are.
    fn expect(&mut self, ratio: f64) {
        if !self.is_wanted() {
            return;
        }
        expect(&mut self.valid, ratio);
        match &mut self.values {
            Values::Boolean(values) => expect(values, ratio),
            Values::Integer(values) => expect(values, ratio),
            Values::Number(values) => expect(values, ratio),
            Values::Text(texts) => texts.expect(ratio),
            Values::List(offsets, items) => {
                expect(offsets, ratio);
                items.expect(ratio);
            }
            Values::Mapping(offsets, keys, items) => {
                expect(offsets, ratio);
                keys.expect(ratio);
                items.expect(ratio);
            }
            Values::Record(columns) => {
                for column in columns {
                    column.expect(ratio);
                }
            }
        }
    }
}

impl Texts {
    /// Reserves room for `ratio` times as many texts as there are.
    fn expect(&mut self, ratio: f64) {
        expect(&mut self.offsets, ratio);
        expect(&mut self.bytes, ratio);
    }
}

/// Reserves room for `ratio` times as many values as there are.
fn expect<T: Copy>(values: &mut Vec<T>, ratio: f64) {
    make_room(values, (values.len() as f64 * ratio) as usize);
}

/// Reserves room for this many more values, and copies only the existing values.
///
/// The system's allocator copies the whole of a block that it moves. Reading memory that was only
/// reserved maps its pages, and the first write to each of them then interrupts all threads.
pub(super) fn make_room<T: Copy>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        let mut roomy = Vec::with_capacity(values.len() + more);
        roomy.extend_from_slice(values);
        *values = roomy;
    }
}

#[cfg(test)]
mod tests {
    use super::make_room;

    #[test]
    fn values_move_only_if_there_is_too_little_room() {
        let mut values = Vec::with_capacity(4);
        values.extend([1, 2]);
        let place = values.as_ptr();
        make_room(&mut values, 2);
        assert_eq!((values.as_ptr(), &values[..]), (place, &[1, 2][..]));
        make_room(&mut values, 9);
        assert!(values.capacity() >= 11);
        assert_eq!(values, [1, 2]);
    }
}
