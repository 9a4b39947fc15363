//! Calls without a result, to which results that name no call are assigned.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::calls::Call;

/// The calls of a turn that may have no result yet, by index.
#[derive(Debug, Default)]
pub(super) struct Waiting<'n> {
    /// Every call before this one has a result.
    first: usize,
    by_name: FxHashMap<Cow<'n, str>, VecDeque<usize>>,
    /// Number of calls already in `by_name`.
    named: usize,
}

impl<'n> Waiting<'n> {
    /// Returns the first call without a result.
    pub(super) fn first(&mut self, calls: &[Call<'n>]) -> Option<usize> {
        let waiting = calls.iter().skip(self.first);
        self.first += waiting.take_while(|call| call.result.is_some()).count();
        (self.first < calls.len()).then_some(self.first)
    }

    /// Returns the first call of this name without a result.
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
