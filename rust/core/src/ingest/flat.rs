//! Flat JSON objects of texts, small integers and literals, read in a single pass.
//!
//! Most arguments of calls are such objects, and a general parser takes several times as long. Any
//! other text is left to the caller, valid or not.

use memchr::memchr2;

/// More digits than this may not fit an `i64`.
const MOST_DIGITS: usize = 18;

/// The value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flat<'a> {
    /// A text without escapes.
    Text(&'a [u8]),
    /// An integer without fraction and exponent.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// Gives the members of an object to `member`, key first; returns whether the text was one.
///
/// If it is not, some members may have been given before that is known.
pub(super) fn flat_members<'a>(
    text: &'a str,
    mut member: impl FnMut(&'a [u8], Flat<'a>) -> bool,
) -> bool {
    let mut rest = Rest(text.as_bytes());
    rest.read(&mut member).is_some() && rest.is_end()
}

/// What follows in the text.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn read(&mut self, member: &mut impl FnMut(&'a [u8], Flat<'a>) -> bool) -> Option<()> {
        self.mark(b'{')?;
        if self.mark(b'}').is_some() {
            return Some(());
        }
        loop {
            self.mark(b'"')?;
            let key = self.text()?;
            self.mark(b':')?;
            if !member(key, self.value()?) {
                return None;
            }
            if self.mark(b',').is_none() {
                return self.mark(b'}');
            }
        }
    }

    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    fn is_end(&mut self) -> bool {
        self.skip_space();
        self.0.is_empty()
    }

    /// Passes this character, if it follows after spaces.
    fn mark(&mut self, mark: u8) -> Option<()> {
        self.skip_space();
        let (first, rest) = self.0.split_first()?;
        (*first == mark).then(|| self.0 = rest)
    }

    /// The text before the next quote, which is passed.
    fn text(&mut self) -> Option<&'a [u8]> {
        let end = memchr2(b'"', b'\\', self.0)?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix(b"\"")?;
        // Without an early exit, the compiler checks many bytes at once.
        let least = text.iter().fold(u8::MAX, |least, &byte| least.min(byte));
        (least >= b' ').then_some(text)
    }

    fn value(&mut self) -> Option<Flat<'a>> {
        self.skip_space();
        if let Some(rest) = self.0.strip_prefix(b"\"") {
            self.0 = rest;
            return self.text().map(Flat::Text);
        }
        let words: [(&[u8], Flat<'a>); 3] = [
            (b"true", Flat::Bool(true)),
            (b"false", Flat::Bool(false)),
            (b"null", Flat::Null),
        ];
        for (word, value) in words {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Some(value);
            }
        }
        self.integer().map(Flat::Integer)
    }

    fn integer(&mut self) -> Option<i64> {
        let (is_negative, digits) = match self.0 {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let is_other = |byte: &u8| !byte.is_ascii_digit();
        let (digits, rest) = digits.split_at(digits.iter().position(is_other)?);
        let has_leading_zero = digits.len() > 1 && digits[0] == b'0';
        let is_float = matches!(rest[0], b'.' | b'e' | b'E');
        if digits.is_empty() || digits.len() > MOST_DIGITS || has_leading_zero || is_float {
            return None;
        }
        self.0 = rest;
        let value = |sum, digit: &u8| 10 * sum + i64::from(digit - b'0');
        let size = digits.iter().fold(0, value);
        Some(if is_negative { -size } else { size })
    }
}

#[cfg(test)]
mod tests {
    use super::{Flat, flat_members};

    fn members(text: &str) -> Option<Vec<(&str, Flat<'_>)>> {
        let mut found = Vec::new();
        let is_flat = flat_members(text, |key, value| {
            found.push((std::str::from_utf8(key).unwrap(), value));
            true
        });
        is_flat.then_some(found)
    }

    #[test]
    fn members_come_in_order() {
        let text = " {\"a\" : \"é b\",\"\":-12 ,\t\"a\":true, \"b\":0,\"c\":false,\"d\":null}\r\n";
        let expected = vec![
            ("a", Flat::Text("é b".as_bytes())),
            ("", Flat::Integer(-12)),
            ("a", Flat::Bool(true)),
            ("b", Flat::Integer(0)),
            ("c", Flat::Bool(false)),
            ("d", Flat::Null),
        ];
        assert_eq!(members(text), Some(expected));
        assert_eq!(members("{ } "), Some(Vec::new()));
        let largest = members(r#"{"a":-999999999999999999}"#).unwrap();
        assert_eq!(largest, [("a", Flat::Integer(-999_999_999_999_999_999))]);
    }

    #[test]
    fn other_texts_are_left_to_the_caller() {
        for text in [
            "",
            "{",
            "{}}",
            "{} x",
            "[]",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "b":2}"#,
            r"{a:1}",
            r#"{"a":"\n"}"#,
            "{\"a\":\"\n\"}",
            r#"{"a":"b}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e2}"#,
            r#"{"a":1x}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":+1}"#,
            r#"{"a":truex}"#,
            r#"{"a":1000000000000000000}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
        ] {
            assert_eq!(members(text), None, "{text}");
        }
    }

    #[test]
    fn reading_ends_where_the_caller_says() {
        let mut count = 0;
        assert!(!flat_members(r#"{"a":1,"b":2}"#, |_, _| {
            count += 1;
            false
        }));
        assert_eq!(count, 1);
    }
}
