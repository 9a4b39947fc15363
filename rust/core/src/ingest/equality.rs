//! Finds the JSON objects among texts, and which of them are equal.
//!
//! Two objects are equal if they have the same keys, in any order, with equal values. Numbers are
//! compared by value: 1 equals 1.0, but not true. `keyed_arguments` in Python is the definition; a
//! text that Python might read differently is left to the caller.
//!
//! Each object is rewritten in a canonical form with sorted keys, in which equal objects have equal
//! bytes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::alike;
use super::flat::{Flat, flat_members};
use super::raw::is_certain;
use super::value::{Text, only_if, refused};
use crate::{offsets, pool};

/// Code of valid JSON that is not an object; null and texts may represent one, so are uncertain.
pub const NO_OBJECT: i64 = -1;

/// Code of a text that only the caller can decide.
pub const UNCERTAIN: i64 = -2;

/// Below this, every integer is a double, so integral doubles are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Codes the objects in the texts of each run: equal objects of a run share a code of 0 or more.
///
/// Text i is `texts[offsets[i]..offsets[i + 1]]`; run j has the texts `runs[j]..runs[j + 1]`.
/// Codes of different runs are not comparable.
///
/// # Errors
///
/// [`crate::Error::Choice`] for an offset that decreases or is out of range.
pub fn object_codes(texts: &[u8], offsets: &[i64], runs: &[i64]) -> crate::Result<Vec<i64>> {
    let count = offsets.len().saturating_sub(1);
    offsets::check(offsets, texts.len())?;
    offsets::check(runs, count)?;
    if runs.len() < 2 || offsets.is_empty() {
        return Ok(Vec::new());
    }
    let begins: Vec<i64> = runs.iter().map(|&run| offsets[run as usize]).collect();
    let pieces = pool::map(pool::pieces(&begins).into_iter(), |piece| {
        codes_of_piece(texts, offsets, &runs[piece.start..=piece.end])
    });
    Ok(pieces.concat())
}

/// Finds the texts that are objects: 0 for an object, otherwise [`NO_OBJECT`] or [`UNCERTAIN`].
///
/// # Errors
///
/// [`crate::Error::Choice`] for an offset that decreases or is out of range.
pub fn objects(texts: &[u8], offsets: &[i64]) -> crate::Result<Vec<i64>> {
    offsets::check(offsets, texts.len())?;
    if offsets.is_empty() {
        return Ok(Vec::new());
    }
    let pieces = pool::map(pool::pieces(offsets).into_iter(), |rows| {
        each(texts, &offsets[rows.start..=rows.end], |text| {
            if flat_members(text, |_, _| true) {
                return 0;
            }
            if !is_certain(text) {
                return UNCERTAIN;
            }
            match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => 0,
                Err(_) => UNCERTAIN,
            }
        })
    });
    Ok(pieces.concat())
}

/// Codes the objects of some runs.
fn codes_of_piece(texts: &[u8], offsets: &[i64], runs: &[i64]) -> Vec<i64> {
    let (first, last) = (runs[0] as usize, runs[runs.len() - 1] as usize);
    // One buffer for all canonical forms, to save allocations.
    let mut written = Vec::new();
    let mut ends = vec![0];
    let mut codes = each(texts, &offsets[first..=last], |text| {
        let begin = written.len();
        if !write(text, &mut written) {
            written.truncate(begin);
            return UNCERTAIN;
        }
        ends.push(written.len());
        ends.len() as i64 - 2
    });
    let object = |code: i64| &written[ends[code as usize]..ends[code as usize + 1]];
    for run in runs.windows(2) {
        let own = run[0] as usize - first..run[1] as usize - first;
        alike::number(&mut codes[own], object);
    }
    codes
}

/// Writes the canonical form of an object; returns whether that succeeded.
fn write(text: &str, written: &mut Vec<u8>) -> bool {
    let begin = written.len();
    if write_flat(text, written) {
        return true;
    }
    written.truncate(begin);
    let mut source = serde_json::Deserializer::from_str(text);
    is_certain(text) && Writer(written).deserialize(&mut source).is_ok() && source.end().is_ok()
}

/// Writes a flat object whose keys are in order; returns whether it was one.
fn write_flat(text: &str, written: &mut Vec<u8>) -> bool {
    let mut writer = Writer(written);
    let mut before: Option<&[u8]> = None;
    writer.0.push(b'{');
    let is_flat = flat_members(text, |key, value| {
        let is_next = before.is_none_or(|before| before < key);
        before = Some(key);
        writer.text(b'k', key);
        match value {
            Flat::Text(text) => writer.text(b's', text),
            Flat::Integer(value) => writer.integer(value),
            Flat::Bool(value) => writer.bool(value),
            Flat::Null => writer.0.push(b'n'),
        }
        is_next
    });
    writer.0.push(b'}');
    is_flat
}

/// Applies `of_object` to each text that begins like an object, and codes the others.
fn each(texts: &[u8], offsets: &[i64], mut of_object: impl FnMut(&str) -> i64) -> Vec<i64> {
    let begin = offsets[0] as usize;
    let all = texts.get(begin..offsets[offsets.len() - 1] as usize);
    let all = all.and_then(|all| std::str::from_utf8(all).ok());
    let text = |bounds: &[i64]| {
        let (first, last) = (bounds[0] as usize, bounds[1] as usize);
        all.map_or_else(
            || std::str::from_utf8(texts.get(first..last)?).ok(),
            |all| all.get(first - begin..last - begin),
        )
    };
    let code = |bounds: &[i64]| {
        let Some(text) = text(bounds) else {
            return UNCERTAIN;
        };
        match text.trim_start_matches([' ', '\t', '\r', '\n']).as_bytes() {
            [b'{', ..] => of_object(text),
            [b'[' | b't' | b'f' | b'-' | b'0'..=b'9', ..]
                if is_certain(text) && serde_json::from_str::<IgnoredAny>(text).is_ok() =>
            {
                NO_OBJECT
            }
            _ => UNCERTAIN,
        }
    };
    offsets.windows(2).map(code).collect()
}

/// Writes a value in canonical form; no form is a prefix of another.
struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn text(&mut self, tag: u8, text: &[u8]) {
        self.0.push(tag);
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text);
    }

    fn bool(&mut self, value: bool) {
        self.0.push(if value { b't' } else { b'f' });
    }

    fn integer(&mut self, value: i64) {
        self.0.push(b'i');
        self.0.extend(value.to_le_bytes());
    }
}

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.push(b'n');
        Ok(())
    }

    fn visit_bool<E: Error>(mut self, value: bool) -> Result<(), E> {
        self.bool(value);
        Ok(())
    }

    fn visit_i64<E: Error>(mut self, value: i64) -> Result<(), E> {
        self.integer(value);
        Ok(())
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<(), E> {
        self.integer(i64::try_from(value).map_err(|_| refused())?);
        Ok(())
    }

    fn visit_f64<E: Error>(mut self, value: f64) -> Result<(), E> {
        if value.fract() == 0.0 {
            only_if(value.abs() < EXACT)?;
            self.integer(value as i64);
        } else {
            self.0.push(b'd');
            self.0.extend(value.to_bits().to_le_bytes());
        }
        Ok(())
    }

    fn visit_str<E: Error>(mut self, value: &str) -> Result<(), E> {
        self.text(b's', value.as_bytes());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        while items.next_element_seed(Writer(self.0))?.is_some() {}
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let begin = self.0.len();
        let mut known: Vec<(Cow<'de, str>, usize)> = Vec::new();
        let mut is_sorted = true;
        while let Some(Text(key)) = members.next_key::<Text<'de>>()? {
            is_sorted &= known.last().is_none_or(|(last, _)| *last < key);
            let at = self.0.len();
            self.text(b'k', key.as_bytes());
            known.push((key, at));
            members.next_value_seed(Writer(self.0))?;
        }
        if !is_sorted {
            sort(self.0, begin, &known)?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

/// Sorts the members that were written from `begin` on by their keys.
fn sort<E: Error>(
    written: &mut Vec<u8>,
    begin: usize,
    members: &[(Cow<'_, str>, usize)],
) -> Result<(), E> {
    let unsorted = written.split_off(begin);
    let ends: Vec<usize> = members[1..]
        .iter()
        .map(|&(_, at)| at)
        .chain([begin + unsorted.len()])
        .collect();
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_unstable_by(|&a, &b| members[a].0.cmp(&members[b].0));
    // In Python, the last value of a repeated key counts; such objects are rare and left to it.
    only_if(
        order
            .windows(2)
            .all(|pair| members[pair[0]].0 != members[pair[1]].0),
    )?;
    for member in order {
        written.extend(&unsorted[members[member].1 - begin..ends[member] - begin]);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
