//! Writing of benchmark tables as JSON, from columns.

use std::io::{self, Write};
use std::iter;

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
pub struct Rows<'a> {
    /// Distinct names of benchmarks.
    pub names: &'a [&'a str],
    /// Index of each row's name; -1 for none.
    pub benchmark: &'a [i64],
    /// Attempt `i` has the rows `offsets[i]..offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// Distinct names of agents with their models.
    pub keys: &'a [String],
    /// Index of each attempt's name.
    pub key: &'a [i64],
    /// The fields of each benchmark.
    pub fields: &'a [Field<'a>],
}

/// Writes the table of each attempt under its name; returns the texts, one after another, and their
/// lengths.
#[must_use]
pub fn tables_as_text(rows: &Rows) -> (Vec<u8>, Vec<i64>) {
    let mut fields = rows.fields.iter().map(|field| label(field.name, ": "));
    let first = fields.next().unwrap_or_default();
    let benchmark = |name: &&str| [label(name, ": {"), first.clone()].concat();
    let labels = Labels {
        keys: rows.keys.iter().map(|key| label(key, ": {")).collect(),
        benchmarks: rows.names.iter().map(benchmark).collect(),
        fields: iter::once(Vec::new())
            .chain(fields.map(|label| [b", ".to_vec(), label].concat()))
            .collect(),
    };
    let most: Vec<_> = (0..rows.key.len())
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
struct Labels {
    keys: Vec<Vec<u8>>,
    /// For benchmarks, this includes the name of the first field.
    benchmarks: Vec<Vec<u8>>,
    /// The text before the value of each field except the first.
    fields: Vec<Vec<u8>>,
}

impl Labels {
    /// Returns the greatest number of bytes that the table of an attempt takes.
    fn most(&self, rows: &Rows, attempt: usize) -> usize {
        let range = rows.offsets[attempt] as usize..rows.offsets[attempt + 1] as usize;
        let codes = rows.benchmark[range.clone()].iter();
        let labels = codes.filter_map(|&code| self.benchmarks.get(usize::try_from(code).ok()?));
        let names: usize = labels.map(Vec::len).sum();
        let fields: usize = self
            .fields
            .iter()
            .map(|label| label.len() + MOST_DIGITS + 2)
            .sum();
        let key = self.keys[rows.key[attempt] as usize].len();
        names + range.len() * (fields + 3) + key + 4
    }

    /// Writes the table of an attempt.
    fn attempt(&self, rows: &Rows, attempt: usize, out: &mut Out<'_>) -> io::Result<()> {
        let range = rows.offsets[attempt] as usize..rows.offsets[attempt + 1] as usize;
        out.write_all(b"{")?;
        let mut is_empty = true;
        for row in range {
            let Ok(benchmark) = usize::try_from(rows.benchmark[row]) else {
                continue;
            };
            if is_empty {
                out.write_all(&self.keys[rows.key[attempt] as usize])?;
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
