//! Attempts, as gathered from their rows.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::names::Numbers;
use super::row::NAMES;

/// Name of an unknown agent or model.
const UNKNOWN: &str = "unknown";

/// Task, agent, model and attempt.
pub type Identity<'t> = [Option<Cow<'t, str>>; NAMES - 1];

/// An attempt, as read so far.
#[derive(Debug)]
pub struct Attempt<'t> {
    /// Its identity.
    pub identity: Identity<'t>,
    /// Line number of its first row.
    pub line: i64,
    /// The first value of each column of an attempt, as JSON.
    pub about: Vec<Option<Cow<'t, str>>>,
    /// Entries of its benchmarks, as JSON.
    pub(super) table: Vec<u8>,
    /// Numbers of the benchmarks' names.
    pub(super) benchmarks: Vec<u32>,
}

impl Attempt<'_> {
    /// Returns `agent:model`; empty if neither is known.
    pub(super) fn key(&self) -> String {
        let [_, agent, model, _] = &self.identity;
        if agent.is_none() && model.is_none() {
            return String::new();
        }
        let known = |name: &'_ Option<Cow<'_, str>>| {
            let name = name.as_deref().filter(|name| !name.is_empty());
            name.unwrap_or(UNKNOWN).to_owned()
        };
        format!("{}:{}", known(agent), known(model))
    }

    /// Returns its number of benchmarks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.benchmarks.len()
    }
}

/// Attempts of some lines.
#[derive(Debug, Default)]
pub(super) struct Found<'t> {
    pub attempts: Vec<Attempt<'t>>,
    places: FxHashMap<Identity<'t>, usize>,
    pub names: Numbers<'t>,
    last: usize,
}

impl<'t> Found<'t> {
    pub(super) fn attempt(
        &mut self,
        identity: Identity<'t>,
        line: i64,
        about: usize,
    ) -> &mut Attempt<'t> {
        let last = self.attempts.get(self.last);
        if last.is_none_or(|last| last.identity != identity) {
            let next = self.attempts.len();
            let place = *self.places.entry(identity.clone()).or_insert(next);
            self.last = place;
            if place == next {
                self.attempts.push(Attempt {
                    identity,
                    line,
                    about: vec![None; about],
                    table: Vec::new(),
                    benchmarks: Vec::new(),
                });
            }
        }
        &mut self.attempts[self.last]
    }
}

impl Found<'static> {
    /// Adds the attempts of the next lines.
    pub(super) fn add(&mut self, piece: Found<'_>) {
        let owned = |name: Cow<'_, str>| Cow::Owned(name.into_owned());
        let names = piece.names.into_names().into_iter();
        let numbers: Vec<_> = names.map(|name| self.names.number(owned(name))).collect();
        for found in piece.attempts {
            let identity = found.identity.map(|name| name.map(owned));
            let attempt = self.attempt(identity, found.line, found.about.len());
            for (known, value) in attempt.about.iter_mut().zip(found.about) {
                if known.is_none() {
                    *known = value.map(owned);
                }
            }
            if !attempt.table.is_empty() && !found.table.is_empty() {
                attempt.table.extend_from_slice(b", ");
            }
            if attempt.table.is_empty() {
                attempt.table = found.table;
            } else {
                attempt.table.extend_from_slice(&found.table);
            }
            let benchmarks = found.benchmarks.iter();
            attempt
                .benchmarks
                .extend(benchmarks.map(|&name| numbers[name as usize]));
        }
    }
}
