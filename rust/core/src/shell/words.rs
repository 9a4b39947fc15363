//! Words of shell commands: quotes are removed, expansions are not performed.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::Uncertain;
use super::parser::Parser;
use super::syntax::Word;
use super::text::tail;

impl<'a> Parser<'a> {
    /// Parses the word that begins here, without its quotes; consumes at least one byte.
    pub(super) fn word(&mut self) -> Result<Word<'a>, Uncertain> {
        let text = self.text;
        let bytes = text.as_bytes();
        let begin = self.at;
        let mut parts = Parts::default();
        let mut is_known = true;
        while let Some(&byte) = bytes.get(self.at) {
            let at = self.at;
            match byte {
                b'\'' => {
                    let close = find(bytes, b'\'', at + 1);
                    parts.push(&text[at + 1..close]);
                    self.at = bytes.len().min(close + 1);
                }
                b'"' => is_known &= self.double(&mut parts)?,
                b'\\' => {
                    let escaped = char_at(text, at + 1);
                    if escaped != "\n" {
                        parts.push(escaped);
                    }
                    self.at = at + 1 + escaped.len();
                }
                b'$' | b'`' => is_known &= self.expansion(&mut parts)?,
                b'<' | b'>' if bytes.get(at + 1) == Some(&b'(') => {
                    is_known &= self.expansion(&mut parts)?;
                }
                b'*' | b'?' | b'[' => {
                    parts.push(&text[at..=at]);
                    is_known = false;
                    self.at += 1;
                }
                _ if is_delimiter(byte) => break,
                _ => {
                    let length = bytes[at..].iter().position(|&byte| !is_plain(byte));
                    let plain = &text[at..length.map_or(text.len(), |length| at + length)];
                    is_known &= !(plain.contains('{') && plain.contains(','));
                    parts.push(plain);
                    self.at += plain.len();
                }
            }
        }
        if self.at == begin {
            self.at = bytes.len().min(begin + 1);
        }
        Ok(Word {
            text: parts.0,
            is_known,
        })
    }

    /// Consumes a part in double quotes; returns whether its text is known.
    fn double(&mut self, parts: &mut Parts<'a>) -> Result<bool, Uncertain> {
        let text = self.text;
        let bytes = text.as_bytes();
        let mut is_known = true;
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            let at = self.at;
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(is_known);
                }
                b'\\' => {
                    let escaped = char_at(text, at + 1);
                    match escaped {
                        "\n" => {}
                        "\"" | "\\" | "$" | "`" | "" => parts.push(escaped),
                        _ => parts.push(&text[at..at + 1 + escaped.len()]),
                    }
                    self.at = at + 1 + escaped.len();
                }
                b'$' | b'`' => is_known &= self.expansion(parts)?,
                _ => {
                    let is_end = |&byte: &u8| matches!(byte, b'"' | b'\\' | b'$' | b'`');
                    let length = bytes[at..].iter().position(is_end);
                    let plain = &text[at..length.map_or(text.len(), |length| at + length)];
                    parts.push(plain);
                    self.at += plain.len();
                }
            }
        }
        Ok(is_known)
    }

    /// Consumes an expansion, a lone `$`, or text after `$'`; returns whether its text is known.
    fn expansion(&mut self, parts: &mut Parts<'a>) -> Result<bool, Uncertain> {
        let text = self.text;
        let bytes = text.as_bytes();
        let begin = self.at;
        let end = |close: usize| bytes.len().min(close + 1);
        let following = bytes.get(begin + 1).copied();
        self.at = match (bytes[begin], following) {
            (b'`', _) => end(find(bytes, b'`', begin + 1)),
            (_, Some(b'(')) => closing(bytes, begin + 2),
            (_, Some(b'{')) => end(find(bytes, b'}', begin + 2)),
            _ => {
                self.at = begin + 1;
                let length = name_length(tail(text, begin + 1))?;
                if length == 0 {
                    let is_quote = matches!(following, Some(b'\'' | b'"'));
                    parts.push(if is_quote { "" } else { "$" });
                    return Ok(true);
                }
                begin + 1 + length
            }
        };
        parts.push(&text[begin..self.at]);
        Ok(false)
    }
}

/// The text of a word, borrowed as long as it is contiguous.
#[derive(Default)]
struct Parts<'a>(Cow<'a, str>);

impl<'a> Parts<'a> {
    fn push(&mut self, part: &'a str) {
        if self.0.is_empty() {
            self.0 = Cow::Borrowed(part);
        } else if !part.is_empty() {
            self.0.to_mut().push_str(part);
        }
    }
}

/// Returns whether a byte stands for itself.
pub(super) fn is_plain(byte: u8) -> bool {
    !is_delimiter(byte)
        && !matches!(
            byte,
            b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'['
        )
}

/// Returns whether a byte ends a word.
pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// Returns the position of a byte from `from` on, or the end.
fn find(bytes: &[u8], byte: u8, from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    memchr(byte, rest).map_or(bytes.len(), |at| from + at)
}

/// Returns the character at a position; empty at the end.
fn char_at(text: &str, at: usize) -> &str {
    let rest = tail(text, at);
    &rest[..rest.chars().next().map_or(0, char::len_utf8)]
}

/// Returns the length of a variable's name; 0 if there is none.
fn name_length(rest: &str) -> Result<usize, Uncertain> {
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if name.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric()) {
        return Err(Uncertain);
    }
    let length = rest.len() - name.len();
    let is_special = rest.starts_with(['@', '*', '#', '?', '!', '$', '-']);
    Ok(if length == 0 && is_special { 1 } else { length })
}

/// Returns the end of the substitution that begins here.
fn closing(bytes: &[u8], from: usize) -> usize {
    let (mut depth, mut at) = (1_usize, from);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' => {
                let close = find(bytes, b'\'', at + 1);
                if close < bytes.len() {
                    at = close;
                }
            }
            b'"' => {
                if let Some(close) = double_end(bytes, at + 1) {
                    at = close;
                }
            }
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the position of the double quote that ends a part.
fn double_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}
