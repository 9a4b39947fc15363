//! Room that is reserved for rows like those read so far, which saves growing and copying columns.

use super::Row;
use super::column::{Column, Values};
use super::texts::Texts;

/// How much more room is reserved than is expected to be needed.
const MARGIN: f64 = 1.1;

impl Row<'_> {
    /// Reserves room for about `ratio` times as many rows like those so far.
    pub(super) fn expect(&mut self, ratio: f64) {
        for column in &mut *self.columns {
            column.expect(MARGIN * ratio);
        }
    }
}

impl Column {
    /// Reserves room for `ratio` times as many rows like those so far.
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
    /// Reserves room for `ratio` times as many texts like those so far.
    fn expect(&mut self, ratio: f64) {
        expect(&mut self.offsets, ratio);
        expect(&mut self.bytes, ratio);
    }
}

/// Reserves room for `ratio` times as many values as there are.
fn expect<T: Copy>(values: &mut Vec<T>, ratio: f64) {
    reserve(values, (values.len() as f64 * ratio) as usize);
}

/// Reserves room for this many more values, copying only the values there are.
///
/// A reallocation would copy room that was reserved before as well, and by reading it map pages
/// that are unused.
pub(super) fn reserve<T: Copy>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        let mut roomy = Vec::with_capacity(values.len() + more);
        roomy.extend_from_slice(values);
        *values = roomy;
    }
}
