//! Tables of benchmarks as JSON, from the columns of their rows.

use super::json::{push_flag, push_integer, push_number, push_text};
use crate::{Result, pool};

/// Values of a field.
#[derive(Clone, Copy)]
pub enum Values<'a> {
    /// Doubles.
    Numbers(&'a [f64]),
    /// Integers.
    Integers(&'a [i64]),
    /// Truth values.
    Flags(&'a [bool]),
}

/// One field of every entry.
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// The value of each row.
    pub values: Values<'a>,
    /// Whether each row has one.
    pub is_valid: &'a [bool],
}

/// Rows of benchmarks, attempt by attempt.
pub struct Rows<'a> {
    /// Names of benchmarks, each once.
    pub names: &'a [&'a str],
    /// Which of them each row has; -1 for none.
    pub benchmark: &'a [i64],
    /// Attempt `i` has the rows `offsets[i]..offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// Names of agents with their models, each once.
    pub keys: &'a [String],
    /// Which of them each attempt has.
    pub key: &'a [i64],
    /// What is recorded of each benchmark.
    pub fields: &'a [Field<'a>],
}

/// Texts of some attempts that follow one another.
#[derive(Debug)]
pub struct Written {
    /// The texts, one after another.
    pub text: Vec<u8>,
    /// Bytes of each.
    pub lengths: Vec<i64>,
}

/// Writes the table of each attempt under its name; none if one has a benchmark twice.
///
/// # Errors
///
/// None.
pub fn tables_as_text(rows: &Rows) -> Result<Option<Vec<Written>>> {
    let labels = Labels {
        keys: rows.keys.iter().map(|key| label(key, ": {")).collect(),
        benchmarks: rows.names.iter().map(|name| label(name, ": {")).collect(),
        fields: rows
            .fields
            .iter()
            .map(|field| label(field.name, ": "))
            .collect(),
    };
    let pieces = pool::map_rows(rows.offsets, |attempts| {
        let mut met = vec![0; rows.names.len()];
        let (mut text, mut lengths) = (Vec::new(), Vec::new());
        for attempt in attempts {
            let begin = text.len();
            if !labels.attempt(rows, attempt, &mut met, &mut text) {
                return Ok(None);
            }
            lengths.push((text.len() - begin) as i64);
        }
        text.shrink_to_fit();
        Ok(Some(Written { text, lengths }))
    })?;
    Ok(pieces.into_iter().collect())
}

fn label(name: &str, end: &str) -> Vec<u8> {
    let mut label = Vec::new();
    push_text(&mut label, name);
    label.extend_from_slice(end.as_bytes());
    label
}

/// Names as JSON, with what stands behind them.
struct Labels {
    keys: Vec<Vec<u8>>,
    benchmarks: Vec<Vec<u8>>,
    fields: Vec<Vec<u8>>,
}

impl Labels {
    /// Writes the table of an attempt; whether no benchmark occurs twice.
    fn attempt(&self, rows: &Rows, attempt: usize, met: &mut [usize], out: &mut Vec<u8>) -> bool {
        let range = rows.offsets[attempt] as usize..rows.offsets[attempt + 1] as usize;
        out.push(b'{');
        let mut is_empty = true;
        for row in range {
            let Ok(benchmark) = usize::try_from(rows.benchmark[row]) else {
                continue;
            };
            if std::mem::replace(&mut met[benchmark], attempt + 1) == attempt + 1 {
                return false;
            }
            if is_empty {
                out.extend_from_slice(&self.keys[rows.key[attempt] as usize]);
            } else {
                out.extend_from_slice(b", ");
            }
            is_empty = false;
            out.extend_from_slice(&self.benchmarks[benchmark]);
            for (index, field) in rows.fields.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(b", ");
                }
                out.extend_from_slice(&self.fields[index]);
                field.push(row, out);
            }
            out.push(b'}');
        }
        out.extend_from_slice(if is_empty { b"}" } else { b"}}" });
        true
    }
}

impl Field<'_> {
    fn push(&self, row: usize, out: &mut Vec<u8>) {
        if !self.is_valid[row] {
            out.extend_from_slice(b"null");
            return;
        }
        match self.values {
            Values::Numbers(values) => push_number(out, values[row]),
            Values::Integers(values) => push_integer(out, values[row]),
            Values::Flags(values) => push_flag(out, Some(values[row])),
        }
    }
}
