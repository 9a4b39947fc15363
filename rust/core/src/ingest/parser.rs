//! A pull parser for JSON, whose values borrow from its text.

use super::escapes::text_end;
use super::raw::{DEEPEST, MOST_DIGITS, MOST_EXPONENT_DIGITS};
use super::tree::{List, Node, Object, Quoted};

/// Least bytes of a long string.
const LONG: usize = 64;
/// Bytes at the end of a string that are compared first.
const END: usize = 8;

/// Parses one value after another. Every method returns `None` if the text is not JSON, or is not
/// certain to mean the same to every parser.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    is_beyond: bool,
    newline: Option<usize>,
    /// The last long string. Logs repeat the text of a model in its response, and comparing is
    /// faster than searching for the end.
    long: Option<Quoted<'a>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            is_beyond: false,
            newline: None,
            long: None,
        }
    }

    /// Returns whether it stopped at valid JSON that not every parser is certain to accept.
    pub(super) fn is_beyond(&self) -> bool {
        self.is_beyond
    }

    /// Returns the position of the first newline so far; valid strings contain none.
    pub(super) fn newline(&self) -> Option<usize> {
        self.newline
    }

    /// Returns the position of the next unread byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns whether only whitespace is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Returns the first byte of the next value.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            if byte == b'\n' && self.newline.is_none() {
                self.newline = Some(self.at);
            }
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Parses the next value.
    pub(super) fn value(&mut self) -> Option<Node<'a>> {
        match self.peek()? {
            b'"' => self.quoted().map(Node::Text),
            b'{' => {
                let begin = self.at;
                let mut members = Vec::new();
                self.object(|parser, key| {
                    members.push((key, parser.value()?));
                    Some(())
                })?;
                let json = Some(&self.text[begin..self.at]);
                Some(Node::Object(Object { json, members }))
            }
            b'[' => {
                let begin = self.at;
                let mut items = Vec::new();
                self.list(|parser| {
                    items.push(parser.value()?);
                    Some(())
                })?;
                let json = Some(&self.text[begin..self.at]);
                Some(Node::List(List { json, items }))
            }
            b't' => self.word("true", Node::Boolean(true)),
            b'f' => self.word("false", Node::Boolean(false)),
            b'n' => self.word("null", Node::Null),
            _ => self.number().map(Node::Number),
        }
    }

    /// Skips the next value and returns its text.
    pub(super) fn skip(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let begin = self.at;
        match first {
            b'"' => drop(self.quoted()?),
            b'{' => self.object(|parser, _| parser.skip().map(drop))?,
            b'[' => self.list(|parser| parser.skip().map(drop))?,
            b't' | b'f' | b'n' => drop(self.value()?),
            _ => drop(self.number()?),
        }
        Some(&self.text[begin..self.at])
    }

    /// Parses an object, whose values `value` parses key by key.
    pub(super) fn object(
        &mut self,
        mut value: impl FnMut(&mut Self, Quoted<'a>) -> Option<()>,
    ) -> Option<()> {
        self.take(b'{')?;
        self.enter()?;
        if self.take(b'}').is_none() {
            loop {
                let key = self.quoted()?;
                self.take(b':')?;
                value(self, key)?;
                if self.take(b',').is_none() {
                    self.take(b'}')?;
                    break;
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// Parses a list, whose items `item` parses one by one.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        self.enter()?;
        if self.take(b']').is_none() {
            loop {
                item(self)?;
                if self.take(b',').is_none() {
                    self.take(b']')?;
                    break;
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        self.is_beyond = self.depth > DEEPEST;
        (!self.is_beyond).then_some(())
    }

    fn word(&mut self, word: &str, value: Node<'a>) -> Option<Node<'a>> {
        if !self.text[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        Some(value)
    }

    /// Parses a string.
    pub(super) fn quoted(&mut self) -> Option<Quoted<'a>> {
        self.take(b'"')?;
        let begin = self.at - 1;
        if let Some(again) = self.long.filter(|long| self.stands_at(begin, long.json)) {
            self.at = begin + again.json.len();
            return Some(again);
        }
        let (end, escapes) = text_end(self.text.as_bytes(), self.at)?;
        self.at = end + 1;
        let json = &self.text[begin..=end];
        let quoted = Quoted { json, escapes };
        if json.len() >= LONG {
            self.long = Some(quoted);
        }
        Some(quoted)
    }

    /// Returns whether a long string is at `begin`; the ends are compared first, as they rarely
    /// agree.
    fn stands_at(&self, begin: usize, long: &str) -> bool {
        let next = self.text.as_bytes().get(begin..begin + long.len());
        next.is_some_and(|next| {
            next.last_chunk::<END>() == long.as_bytes().last_chunk() && next == long.as_bytes()
        })
    }

    /// Skips the next value if it is null; returns whether it was.
    pub(super) fn null(&mut self) -> Option<bool> {
        if self.peek()? != b'n' {
            return Some(false);
        }
        self.word("null", Node::Null).map(|_| true)
    }

    /// Parses a number and returns its text.
    pub(super) fn number(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let begin = self.at;
        if first == b'-' {
            self.at += 1;
        }
        let whole = self.digits(MOST_DIGITS)?;
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        if self.next_is(|byte| byte == b'.') {
            self.digits(MOST_DIGITS)?;
        }
        if self.next_is(|byte| matches!(byte, b'e' | b'E')) {
            self.next_is(|byte| matches!(byte, b'+' | b'-'));
            self.digits(MOST_EXPONENT_DIGITS)?;
        }
        Some(&self.text[begin..self.at])
    }

    /// Skips the next byte if it is as `expected`; returns whether it was.
    fn next_is(&mut self, expected: impl Fn(u8) -> bool) -> bool {
        let next = self.text.as_bytes().get(self.at);
        let is_it = next.is_some_and(|&byte| expected(byte));
        self.at += usize::from(is_it);
        is_it
    }

    fn digits(&mut self, most: usize) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        self.is_beyond = count > most;
        (1..=most).contains(&count).then(|| &rest[..count])
    }
}

#[cfg(test)]
mod tests;
