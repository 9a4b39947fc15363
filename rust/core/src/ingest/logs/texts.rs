//! Texts of JSON that are long, and full of escapes: output of commands, and source code.
//!
//! The end of a text is found first, and then its escapes, each at the speed of a search for a
//! byte; a general parser goes through such texts at half that speed.

use std::borrow::Cow;

use memchr::memchr;
use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::super::value::refused;

/// A long text.
#[derive(Debug)]
pub(super) struct Long<'de>(pub Cow<'de, str>);

impl<'de> Deserialize<'de> for Long<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        decoded(raw.get()).map(Long).ok_or_else(refused)
    }
}

/// The text that valid JSON is; none if it is none, or holds half of a surrogate pair.
pub(super) fn decoded(json: &str) -> Option<Cow<'_, str>> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    let Some(mut at) = memchr(b'\\', inside.as_bytes()) else {
        return Some(Cow::Borrowed(inside));
    };
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    loop {
        text.push_str(&rest[..at]);
        let (escaped, length) = escape(&rest[at..])?;
        text.push(escaped);
        rest = &rest[at + length..];
        match memchr(b'\\', rest.as_bytes()) {
            Some(next) => at = next,
            None => break,
        }
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// The character that an escape stands for, and how long the escape is.
fn escape(text: &str) -> Option<(char, usize)> {
    let escaped = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\x08',
        b'f' => '\x0c',
        b'u' => return unicode(text),
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        _ => return None,
    };
    Some((escaped, 2))
}

/// The character of `\u00e9`, or of a pair of those.
fn unicode(text: &str) -> Option<(char, usize)> {
    const LENGTH: usize = 6;
    let unit = |at: usize| {
        let digits = text.get(at..at + LENGTH)?.strip_prefix("\\u")?;
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_plain.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(0)?;
    if let Some(escaped) = char::from_u32(first.into()) {
        return Some((escaped, LENGTH));
    }
    let pair = [first, unit(LENGTH)?];
    let escaped = char::decode_utf16(pair).next()?.ok()?;
    Some((escaped, 2 * LENGTH))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::decoded;

    #[test]
    fn texts() {
        assert!(matches!(
            decoded(r#""plain é""#),
            Some(Cow::Borrowed("plain é"))
        ));
        for (json, text) in [
            (r#""""#, ""),
            (r#""\n\t\r\b\f\"\\\/""#, "\n\t\r\x08\x0c\"\\/"),
            (r#""a\nb\u00e9c""#, "a\nbéc"),
            (r#""\ud83d\ude00!""#, "😀!"),
            (r#""\\u00e9""#, "\\u00e9"),
        ] {
            assert_eq!(decoded(json).as_deref(), Some(text));
            assert_eq!(
                serde_json::from_str::<String>(json).ok().as_deref(),
                Some(text)
            );
        }
    }

    #[test]
    fn what_is_no_text() {
        for json in [
            "1",
            "null",
            "\"",
            r#""\ud83d""#,
            r#""\ud83d\n""#,
            r#""\ude00\ud83d""#,
            r#""\ud83d\ud83d""#,
            r#""\u+123""#,
        ] {
            assert_eq!(decoded(json), None, "{json}");
        }
    }
}
