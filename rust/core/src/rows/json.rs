//! Rows as JSON lines.

use serde::de::IgnoredAny;

use super::{Column, Member, Refused, Values, between, value, write_rows};

/// Nesting of JSON that every parser accepts.
const DEEPEST: usize = 100;

/// Formats rows as JSON lines, one object each.
///
/// Infinities and NaN, which JSON lacks, become strings; in members with a default they are written
/// as Python's `json` writes and reads them. JSON values are copied as written, but on one line.
///
/// # Errors
///
/// [`Refused`] if a column has another length or is invalid.
pub fn json_lines(members: &[Member], rows: usize) -> Result<Vec<Vec<u8>>, Refused> {
    write_rows(rows, |out, row| {
        put_record(out, members, row)?;
        out.push(b'\n');
        Ok(())
    })
}

fn put_record(out: &mut Vec<u8>, members: &[Member], row: usize) -> Result<(), Refused> {
    out.push(b'{');
    let first = out.len();
    for member in members {
        if member.default.is_some() && !member.column.has(row)? {
            continue;
        }
        let begin = out.len();
        if begin > first {
            out.push(b',');
        }
        put(out, &member.name)?;
        out.push(b':');
        let value = out.len();
        put_value(out, &member.column, row, member.default.is_some())?;
        let is_default = |default: &String| out[value..] == *default.as_bytes();
        if member.default.as_ref().is_some_and(is_default) {
            out.truncate(begin);
        }
    }
    out.push(b'}');
    Ok(())
}

/// Writes a value; `is_bare`: whether infinities and NaN are not strings.
fn put_value(out: &mut Vec<u8>, column: &Column, row: usize, is_bare: bool) -> Result<(), Refused> {
    if !column.has(row)? {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    match &column.values {
        Values::Boolean(bits) => put(out, &bits.get(row)?),
        Values::Integer(values) => put(out, &value(values, row)?),
        Values::Number(values) => put_number(out, value(values, row)?, is_bare),
        Values::Text(texts) => put(out, texts.get(row)?),
        Values::Json(texts) => put_json(out, texts.get(row)?),
        Values::List(offsets, items) => {
            out.push(b'[');
            for (count, item) in between(offsets, row)?.enumerate() {
                if count > 0 {
                    out.push(b',');
                }
                put_value(out, items, item, is_bare)?;
            }
            out.push(b']');
            Ok(())
        }
        Values::Mapping(offsets, keys, values) => {
            out.push(b'{');
            for (count, item) in between(offsets, row)?.enumerate() {
                if count > 0 {
                    out.push(b',');
                }
                put(out, keys.get(item)?)?;
                out.push(b':');
                put_value(out, values, item, is_bare)?;
            }
            out.push(b'}');
            Ok(())
        }
        Values::Record(members) => put_record(out, members, row),
    }
}

fn put(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) -> Result<(), Refused> {
    serde_json::to_writer(out, value).map_err(|_| Refused)
}

fn put_number(out: &mut Vec<u8>, value: f64, is_bare: bool) -> Result<(), Refused> {
    if value.is_finite() {
        return put(out, &value);
    }
    let name = match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (_, true) => "Infinity",
        (_, false) => "-Infinity",
    };
    if !is_bare {
        return put(out, name);
    }
    out.extend_from_slice(name.as_bytes());
    Ok(())
}

fn put_json(out: &mut Vec<u8>, text: &str) -> Result<(), Refused> {
    if is_deep(text) || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Err(Refused);
    }
    let begin = out.len();
    out.extend_from_slice(text.as_bytes());
    // Line breaks occur only between values, never in one.
    for byte in &mut out[begin..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Ok(())
}

/// Returns whether values may be nested more deeply than every parser accepts.
fn is_deep(text: &str) -> bool {
    let (mut depth, mut rest) = (0, text.as_bytes());
    while let Some(at) = rest.iter().position(|byte| b"\"[]{}".contains(byte)) {
        let byte = rest[at];
        rest = &rest[at + 1..];
        match byte {
            b'"' => rest = behind_text(rest),
            b'[' | b'{' => depth += 1,
            _ => depth = depth.max(1) - 1,
        }
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

/// Returns the rest after a string, whose opening quote was already removed.
fn behind_text(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests;
