//! Search for the table of each attempt among the files of its trial.
//!
//! An agent is assigned the table under its name if all files that have one agree; everything else
//! is left to the record form.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Tables;
use super::files::{Files, Named, Table, Trials};
use crate::pool;

/// Files per piece of work.
const PIECE: usize = 64;

impl<'a> Files<'a> {
    /// Finds the table of each attempt, or -1, and the trials that are uncertain.
    ///
    /// `is_merged` states whether the files of a trial are merged for scoring.
    #[must_use]
    pub fn tables(&self, trials: &Trials, is_merged: bool) -> (Tables, Vec<i64>, Vec<bool>) {
        let attempt = |guess| {
            let mut uncertain = vec![false; trials.scored.len()];
            let found = self.find(trials, is_merged, guess, &mut uncertain);
            let each: Vec<_> = found.iter().filter_map(|table| *table).collect();
            let (tables, are_read) = Tables::read(&each, &self.rows, is_merged);
            (uncertain, found, tables, are_read)
        };
        let (mut uncertain, mut found, mut tables, mut are_read) = attempt(true);
        if are_read.contains(&false) {
            (uncertain, found, tables, are_read) = attempt(false);
        }
        let mut next = 0;
        let positions: Vec<_> = found
            .iter()
            .map(|table| {
                if table.is_none() {
                    return -1;
                }
                next += 1;
                next - 1
            })
            .collect();
        for (trial, uncertain) in uncertain.iter_mut().enumerate() {
            let is_bad = |&row: &i64| {
                let table = positions[row as usize];
                table >= 0 && !are_read[table as usize]
            };
            *uncertain |= trials.members(trial).iter().any(is_bad);
        }
        trials.spread(&mut uncertain);
        (tables, positions, uncertain)
    }

    fn find(
        &self,
        trials: &Trials,
        is_merged: bool,
        guess: bool,
        uncertain: &mut [bool],
    ) -> Vec<Option<Table<'a>>> {
        let rows = self.is_measured.len();
        let named: Vec<_> = pool::map(pool::chunks(rows, PIECE), |rows: Range<usize>| {
            rows.map(|row| self.named(row, guess)).collect::<Vec<_>>()
        })
        .into_iter()
        .flatten()
        .collect();
        let likeness = Likeness::of(self.keys.names);
        let mut found = vec![None; rows];
        for (trial, uncertain) in uncertain.iter_mut().enumerate() {
            let search = Search {
                files: self,
                named: &named,
                likeness: &likeness,
                is_merged,
            };
            *uncertain = search
                .trial(trials.members(trial), trials.scored[trial], &mut found)
                .is_none();
        }
        found
    }
}

impl Trials<'_> {
    /// Marks the trials as uncertain whose members are scored in an uncertain trial.
    fn spread(&self, uncertain: &mut [bool]) {
        let mut home = FxHashMap::default();
        for (trial, &is_uncertain) in uncertain.iter().enumerate() {
            let scored = &self.members(trial)[..self.scored[trial] as usize];
            home.extend(scored.iter().map(|&row| (row, is_uncertain)));
        }
        for (trial, uncertain) in uncertain.iter_mut().enumerate() {
            let shared = &self.members(trial)[self.scored[trial] as usize..];
            *uncertain |= shared.iter().any(|row| home.get(row) == Some(&true));
        }
    }
}

/// Groups of names that differ at most in the spelling of the model.
struct Likeness {
    /// Number of each name; similar names have the same number.
    numbers: Vec<usize>,
    by_name: FxHashMap<(String, String), usize>,
}

impl Likeness {
    fn of(names: &[String]) -> Self {
        let mut by_name = FxHashMap::default();
        let numbers = names
            .iter()
            .map(|name| {
                let next = by_name.len();
                *by_name.entry(parts(name)).or_insert(next)
            })
            .collect();
        Self { numbers, by_name }
    }
}

/// Splits a name into the agent and the model, as reports spell it.
fn parts(name: &str) -> (String, String) {
    let (agent, model) = name.split_once(':').unwrap_or((name, ""));
    (agent.to_owned(), model.replace('/', "-"))
}

/// The attempts of a trial with similar names, and the tables under these names: the attempt whose
/// file holds it, its name there, and the table.
#[derive(Default)]
struct Group<'s, 'a> {
    attempts: usize,
    tables: Vec<(i64, &'s str, Table<'a>)>,
}

struct Search<'s, 'a> {
    files: &'s Files<'a>,
    named: &'s [Named<'a>],
    likeness: &'s Likeness,
    is_merged: bool,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Finds the tables of the attempts of a trial; `None` if it is uncertain.
    fn trial(&self, members: &[i64], scored: i64, found: &mut [Option<Table<'a>>]) -> Option<()> {
        let is_measured = |row: &&i64| self.files.is_measured[**row as usize];
        let measured = members.iter().filter(is_measured).count();
        if measured == 0 && !self.is_merged {
            return Some(());
        }
        if self.is_merged && measured < members.len() {
            return None;
        }
        let groups = self.groups(members)?;
        let (scored, shared) = members.split_at(scored as usize);
        for &row in scored {
            let group = groups
                .get(&self.number(row))
                .filter(|it| it.attempts == 1)?;
            found[row as usize] = self.own_table(row, group).ok()?;
        }
        // A run that is shared by several trials is scored in another.
        let is_plain = |row: &i64| {
            groups.get(&self.number(*row)).is_some_and(|group| {
                group.attempts == 1 && group.tables.iter().all(|(owner, ..)| owner == row)
            })
        };
        shared.iter().all(is_plain).then_some(())
    }

    fn number(&self, row: i64) -> usize {
        self.likeness.numbers[self.files.keys.own[row as usize] as usize]
    }

    fn groups(&self, members: &[i64]) -> Option<FxHashMap<usize, Group<'s, 'a>>> {
        let mut groups: FxHashMap<usize, Group> = FxHashMap::default();
        for &row in members {
            groups.entry(self.number(row)).or_default().attempts += 1;
        }
        for &row in members {
            for (name, table) in self.named[row as usize].as_ref()? {
                let number = self.likeness.by_name.get(&parts(name));
                if let Some(group) = number.and_then(|number| groups.get_mut(number)) {
                    group.tables.push((row, name, *table));
                }
            }
        }
        Some(groups)
    }

    /// Returns the table of an attempt.
    ///
    /// # Errors
    ///
    /// It is uncertain which table that is.
    fn own_table(&self, row: i64, group: &Group<'s, 'a>) -> Result<Option<Table<'a>>, ()> {
        let key = self.files.keys.name(row as usize);
        let mut tables: Vec<_> = group.tables.iter().map(|(.., table)| *table).collect();
        let is_named_there = group
            .tables
            .iter()
            .filter(|(owner, ..)| *owner == row)
            .count();
        if self.is_merged {
            let is_exact = group.tables.iter().all(|(_, name, _)| *name == key);
            if tables.is_empty() || !is_exact {
                return Err(());
            }
        } else if is_named_there == 0 {
            tables.extend(self.unnamed(row).map(Table::Text));
        }
        let Some(&first) = tables.first() else {
            return Ok(None);
        };
        let is_plain = first.is_object() && tables.iter().all(|table| *table == first);
        if is_plain && is_named_there <= 1 {
            Ok(Some(first))
        } else {
            Err(())
        }
    }

    /// Returns the table without a name, if it belongs to the attempt.
    fn unnamed(&self, row: i64) -> Option<&'a str> {
        let keys = &self.files.keys;
        let last = keys.last[row as usize];
        let is_own = last < 0 || self.likeness.numbers[last as usize] == self.number(row);
        is_own.then(|| self.files.unnamed(row as usize)).flatten()
    }
}
