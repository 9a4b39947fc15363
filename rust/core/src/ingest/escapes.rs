//! JSON strings and their escapes.
//!
//! Command output and source code are long and full of escapes. The text between two escapes is
//! searched and copied many bytes at a time.

use std::borrow::Cow;

use memchr::memchr;

use super::blocks::{BLOCK, Block};
use super::texts::reserve;

/// The kinds of escapes that a string contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// No escapes.
    Absent,
    /// Only the short escapes that every writer uses for these characters, such as `\n`.
    Named,
    /// Other escapes, such as surrogate pairs in hexadecimal.
    Other,
}

/// Finds the quote that ends the string whose first byte is at `at`, and the kinds of its escapes;
/// `None` if the string is invalid.
pub(super) fn text_end(bytes: &[u8], mut at: usize) -> Option<(usize, Escapes)> {
    let mut escapes = Escapes::Absent;
    while let Some(block) = Block::at(bytes, at) {
        let mut found = block.specials();
        let mut passed = BLOCK;
        // Escapes are often close together, so a block may contain several.
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            match bytes[at + place] {
                b'"' => return Some((at + place, escapes)),
                b'\\' => {
                    let next = place + escape_length(bytes, at + place, &mut escapes)?;
                    if next >= BLOCK {
                        passed = next;
                        break;
                    }
                    found &= u32::MAX << next;
                }
                _ => return None,
            }
        }
        at += passed;
    }
    loop {
        at += bytes.get(at..)?.iter().copied().position(is_special)?;
        match bytes[at] {
            b'"' => return Some((at, escapes)),
            b'\\' => at += escape_length(bytes, at, &mut escapes)?,
            _ => return None,
        }
    }
}

/// Finds the next quote, backslash or control character from `at` on.
fn plain_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = Block::at(bytes, at) {
        let found = block.specials();
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    Some(at + bytes.get(at..)?.iter().copied().position(is_special)?)
}

/// Returns the length of the escape at `at` and records its kind; `None` if it is invalid.
#[inline]
fn escape_length(bytes: &[u8], at: usize, escapes: &mut Escapes) -> Option<usize> {
    if matches!(
        bytes.get(at + 1)?,
        b'n' | b'"' | b'\\' | b't' | b'r' | b'b' | b'f'
    ) {
        if *escapes == Escapes::Absent {
            *escapes = Escapes::Named;
        }
        return Some(2);
    }
    *escapes = Escapes::Other;
    other_escape_length(bytes, at)
}

#[inline(never)]
fn other_escape_length(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'/' => Some(2),
        b'u' => {
            let digits = bytes.get(at + 2..at + 6)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// Unescapes the content of a valid JSON string; `None` if it contains half a surrogate pair.
pub(super) fn unescaped(inside: &str) -> Option<Cow<'_, str>> {
    if memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inside));
    }
    let mut text = Vec::new();
    push_unescaped(inside, &mut text)?;
    String::from_utf8(text).ok().map(Cow::Owned)
}

/// Appends the unescaped content of a valid JSON string; `None` if it contains half a surrogate
/// pair, in which case part of it may have been appended.
pub(super) fn push_unescaped(inside: &str, text: &mut Vec<u8>) -> Option<()> {
    let bytes = inside.as_bytes();
    let mut to = text.len();
    // No text is longer than its escaped form. One more block has room for what is copied in
    // excess.
    reserve(text, bytes.len() + BLOCK);
    text.resize(to + bytes.len() + BLOCK, 0);
    let mut at = 0;
    'blocks: while let Some(block) = Block::at(bytes, at) {
        // Copying the whole block is faster than copying an unknown length.
        block.copy_to(&mut text[to..]);
        let mut found = block.places_of(b'\\');
        let mut passed = 0;
        // Escapes are often close together, so a block may contain several.
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            to += place - passed;
            passed = place + push_escape(inside, at + place, text, &mut to)?;
            let Some(rest) = Block::at(bytes, at + passed).filter(|_| passed < BLOCK) else {
                at += passed;
                continue 'blocks;
            };
            rest.copy_to(&mut text[to..]);
            found &= u32::MAX << passed;
        }
        at += BLOCK;
        to += BLOCK - passed;
    }
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += push_escape(inside, at, text, &mut to)?;
        } else {
            text[to] = bytes[at];
            (at, to) = (at + 1, to + 1);
        }
    }
    text.truncate(to);
    Some(())
}

/// Writes the character of the escape at `at`, and returns the length of the escape.
#[inline]
fn push_escape(inside: &str, at: usize, text: &mut [u8], to: &mut usize) -> Option<usize> {
    let escaped = match inside.as_bytes().get(at + 1)? {
        b'n' => b'\n',
        b't' => b'\t',
        byte @ (b'"' | b'\\') => *byte,
        _ => return push_other_escape(inside, at, text, to),
    };
    text[*to] = escaped;
    *to += 1;
    Some(2)
}

#[inline(never)]
fn push_other_escape(inside: &str, at: usize, text: &mut [u8], to: &mut usize) -> Option<usize> {
    let (escaped, length) = escape(inside.get(at..)?)?;
    *to += escaped.encode_utf8(&mut text[*to..]).len();
    Some(length)
}

/// Returns a text as a JSON string.
pub(super) fn json_text(text: &str) -> String {
    let mut json = Vec::new();
    push_json(text, &mut json);
    // Escaping keeps the text valid UTF-8.
    String::from_utf8(json).unwrap_or_default()
}

/// Appends a text as a JSON string.
pub(super) fn push_json(text: &str, json: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    reserve(json, bytes.len() + bytes.len() / 16 + 2);
    json.push(b'"');
    let mut begin = 0;
    while let Some(at) = plain_end(bytes, begin) {
        json.extend_from_slice(&bytes[begin..at]);
        let byte = bytes[at];
        let escaped = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                json.extend_from_slice(b"\\u00");
                json.push(DIGITS[usize::from(byte >> 4)]);
                json.push(DIGITS[usize::from(byte & 0xf)]);
                begin = at + 1;
                continue;
            }
        };
        json.extend_from_slice(&[b'\\', escaped]);
        begin = at + 1;
    }
    json.extend_from_slice(&bytes[begin..]);
    json.push(b'"');
}

/// Returns the character of an escape, and the length of the escape.
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

/// Parses `\u00e9`, or a surrogate pair of such escapes.
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
mod tests;
