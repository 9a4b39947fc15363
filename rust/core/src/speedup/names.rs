//! Names of benchmarks, each with a number.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// Numbers for names, from 0 in the order in which they are met.
#[derive(Debug, Default)]
pub struct Numbers<'t> {
    names: Vec<Cow<'t, str>>,
    by_name: FxHashMap<Cow<'t, str>, u32>,
    /// The number that was asked for last: attempts mostly have the same benchmarks in one order.
    last: usize,
}

impl<'t> Numbers<'t> {
    /// The number of a name.
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

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The names, in the order of their numbers.
    pub fn into_names(self) -> Vec<Cow<'t, str>> {
        self.names
    }
}
