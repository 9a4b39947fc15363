//! Numbering of benchmark names.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// Numbers names from 0, in the order of first appearance.
#[derive(Debug, Default)]
pub struct Numbers<'t> {
    names: Vec<Cow<'t, str>>,
    by_name: FxHashMap<Cow<'t, str>, u32>,
    /// The last number returned: attempts usually have the same benchmarks in the same order.
    last: usize,
}

impl<'t> Numbers<'t> {
    /// Returns the number of a name.
    pub fn number(&mut self, name: Cow<'t, str>) -> u32 {
        for guess in [self.last + 1, 0] {
            if self.names.get(guess).is_some_and(|known| *known == name) {
                self.last = guess;
                return guess as u32;
            }
        }
        let next = self.names.len() as u32;
        let number = *self.by_name.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        self.last = number as usize;
        number
    }

    /// Returns the number of distinct names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the names, in the order of their numbers.
    pub fn into_names(self) -> Vec<Cow<'t, str>> {
        self.names
    }
}
