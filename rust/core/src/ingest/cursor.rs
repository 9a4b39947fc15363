//! A cursor over JSON text that takes what is common, and nothing it is not certain of.
//!
//! It reads short texts and integers some times as fast as a general parser. Every method gives
//! none, or false, where it does not find what it looks for; the cursor is then of no more use.

use std::borrow::Cow;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::escapes::{Escapes, text_end, unescaped};

/// Digits that always fit in 64 bits.
const DIGITS: usize = 18;

/// A value that holds no other value and is not text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// Null.
    Null,
    /// True or false.
    Flag(bool),
    /// A number.
    Number(f64),
}

#[derive(Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Whether nothing is left.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The next value, a text.
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        if !self.take(b'"') {
            return None;
        }
        let begin = self.at;
        let (end, escapes) = text_end(self.text.as_bytes(), begin)?;
        self.at = end + 1;
        let text = &self.text[begin..end];
        match escapes {
            Escapes::Absent => Some(Cow::Borrowed(text)),
            _ => unescaped(text),
        }
    }

    /// Whether the next value is null, which is then passed.
    pub fn null(&mut self) -> Option<bool> {
        if self.peek()? != b'n' {
            return Some(false);
        }
        (self.scalar()? == Scalar::Null).then_some(true)
    }

    /// The next value, of any kind, as it stands.
    pub fn raw(&mut self) -> Option<&'a str> {
        self.peek()?;
        let rest = &self.text[self.at..];
        let mut values = Deserializer::from_str(rest).into_iter::<&RawValue>();
        let value = values.next()?.ok()?.get();
        self.at += value.len();
        Some(value)
    }

    /// The next value, an integer.
    #[inline]
    pub fn integer(&mut self) -> Option<i64> {
        // Few numbers are longer, or end the text.
        self.peek()?;
        let short = short_number(self.text.as_bytes(), self.at);
        if let Some((value, digits, [b',' | b'}' | b']', _])) = short {
            self.at += digits;
            return Some(value);
        }
        self.any_integer()
    }

    fn any_integer(&mut self) -> Option<i64> {
        let is_negative = self.take(b'-');
        let rest = &self.text.as_bytes()[self.at..];
        let mut value: u64 = 0;
        let mut digits = 0;
        for &byte in rest.iter().take(DIGITS + 1) {
            if !byte.is_ascii_digit() {
                break;
            }
            value = 10 * value + u64::from(byte - b'0');
            digits += 1;
        }
        let is_odd = digits == 0
            || digits > DIGITS
            || (rest[0] == b'0' && (digits > 1 || is_negative))
            || matches!(rest.get(digits), Some(b'.' | b'e' | b'E'));
        if is_odd {
            return None;
        }
        self.at += digits;
        let value = value as i64;
        Some(if is_negative { -value } else { value })
    }

    /// The next value, a list of integers without a sign, which are added to others.
    pub fn counts(&mut self, found: &mut Vec<i64>) -> Option<()> {
        self.list(|cursor| {
            let bytes = cursor.text.as_bytes();
            while let Some((value, digits, [b',', second])) = short_number(bytes, cursor.at) {
                found.push(value);
                cursor.at += digits + 1 + usize::from(second == b' ');
            }
            found.push(cursor.integer().filter(|&value| value >= 0)?);
            Some(())
        })
    }

    /// The next value, a number, true, false or null.
    pub fn scalar(&mut self) -> Option<Scalar> {
        let (word, value) = match self.peek()? {
            b'n' => ("null", Scalar::Null),
            b't' => ("true", Scalar::Flag(true)),
            b'f' => ("false", Scalar::Flag(false)),
            _ => return self.number().map(Scalar::Number),
        };
        let is_it = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_it.then_some(value)
    }

    fn number(&mut self) -> Option<f64> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.iter().position(|byte| !is_part(byte));
        let number = &rest[..length.unwrap_or(rest.len())];
        // Everything else that JSON forbids, the standard library refuses too.
        let digits = number.strip_prefix(b"-").unwrap_or(number);
        let is_odd = !digits.first()?.is_ascii_digit()
            || (digits[0] == b'0' && digits.get(1).is_some_and(u8::is_ascii_digit))
            || memchr::memchr(b'.', digits)
                .is_some_and(|point| !digits.get(point + 1).is_some_and(u8::is_ascii_digit));
        let end = self.at + number.len();
        let value: f64 = self.text[self.at..end].parse().ok()?;
        self.at = end;
        (!is_odd && value.is_finite()).then_some(value)
    }

    /// The next value, a list, of which `item` reads each item.
    pub fn list(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.items(b'[', b']', item)
    }

    /// The next value, an object, of which `value` reads the value of each key.
    pub fn object(
        &mut self,
        mut value: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        self.members(|cursor| {
            let key = cursor.key()?;
            value(cursor, key)
        })
    }

    /// The next value, an object, of which `member` reads each key with its value.
    pub fn members(&mut self, member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.items(b'{', b'}', member)
    }

    /// The next key of an object.
    pub fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = self.text()?;
        self.take(b':').then_some(key)
    }

    /// Which of some keys, written with quotes and a colon, stands next; it is passed.
    ///
    /// To compare a key with the few that are likely is faster than to find where it ends.
    pub fn pass_key<'k>(&mut self, keys: impl IntoIterator<Item = &'k str>) -> Option<usize> {
        self.peek()?;
        let rest = &self.text.as_bytes()[self.at..];
        let second = rest.get(1);
        let is_next = |key: &[u8]| key.get(1) == second && rest.starts_with(key);
        let mut keys = keys.into_iter().enumerate();
        let (place, key) = keys.find(|(_, key)| is_next(key.as_bytes()))?;
        self.at += key.len();
        Some(place)
    }

    fn items(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if !self.take(open) {
            return None;
        }
        if self.take(close) {
            return Some(());
        }
        loop {
            item(self)?;
            if !self.take(b',') {
                return self.take(close).then_some(());
            }
        }
    }

    /// Where the cursor is.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Goes back to where the cursor was.
    pub fn go_back(&mut self, place: usize) {
        self.at = place;
    }

    /// The text from a place up to the cursor.
    pub fn since(&self, place: usize) -> &'a str {
        &self.text[place..self.at]
    }

    /// Passes `text`, if it stands here as it is.
    pub fn pass(&mut self, text: &str) -> bool {
        let is_here = self.text.as_bytes()[self.at..].starts_with(text.as_bytes());
        self.at += if is_here { text.len() } else { 0 };
        is_here
    }

    /// Passes `text`, if it stands next.
    pub fn pass_next(&mut self, text: &str) -> Option<()> {
        self.peek()?;
        self.pass(text).then_some(())
    }

    /// Whether an object ends here, which is then passed.
    pub fn object_end(&mut self) -> bool {
        self.take(b'}')
    }
}

/// A number of a few digits at `at`, its length, and the two bytes that follow.
///
/// Eight bytes are read as one word. The first byte that is not a digit ends the number, whose
/// digits are then shifted to the end of the word, after zeros.
#[inline]
fn short_number(bytes: &[u8], at: usize) -> Option<(i64, usize, [u8; 2])> {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    let values = word ^ (ONES * u64::from(b'0'));
    let others = (values | values.wrapping_add(ONES * 6)) & (ONES * 0xf0);
    let digits = others.trailing_zeros() / 8;
    let [next, second, ..] = word.checked_shr(8 * digits)?.to_le_bytes();
    if digits == 0 || (bytes[at] == b'0' && digits > 1) {
        return None;
    }
    let values = values << (64 - 8 * digits);
    // Each step joins neighbours: to numbers of two digits, and those to one of eight.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let (even, odd) = (pairs & 0xff_0000_00ff, pairs >> 16 & 0xff_0000_00ff);
    let number = even.wrapping_mul(100 + (1_000_000 << 32)) + odd.wrapping_mul(1 + (10_000 << 32));
    Some(((number >> 32) as i64, digits as usize, [next, second]))
}

#[cfg(test)]
mod tests;
