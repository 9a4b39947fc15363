//! A parser of shell commands, by the rules of POSIX shells and bash.
//!
//! Parsing takes linear time: text that was scanned for a closing mark is consumed.

use std::borrow::Cow;

use memchr::memchr;

use super::Uncertain;
use super::syntax::{Connector, Pipeline, Redirection, Simple, Stage, Word};
use super::text::is_blank;
use super::words::{is_delimiter, is_plain};

/// Deeper groups are ignored; nobody writes them.
const DEEPEST: usize = 40;

/// Parses the pipelines of a command, in order.
pub(super) fn parse(command: &str) -> Result<Vec<Pipeline<'_>>, Uncertain> {
    let mut parser = Parser {
        text: command,
        at: 0,
        documents: Vec::new(),
    };
    parser.pipelines(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Nothing,
    Blank,
    Redirect(&'a str),
    /// A word without quotes and expansions, or one that begins here.
    Word(Option<&'a str>),
    Newline,
    And,
    Or,
    Pipe,
    Open,
    Close,
    End,
}

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub at: usize,
    /// Delimiters of the here-documents that begin on this line, and whether tabs are stripped.
    documents: Vec<(Cow<'a, str>, bool)>,
}

impl<'a> Parser<'a> {
    /// Parses pipelines up to the end of the text or of the group, which is consumed.
    fn pipelines(&mut self, depth: usize) -> Result<Vec<Pipeline<'a>>, Uncertain> {
        let mut found = Vec::new();
        let mut stages = Vec::new();
        let mut stage = Stage::Simple(Simple::default());
        let (mut connector, mut begin) = (Connector::Then, self.at);
        loop {
            let at = self.at;
            let token = self.next();
            match token {
                Token::Blank => continue,
                Token::Word(text) => {
                    let word = match text {
                        Some(text) => Word::of(text),
                        None => self.word()?,
                    };
                    stage.add(word)?;
                    continue;
                }
                Token::Redirect(operator) => {
                    self.redirect(&mut stage, operator)?;
                    continue;
                }
                Token::Open if depth < DEEPEST && !stage.is_used() => {
                    stage = Stage::Group(self.pipelines(depth + 1)?, false);
                    continue;
                }
                Token::Pipe => {
                    stages.push(stage);
                    stage = Stage::Simple(Simple::default());
                    continue;
                }
                _ => {}
            }
            stages.push(stage);
            let is_used = stages.iter().any(Stage::is_used);
            if is_used {
                found.push(Pipeline {
                    connector,
                    stages,
                    text: self.text[begin..at].trim_matches(is_blank),
                });
            }
            // A line may end after `&&` and `||`.
            connector = match token {
                Token::Nothing | Token::Close => return Ok(found),
                Token::And => Connector::And,
                Token::Or => Connector::Or,
                _ if is_used => Connector::Then,
                _ => connector,
            };
            if token == Token::Newline {
                self.skip_documents();
            }
            stages = Vec::new();
            stage = Stage::Simple(Simple::default());
            begin = self.at;
        }
    }

    /// Returns the next token, consumed unless it is a word that is yet to be parsed.
    fn next(&mut self) -> Token<'a> {
        let rest = &self.text.as_bytes()[self.at..];
        let Some(&first) = rest.first() else {
            return Token::Nothing;
        };
        let blank = blank_length(rest);
        if blank > 0 {
            self.at += blank;
            return Token::Blank;
        }
        if let Some(length) = redirect_length(rest) {
            let begin = self.at;
            self.at += length;
            return Token::Redirect(&self.text[begin..self.at]);
        }
        let second = rest.get(1).copied();
        let (token, length) = match (first, second) {
            (b'\n', _) => (Token::Newline, 1),
            (b'&', Some(b'&')) => (Token::And, 2),
            (b'|', Some(b'|')) => (Token::Or, 2),
            (b'|', Some(b'&')) => (Token::Pipe, 2),
            (b'|', _) => (Token::Pipe, 1),
            (b';', Some(b';')) => (Token::End, 2),
            (b';' | b'&', _) => (Token::End, 1),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            _ => {
                let length = rest.iter().position(|&byte| !is_simple(byte));
                let length = length.unwrap_or(rest.len());
                let is_whole = rest.get(length).is_none_or(|&next| is_delimiter(next));
                if length == 0 || !is_whole {
                    return Token::Word(None);
                }
                let begin = self.at;
                (Token::Word(Some(&self.text[begin..begin + length])), length)
            }
        };
        self.at += length;
        token
    }

    fn redirect(&mut self, stage: &mut Stage<'a>, operator: &'a str) -> Result<(), Uncertain> {
        self.at += blank_length(&self.text.as_bytes()[self.at..]);
        let target = self.word()?;
        let kind = operator.trim_start_matches(|c: char| c.is_ascii_digit());
        if matches!(kind, "<<" | "<<-") && !target.text.is_empty() {
            self.documents.push((target.text.clone(), kind == "<<-"));
        }
        match stage {
            Stage::Simple(simple) => simple.redirections.push(Redirection { operator, target }),
            Stage::Group(_, is_redirected) => *is_redirected = true,
        }
        Ok(())
    }

    /// Skips the here-documents that begin on this line.
    fn skip_documents(&mut self) {
        for (delimiter, is_indented) in std::mem::take(&mut self.documents) {
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                let line = &rest[..end];
                self.at = self.text.len().min(self.at + end + 1);
                let line = if is_indented {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == delimiter {
                    break;
                }
            }
        }
    }
}

/// Returns the length of blanks or a comment at the beginning.
fn blank_length(rest: &[u8]) -> usize {
    if rest.first() == Some(&b'#') {
        return memchr(b'\n', rest).unwrap_or(rest.len());
    }
    let mut length = 0;
    loop {
        match rest.get(length) {
            Some(b' ' | b'\t' | b'\r') => length += 1,
            Some(b'\\') if rest.get(length + 1) == Some(&b'\n') => length += 2,
            _ => return length,
        }
    }
}

/// Returns the length of a redirection operator at the beginning, if there is one.
fn redirect_length(rest: &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let operator = rest.get(digits..)?;
    let length = match operator {
        [b'<', b'<', b'<' | b'-', ..] => 3,
        [b'<', b'<' | b'>' | b'&', ..] | [b'>', b'>' | b'|' | b'&', ..] => 2,
        [b'<' | b'>', b'(', ..] => return None,
        [b'<' | b'>', ..] => 1,
        [b'&', b'>', rest @ ..] if digits == 0 => 2 + usize::from(rest.first() == Some(&b'>')),
        _ => return None,
    };
    Some(digits + length)
}

/// Returns whether a byte can be part of a word without further checks.
fn is_simple(byte: u8) -> bool {
    is_plain(byte) && !matches!(byte, b'#' | b'{' | b'}' | b'~')
}
