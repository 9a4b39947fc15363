//! Benchmark rows in JSON lines, gathered into attempts.
//!
//! Values of entries are kept as written in the file. A single uncertain line leaves the whole file
//! to the record form.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;
use rustc_hash::FxHashMap;
use serde::de::DeserializeSeed;

use super::attempts::{Attempt, Found};
use super::json::push_text;
use super::row::{Column, NAMES, Row, RowSeed};
use crate::ingest::raw::has_too_many_values;
use crate::ingest::{BLANK, pieces};
use crate::pool;

/// Bytes of lines that become one piece.
const PIECE: usize = 1 << 21;
/// The meaning of the columns of a row.
#[derive(Debug)]
pub struct Layout {
    /// Columns with names.
    pub names: [String; NAMES],
    /// Columns of a benchmark: the column, its key in the entry, and whether it is a measurement.
    pub fields: Vec<(String, String, bool)>,
    /// Columns of an attempt.
    pub about: Vec<String>,
    /// Columns whose presence makes a row a record.
    pub foreign: Vec<String>,
}

/// Attempts in the order of their first rows.
#[derive(Debug)]
pub struct Lines {
    layout: Layout,
    columns: FxHashMap<String, Column>,
    labels: Vec<Vec<u8>>,
    found: Found<'static>,
}

impl Lines {
    /// Creates a reader without attempts.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        let names = layout.names.iter().enumerate();
        let fields = layout.fields.iter().enumerate();
        let about = layout.about.iter().enumerate();
        let columns = names
            .map(|(index, name)| (name.clone(), Column::Name(index)))
            .chain(fields.map(|(index, field)| (field.0.clone(), Column::Field(index))))
            .chain(about.map(|(index, name)| (name.clone(), Column::About(index))))
            .chain(
                layout
                    .foreign
                    .iter()
                    .map(|name| (name.clone(), Column::Foreign)),
            )
            .collect();
        let label = |field: &(String, String, bool)| {
            let mut label = Vec::new();
            push_text(&mut label, &field.1);
            label.extend_from_slice(b": ");
            label
        };
        Self {
            labels: layout.fields.iter().map(label).collect(),
            columns,
            layout,
            found: Found::default(),
        }
    }

    /// Returns the attempts.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt<'static>] {
        &self.found.attempts
    }

    /// Returns the columns of an attempt.
    #[must_use]
    pub fn about(&self) -> &[String] {
        &self.layout.about
    }

    /// Reads a block of whole lines, the first of which has the number `line`. Returns the number
    /// of the line after the last, or `None` if the block is uncertain.
    #[must_use]
    pub fn read(&mut self, block: &[u8], line: i64) -> Option<i64> {
        let text = std::str::from_utf8(block).ok()?;
        let mut next = line;
        let mut tasks = Vec::new();
        for range in pieces(block, PIECE) {
            let lines = memchr_iter(b'\n', &block[range.clone()]).count() as i64;
            tasks.push((range, next));
            next += lines;
        }
        let pieces = pool::map(tasks.into_iter(), |(range, line)| {
            self.piece(&text[range], line)
        });
        for piece in pieces {
            self.found.add(piece?);
        }
        Some(next)
    }

    /// Returns whether no attempt has a benchmark twice.
    #[must_use]
    pub fn are_distinct(&self) -> bool {
        let mut met = vec![0; self.found.names.len()];
        self.found
            .attempts
            .iter()
            .enumerate()
            .all(|(index, attempt)| {
                let mut benchmarks = attempt.benchmarks.iter();
                benchmarks.all(|&benchmark| {
                    std::mem::replace(&mut met[benchmark as usize], index + 1) != index + 1
                })
            })
    }

    /// Returns and frees the tables of some attempts, each under the name of its agent, and their
    /// lengths.
    pub fn take_tables(&mut self, attempts: Range<usize>) -> (Vec<u8>, Vec<i64>) {
        let attempts = &mut self.found.attempts[attempts];
        let keys: Vec<_> = attempts.iter().map(Attempt::key).collect();
        let most = |(attempt, key): (&Attempt, &String)| attempt.table.len() + 6 * key.len() + 8;
        let mut text = Vec::with_capacity(attempts.iter().zip(&keys).map(most).sum());
        let mut lengths = Vec::with_capacity(attempts.len());
        for (attempt, key) in attempts.iter_mut().zip(&keys) {
            let begin = text.len();
            text.push(b'{');
            if !attempt.benchmarks.is_empty() {
                push_text(&mut text, key);
                text.extend_from_slice(b": {");
                text.append(&mut std::mem::take(&mut attempt.table));
                text.push(b'}');
            }
            text.push(b'}');
            lengths.push((text.len() - begin) as i64);
        }
        (text, lengths)
    }

    fn piece<'t>(&self, text: &'t str, mut line: i64) -> Option<Found<'t>> {
        // A piece this long is a single line.
        if has_too_many_values(text.as_bytes()) {
            return None;
        }
        let mut found = Found::default();
        let mut row = Row::new(self.layout.fields.len(), self.layout.about.len());
        for content in text.split_inclusive('\n') {
            if !content.bytes().all(|byte| BLANK.contains(&byte)) {
                row.clear();
                let mut json = serde_json::Deserializer::from_str(content);
                let seed = RowSeed {
                    columns: &self.columns,
                    row: &mut row,
                };
                seed.deserialize(&mut json).ok()?;
                json.end().ok()?;
                self.add(&mut row, line, &mut found)?;
            }
            line += 1;
        }
        Some(found)
    }

    /// Adds a row to its attempt; `None` if the record form refuses it.
    fn add<'t>(&self, row: &mut Row<'t>, line: i64, found: &mut Found<'t>) -> Option<()> {
        let [task, agent, model, attempt, benchmark] = &mut row.names;
        task.as_ref()?;
        let benchmark = benchmark.take();
        let fields = || self.layout.fields.iter().zip(&row.fields);
        let is_value = |value: Option<&str>| value.is_some_and(|value| value != "null");
        if benchmark.is_none() && fields().any(|(field, value)| field.2 && is_value(*value)) {
            return None;
        }
        let number = benchmark.clone().map(|name| found.names.number(name));
        let identity = [task.take(), agent.take(), model.take(), attempt.take()];
        let attempt = found.attempt(identity, line, row.about.len());
        for (known, value) in attempt.about.iter_mut().zip(&row.about) {
            if known.is_none() && is_value(*value) {
                *known = value.map(Cow::Borrowed);
            }
        }
        let (Some(name), Some(number)) = (benchmark, number) else {
            return Some(());
        };
        let out = &mut attempt.table;
        if !out.is_empty() {
            out.extend_from_slice(b", ");
        }
        push_text(out, &name);
        out.extend_from_slice(b": {");
        let begin = out.len();
        for (label, value) in self.labels.iter().zip(&row.fields) {
            if let Some(value) = value {
                if out.len() > begin {
                    out.extend_from_slice(b", ");
                }
                out.extend_from_slice(label);
                out.extend_from_slice(value.as_bytes());
            }
        }
        out.push(b'}');
        attempt.benchmarks.push(number);
        Some(())
    }
}
