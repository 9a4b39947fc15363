//! Figures of tables: the ratios that count, their levels, and each benchmark.

use std::ops::Range;

use super::Tables;
use super::benchmarks::Benchmarks;
use super::entry::{Entry, Reason};
use crate::levels::{Alphabet, Figures, Names, Ratios, level_advantages};
use crate::{Result, pool};

/// How each attempt is scored.
pub struct Plan<'a> {
    /// Table of each attempt; -1 for none.
    pub table: &'a [i64],
    /// Whether the table counts as that of an agent that changed nothing.
    pub is_reverted: &'a [bool],
    /// Whether the trial has an oracle.
    pub has_oracle: &'a [bool],
}

/// Rules that apply to all attempts.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Whether the files of a trial are merged for scoring.
    pub is_merged: bool,
    /// Characters that determine how names are parsed.
    pub alphabet: &'a Alphabet<'a>,
}

/// Scores of attempts, with a column for each figure.
#[derive(Debug, Default)]
pub struct Scores {
    /// Figures of the levels; NaN if no benchmark counts.
    pub levels: Vec<Figures>,
    /// Benchmarks in the table.
    pub size: Vec<i64>,
    /// Least ratio of the agent among the benchmarks that count; NaN if there are none.
    pub worst: Vec<f64>,
    /// The benchmark with this ratio; -1 if there is none.
    pub worst_benchmark: Vec<i64>,
    /// Number of benchmarks that count and became slower.
    pub regressions: Vec<i64>,
    /// Whether no entry has a ratio of the oracle.
    pub is_without_oracle: Vec<bool>,
    /// Whether the table holds ratios of a reverted agent.
    pub has_reverted: Vec<bool>,
    /// Number of benchmarks of each attempt that do not count.
    pub invalid: Vec<i64>,
    /// These benchmarks.
    pub invalid_benchmark: Vec<i64>,
    /// Reason why each does not count, as its position in [`REASONS`](super::REASONS).
    pub invalid_reason: Vec<i64>,
    /// Every benchmark, attempt by attempt.
    pub benchmarks: Benchmarks,
}

/// Scores attempts by their tables.
///
/// # Errors
///
/// None in practice: the kernel of the levels refuses only names that do not exist.
pub fn scores(tables: &Tables, plan: &Plan, rules: Rules) -> Result<Scores> {
    let names = Labels::of(&tables.names);
    let mut offsets = vec![0];
    let mut end = 0;
    for &table in plan.table {
        end += usize::try_from(table).map_or(0, |table| tables.table(table).len() as i64);
        offsets.push(end);
    }
    let pieces = pool::map_rows(&offsets, |rows| {
        let count = (offsets[rows.end] - offsets[rows.start]) as usize;
        Piece::new(tables, &names, rules, count).scores(plan, rows)
    })?;
    let mut pieces = pieces.into_iter();
    let mut all = pieces.next().unwrap_or_default();
    for piece in pieces {
        all.add(piece);
    }
    Ok(all)
}

impl Scores {
    fn add(&mut self, mut piece: Self) {
        self.levels.append(&mut piece.levels);
        self.size.append(&mut piece.size);
        self.worst.append(&mut piece.worst);
        self.worst_benchmark.append(&mut piece.worst_benchmark);
        self.regressions.append(&mut piece.regressions);
        self.is_without_oracle.append(&mut piece.is_without_oracle);
        self.has_reverted.append(&mut piece.has_reverted);
        self.invalid.append(&mut piece.invalid);
        self.invalid_benchmark.append(&mut piece.invalid_benchmark);
        self.invalid_reason.append(&mut piece.invalid_reason);
        self.benchmarks.append(piece.benchmarks);
    }
}

/// Names of benchmarks, one by one and as one text.
struct Labels<'a> {
    names: &'a [String],
    text: Vec<u8>,
    offsets: Vec<i64>,
}

impl<'a> Labels<'a> {
    fn of(names: &'a [String]) -> Self {
        let mut offsets = vec![0];
        let mut text = Vec::new();
        for name in names {
            text.extend_from_slice(name.as_bytes());
            offsets.push(text.len() as i64);
        }
        Self {
            names,
            text,
            offsets,
        }
    }
}

/// The benchmarks of some attempts that count.
struct Piece<'a> {
    tables: &'a Tables,
    names: &'a Labels<'a>,
    rules: Rules<'a>,
    benchmark: Vec<i64>,
    /// What the agent's ratios are compared with: the oracle's, or those themselves.
    compared: Vec<f64>,
    scores: Scores,
}

impl<'a> Piece<'a> {
    fn new(tables: &'a Tables, names: &'a Labels<'a>, rules: Rules<'a>, count: usize) -> Self {
        Self {
            tables,
            names,
            rules,
            benchmark: Vec::with_capacity(count),
            compared: Vec::with_capacity(count),
            scores: Scores {
                benchmarks: Benchmarks::with_capacity(count),
                ..Scores::default()
            },
        }
    }

    fn scores(mut self, plan: &Plan, rows: Range<usize>) -> Result<Scores> {
        let mut offsets = vec![0];
        for row in rows {
            let table = usize::try_from(plan.table[row]).ok();
            let entries = table.map_or(&[][..], |table| self.tables.table(table));
            self.attempt(entries, plan.is_reverted[row], plan.has_oracle[row]);
            offsets.push(self.benchmark.len() as i64);
        }
        let names = Names {
            text: &self.names.text,
            offsets: &self.names.offsets,
        };
        let ratios = Ratios {
            benchmark: &self.benchmark,
            agent: &self.scores.benchmarks.agent,
            oracle: &self.compared,
            offsets: &offsets,
        };
        let levels = level_advantages(&names, self.rules.alphabet, &ratios)?;
        Ok(Scores {
            levels,
            ..self.scores
        })
    }

    fn attempt(&mut self, table: &[Entry], is_reverted: bool, has_oracle: bool) {
        let has_no_ratio = |entry: &Entry| entry.oracle == Err(Reason::Missing);
        let mut entries = table.iter().filter(|entry| entry.is_object).peekable();
        let is_without_oracle = entries.peek().is_some() && entries.all(has_no_ratio);
        let lacks_oracle = is_without_oracle && !has_oracle && !self.rules.is_merged;
        let mut found = Found::default();
        for entry in table {
            let Some(entry) = self.rules.effective(*entry, is_reverted) else {
                continue;
            };
            let fault = self.count(&entry, lacks_oracle, &mut found);
            let name = &self.names.names[entry.benchmark as usize];
            let benchmarks = &mut self.scores.benchmarks;
            benchmarks.push(name, &entry, is_reverted, fault);
        }
        let scores = &mut self.scores;
        scores.size.push(found.size);
        let worst = found.worst;
        scores
            .worst
            .push(worst.map_or(f64::NAN, |(ratio, _)| ratio));
        scores
            .worst_benchmark
            .push(worst.map_or(-1, |(_, name)| i64::from(name)));
        scores.regressions.push(found.regressions);
        scores.is_without_oracle.push(is_without_oracle);
        scores
            .has_reverted
            .push(table.iter().any(|entry| entry.is_reverted));
        scores.invalid.push(found.invalid);
    }

    /// Counts a benchmark, or returns why it does not count.
    fn count(&mut self, entry: &Entry, lacks_oracle: bool, found: &mut Found) -> Option<Reason> {
        let Entry {
            benchmark,
            agent,
            oracle,
            ..
        } = *entry;
        let fault = match (agent, oracle) {
            (Err(reason), _) => Some(reason),
            (_, Err(reason)) if !lacks_oracle => Some(reason),
            _ => None,
        };
        let compared = if lacks_oracle { agent } else { oracle };
        self.benchmark.push(i64::from(benchmark));
        self.compared.push(compared.unwrap_or(f64::NAN));
        if let Some(reason) = fault {
            found.invalid += 1;
            self.scores.invalid_benchmark.push(i64::from(benchmark));
            self.scores.invalid_reason.push(reason as i64);
        } else if let Ok(ratio) = agent {
            found.count(ratio, benchmark, self.names.names);
        }
        found.size += 1;
        fault
    }
}

/// The results of one table.
#[derive(Default)]
struct Found {
    size: i64,
    invalid: i64,
    regressions: i64,
    worst: Option<(f64, u32)>,
}

impl Found {
    /// Counts a benchmark; if several have the least ratio, the first by name is the worst.
    fn count(&mut self, ratio: f64, benchmark: u32, names: &[String]) {
        self.regressions += i64::from(ratio < 1.0);
        let is_worse = self.worst.is_none_or(|(worst, other)| {
            let is_before = || names[benchmark as usize] < names[other as usize];
            ratio < worst || (ratio <= worst && is_before())
        });
        if is_worse {
            self.worst = Some((ratio, benchmark));
        }
    }
}

impl Rules<'_> {
    /// Returns an entry as it counts; `None` if it does not count at all.
    fn effective(self, entry: Entry, is_reverted: bool) -> Option<Entry> {
        if !is_reverted {
            return Some(entry);
        }
        if !entry.is_object {
            // If files are merged, only objects count as reverted, and the others are lost.
            return (!self.is_merged).then_some(entry);
        }
        let oracle = match entry.oracle {
            Err(reason) if self.is_merged && reason != Reason::NotPositive => Ok(1.0),
            oracle => oracle,
        };
        let agent = Ok(1.0);
        Some(Entry {
            agent,
            oracle,
            ..entry
        })
    }
}
