//! JSON text that is kept as written, provided that the record reader is certain to read it alike.

use memchr::memmem;

use super::escapes::text_end;

/// The input is not certain to mean the same to the record reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uncertain;

/// Nesting that every parser accepts; the record reader refuses 200 levels.
pub(super) const DEEPEST: usize = 100;

/// Most consecutive digits for which a number is neither infinite nor an integer too long for
/// Python.
pub(super) const MOST_DIGITS: usize = 200;

/// Most digits of an exponent, for the same reason.
pub(super) const MOST_EXPONENT_DIGITS: usize = 2;

/// Most values of a text that the record reader reads.
pub(super) const MOST_VALUES: usize = 10_000_000;

/// Returns whether valid JSON has more values than the record reader reads; one follows each comma
/// and opening bracket.
#[must_use]
pub(crate) fn has_too_many_values(text: &[u8]) -> bool {
    text.len() > MOST_VALUES && has_more_values(text, MOST_VALUES)
}

fn has_more_values(text: &[u8], most: usize) -> bool {
    let (mut count, mut at) = (0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => match text_end(text, at) {
                Some((end, _)) => at = end + 1,
                None => break,
            },
            b'{' | b'[' | b',' => count += 1,
            _ => {}
        }
    }
    count > most
}

/// Returns whether valid JSON contains nothing that the record reader treats specially: half
/// surrogate pairs, numbers that no double represents, or deep nesting.
#[must_use]
pub fn is_certain(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'"') && memmem::find(bytes, b"\\u").is_none() {
        return true;
    }
    let (mut depth, mut digits, mut most) = (0, 0, MOST_DIGITS);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        if byte.is_ascii_digit() {
            digits += 1;
            if digits > most {
                return false;
            }
            continue;
        }
        digits = 0;
        match byte {
            b'e' | b'E' => most = MOST_EXPONENT_DIGITS,
            b'+' | b'-' => {}
            _ => most = MOST_DIGITS,
        }
        match byte {
            b'"' => match end_of_text(bytes, at) {
                Some(end) => at = end,
                None => return false,
            },
            b'[' | b'{' => {
                depth += 1;
                if depth > DEEPEST {
                    return false;
                }
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    true
}

/// Returns the position after the closing quote of the string whose first byte is at `at`; `None`
/// if it contains half a surrogate pair.
fn end_of_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        if *bytes.get(at + 1)? != b'u' {
            at += 2;
            continue;
        }
        match surrogate(bytes, at) {
            None => at += 6,
            Some(Half::First) if surrogate(bytes, at + 6) == Some(Half::Second) => at += 12,
            Some(_) => return None,
        }
    }
}

#[derive(PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Returns which half of a surrogate pair the escape at `at` is, if either.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") || !escape[2].eq_ignore_ascii_case(&b'd') {
        return None;
    }
    match escape[3].to_ascii_lowercase() {
        b'8' | b'9' | b'a' | b'b' => Some(Half::First),
        b'c'..=b'f' => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_VALUES, has_more_values, has_too_many_values, is_certain};

    #[test]
    fn values_are_counted_without_keys_and_texts() {
        for (text, count) in [
            ("1", 0),
            ("[1, 2]", 2),
            (r#"{"a": [1], "b": "[,{"}"#, 3),
            (r#"["\\", "\\\",", ""]"#, 3),
            ("[{}, {}]", 4),
        ] {
            assert!(!has_more_values(text.as_bytes(), count), "{text}");
            assert!(
                count == 0 || has_more_values(text.as_bytes(), count - 1),
                "{text}"
            );
        }
    }

    #[test]
    fn long_texts_may_have_too_many_values() {
        let list = |count| format!("[{}0]", "0,".repeat(count - 1));
        assert!(!has_too_many_values(list(MOST_VALUES).as_bytes()));
        assert!(has_too_many_values(list(MOST_VALUES + 1).as_bytes()));
    }

    #[test]
    fn plain_values_are_certain() {
        for text in [
            r#"{"a": [1, -2.5e+10, true, null, "x\\\"y\n"]}"#,
            r#""\ud83d\ude00 \u00e9 \\ud83d""#,
            r#""\uD83D\uDE00""#,
            "1e99",
            "[]",
        ] {
            assert!(is_certain(text), "{text}");
        }
        assert!(is_certain(&"[".repeat(100)));
        assert!(is_certain(&"1".repeat(200)));
    }

    #[test]
    fn others_are_not() {
        for text in [
            r#""\ud83d""#,
            r#""\ud83d\ud83d\ude00""#,
            r#"["\ude00"]"#,
            r#""\uD83D\\uDE00""#,
            "1e400",
            "[1E+400]",
        ] {
            assert!(!is_certain(text), "{text}");
        }
        assert!(!is_certain(&"[".repeat(101)));
        assert!(!is_certain(&"1".repeat(201)));
    }
}
