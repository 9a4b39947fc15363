//! Rows as CSV.

use std::fmt::Write;

use super::{Column, Refused, Values, value, write_rows};

/// Formats rows as CSV, as Python's `csv.writer` does with `\n` at the end of a line.
///
/// Characters that move the cursor or reverse the direction of text are escaped, and text that a
/// spreadsheet would run as a formula gets a leading `'`.
///
/// # Errors
///
/// [`Refused`] if a column has another length, is invalid, or holds lists or other structures.
pub fn csv_lines(columns: &[Column], rows: usize) -> Result<Vec<Vec<u8>>, Refused> {
    write_rows(rows, |out, row| {
        let begin = out.len();
        for (count, column) in columns.iter().enumerate() {
            if count > 0 {
                out.push(b',');
            }
            if column.has(row)? {
                put_value(out, &column.values, row)?;
            }
        }
        if out.len() == begin {
            out.extend_from_slice(b"\"\""); // an empty line would not be a row
        }
        out.push(b'\n');
        Ok(())
    })
}

fn put_value(out: &mut Vec<u8>, values: &Values, row: usize) -> Result<(), Refused> {
    match values {
        Values::Boolean(bits) => {
            out.extend_from_slice(if bits.get(row)? { b"true" } else { b"false" });
        }
        Values::Integer(values) => {
            out.extend_from_slice(value(values, row)?.to_string().as_bytes());
        }
        Values::Number(values) => put_number(out, value(values, row)?),
        Values::Text(texts) => put_cell(out, texts.get(row)?),
        Values::Json(_) | Values::List(..) | Values::Mapping(..) | Values::Record(_) => {
            return Err(Refused);
        }
    }
    Ok(())
}

/// Writes a number as Python's `repr` does.
fn put_number(out: &mut Vec<u8>, value: f64) {
    let text = if value.is_nan() {
        "nan".to_owned()
    } else {
        let scientific = format!("{value:e}");
        match scientific.split_once('e') {
            Some((digits, exponent)) => as_python(digits, exponent, value),
            None => scientific, // an infinity, which both write as "inf"
        }
    };
    out.extend_from_slice(text.as_bytes());
}

/// Formats a number as Python does, from its shortest digits and exponent.
fn as_python(digits: &str, exponent: &str, value: f64) -> String {
    match exponent.parse::<i32>() {
        Ok(-4..16) => {
            let text = value.to_string();
            if text.contains('.') {
                text
            } else {
                text + ".0"
            }
        }
        Ok(power) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.unsigned_abs())
        }
        Err(_) => value.to_string(),
    }
}

fn put_cell(out: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(is_special) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut cell = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\r' => cell.push_str("\\r"),
            '\t' | '\n' => cell.push(character),
            '\0'..' ' | '\x7f'..='\u{9f}' => {
                let _ = write!(cell, "\\x{:02x}", u32::from(character));
            }
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                let _ = write!(cell, "\\u{:04x}", u32::from(character));
            }
            _ => cell.push(character),
        }
    }
    if cell
        .trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t'])
    {
        cell.insert(0, '\'');
    }
    if cell.contains([',', '"', '\n']) {
        out.push(b'"');
        out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(cell.as_bytes());
    }
}

/// Returns whether a text with this byte needs quotes or escapes.
fn is_special(byte: u8) -> bool {
    matches!(byte, ..b' ' | b'"' | b',' | b'=' | b'+' | b'-' | b'@' | b'\x7f'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut out = Vec::new();
        put_cell(&mut out, text);
        String::from_utf8(out).unwrap_or_default()
    }

    fn number(value: f64) -> String {
        let mut out = Vec::new();
        put_number(&mut out, value);
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn numbers_are_those_of_python() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e22, "1.5e+22"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn cells_are_safe() {
        for (text, expected) in [
            ("", ""),
            ("it's", "it's"),
            ("a,b", "\"a,b\""),
            ("say \"a\"\n", "\"say \"\"a\"\"\n\""),
            ("=1+1", "'=1+1"),
            ("''-", "'''-"),
            ("a-b", "a-b"),
            ("\tx", "'\tx"),
            ("\rx\u{1b}\u{202e}\u{85}é", "\\rx\\x1b\\u202e\\x85é"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
