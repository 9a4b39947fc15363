//! Writing of benchmark tables as JSON, from columns.

use std::io::{self, Write};
use std::iter;
use std::ops::Range;

use super::entry::{Entry, Field as EntryField, Fields, Value};
use super::json::{MOST_DIGITS, Out, fill, push_text, write_flag, write_integer, write_number};

/// Values of a field.
#[derive(Clone, Copy)]
pub enum Values<'a> {
    /// Doubles.
    Numbers(&'a [f64]),
    /// Integers.
    Integers(&'a [i64]),
    /// Booleans.
    Flags(&'a [bool]),
}

/// One field of every entry.
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// The value of each row.
    pub values: Values<'a>,
    /// Whether each row has a value.
    pub is_valid: &'a [bool],
}

/// Rows of benchmarks, attempt by attempt.
#[derive(Clone, Copy, Default)]
pub struct Rows<'a> {
    /// Distinct names of benchmarks.
    pub names: &'a [&'a str],
    /// Index of each row's name; -1 for none.
    pub benchmark: &'a [i64],
    /// Attempt `i` has the rows `offsets[i]..offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// The fields of each benchmark.
    pub fields: &'a [Field<'a>],
}

impl Rows<'_> {
    /// Returns the range of the rows of an attempt.
    pub(super) fn range(&self, attempt: usize) -> Range<usize> {
        self.offsets[attempt] as usize..self.offsets[attempt + 1] as usize
    }

    /// Returns the entry of a row, as if it were read from its JSON; `None` if it is uncertain.
    pub(super) fn entry(&self, row: usize, booleans_are_numbers: bool) -> Option<Entry> {
        let mut fields = Fields::default();
        for field in self.fields {
            fields.set(EntryField::of(field.name), field.value(row))?;
        }
        fields.entry(booleans_are_numbers)
    }
}

/// Writes the table of each attempt under its name, which is `keys[key[i]]`; returns the texts, one
/// after another, and their lengths.
#[must_use]
pub fn tables_as_text(rows: &Rows, keys: &[String], key: &[i64]) -> (Vec<u8>, Vec<i64>) {
    let mut fields = rows.fields.iter().map(|field| label(field.name, ": "));
    let first = fields.next().unwrap_or_default();
    let benchmark = |name: &&str| [label(name, ": {"), first.clone()].concat();
    let labels = Labels {
        keys: keys.iter().map(|key| label(key, ": {")).collect(),
        key,
        benchmarks: rows.names.iter().map(benchmark).collect(),
        fields: iter::once(Vec::new())
            .chain(fields.map(|label| [b", ".to_vec(), label].concat()))
            .collect(),
    };
    let most: Vec<_> = (0..key.len())
        .map(|attempt| labels.most(rows, attempt))
        .collect();
    let (text, lengths) = fill(rows.offsets, &most, |attempts, out| {
        let mut lengths = Vec::with_capacity(attempts.len());
        for attempt in attempts {
            let begin = out.position();
            labels.attempt(rows, attempt, out)?;
            lengths.push((out.position() - begin) as i64);
        }
        Ok(lengths)
    });
    (text, lengths.concat())
}

fn label(name: &str, end: &str) -> Vec<u8> {
    let mut label = Vec::new();
    push_text(&mut label, name);
    label.extend_from_slice(end.as_bytes());
    label
}

/// Names as JSON, with the text that follows them.
struct Labels<'a> {
    keys: Vec<Vec<u8>>,
    /// Index of each attempt's name.
    key: &'a [i64],
    /// For benchmarks, this includes the name of the first field.
    benchmarks: Vec<Vec<u8>>,
    /// The text before the value of each field except the first.
    fields: Vec<Vec<u8>>,
}

impl Labels<'_> {
    /// Returns the greatest number of bytes that the table of an attempt takes.
    fn most(&self, rows: &Rows, attempt: usize) -> usize {
        let range = rows.range(attempt);
        let codes = rows.benchmark[range.clone()].iter();
        let labels = codes.filter_map(|&code| self.benchmarks.get(usize::try_from(code).ok()?));
        let names: usize = labels.map(Vec::len).sum();
        let fields: usize = self
            .fields
            .iter()
            .map(|label| label.len() + MOST_DIGITS + 2)
            .sum();
        let key = self.keys[self.key[attempt] as usize].len();
        names + range.len() * (fields + 3) + key + 4
    }

    /// Writes the table of an attempt.
    fn attempt(&self, rows: &Rows, attempt: usize, out: &mut Out<'_>) -> io::Result<()> {
        let range = rows.range(attempt);
        out.write_all(b"{")?;
        let mut is_empty = true;
        for row in range {
            let Ok(benchmark) = usize::try_from(rows.benchmark[row]) else {
                continue;
            };
            if is_empty {
                out.write_all(&self.keys[self.key[attempt] as usize])?;
            } else {
                out.write_all(b", ")?;
            }
            is_empty = false;
            out.write_all(&self.benchmarks[benchmark])?;
            for (index, field) in rows.fields.iter().enumerate() {
                out.write_all(&self.fields[index])?;
                field.write(row, out)?;
            }
            out.write_all(b"}")?;
        }
        out.write_all(if is_empty { b"}" } else { b"}}" })
    }
}

impl Field<'_> {
    fn value(&self, row: usize) -> Value {
        if !self.is_valid[row] {
            return Value::Null;
        }
        match self.values {
            Values::Numbers(values) => Value::Number(values[row]),
            Values::Integers(values) => Value::Number(values[row] as f64),
            Values::Flags(values) => Value::Flag(values[row]),
        }
    }

    fn write(&self, row: usize, out: &mut Out<'_>) -> io::Result<()> {
        if !self.is_valid[row] {
            return out.write_all(b"null");
        }
        match self.values {
            Values::Numbers(values) => write_number(out, values[row]),
            Values::Integers(values) => write_integer(out, values[row]),
            Values::Flags(values) => write_flag(out, Some(values[row])),
        }
    }
}
