//! Calls that wait for a result which names no call.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::calls::Call;

/// The calls of a turn that may have no result yet, by their places.
#[derive(Debug, Default)]
pub(super) struct Waiting<'n> {
    /// All calls before it have one.
    first: usize,
    by_name: FxHashMap<Cow<'n, str>, VecDeque<usize>>,
    /// How many calls `by_name` already holds.
    named: usize,
}

impl<'n> Waiting<'n> {
    /// The first of all.
    pub(super) fn first(&mut self, calls: &[Call<'n>]) -> Option<usize> {
        let waiting = calls.iter().skip(self.first);
        self.first += waiting.take_while(|call| call.result.is_some()).count();
        (self.first < calls.len()).then_some(self.first)
    }

    /// The first of a name.
    pub(super) fn named(&mut self, name: &str, calls: &[Call<'n>]) -> Option<usize> {
        for (at, call) in calls.iter().enumerate().skip(self.named) {
            self.by_name
                .entry(call.name.clone())
                .or_default()
                .push_back(at);
        }
        self.named = calls.len();
        let places = self.by_name.get_mut(name)?;
        while calls[*places.front()?].result.is_some() {
            places.pop_front();
        }
        places.front().copied()
    }
}
