//! Shell commands, taken apart by the rules of POSIX shells and bash.
//!
//! Reading takes time linear in the text: what was scanned for a closing mark is consumed.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::Uncertain;
use super::text::{is_blank, tail};

/// Groups nested more deeply are left out: nobody writes them.
const DEEPEST: usize = 40;

const KEYWORDS: [&str; 10] = [
    "if", "then", "else", "elif", "while", "until", "do", "!", "time", "{",
];
const CLOSING: [&str; 4] = ["fi", "done", "esac", "}"];

/// A word of a command without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: Cow<'a, str>,
    /// Whether it holds neither an expansion nor a wildcard.
    pub is_known: bool,
}

impl<'a> Word<'a> {
    pub(super) fn of(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            is_known: true,
        }
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// One redirection of a command.
#[derive(Debug)]
pub(super) struct Redirection<'a> {
    pub operator: &'a str,
    pub target: Word<'a>,
}

/// A program and its arguments.
#[derive(Debug, Default)]
pub(super) struct Simple<'a> {
    pub words: Vec<Word<'a>>,
    pub redirections: Vec<Redirection<'a>>,
}

/// One command of a pipeline.
#[derive(Debug)]
pub(super) enum Stage<'a> {
    Simple(Simple<'a>),
    /// A list in parentheses; whether something is redirected of it.
    Group(Vec<Pipeline<'a>>, bool),
}

impl<'a> Stage<'a> {
    fn is_used(&self) -> bool {
        match self {
            Self::Simple(simple) => !simple.words.is_empty() || !simple.redirections.is_empty(),
            Self::Group(..) => true,
        }
    }

    fn add(&mut self, word: Word<'a>) -> Result<(), Uncertain> {
        let Self::Simple(simple) = self else {
            return Ok(());
        };
        if simple.words.is_empty() {
            let text = &*word.text;
            if KEYWORDS.contains(&text) || CLOSING.contains(&text) || is_assignment(text)? {
                return Ok(());
            }
        }
        simple.words.push(word);
        Ok(())
    }
}

/// What stands before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connector {
    And,
    Or,
    Then,
}

/// Commands, each of which reads what the one before it prints.
#[derive(Debug)]
pub(super) struct Pipeline<'a> {
    pub connector: Connector,
    pub stages: Vec<Stage<'a>>,
    /// As it is written.
    pub text: &'a str,
}

/// The pipelines of a command, in order.
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

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Delimiters of the here-documents that begin on this line, and whether tabs precede them.
    documents: Vec<(Cow<'a, str>, bool)>,
}

impl<'a> Parser<'a> {
    /// Pipelines up to the end of the text or of the group, which is consumed.
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
            // A line may end after && and ||.
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

    /// The next token, consumed unless it is a word that has to be read.
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

    /// Passes over the here-documents that begin on this line.
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

    /// The word that begins here, without its quotes; at least one byte is consumed.
    fn word(&mut self) -> Result<Word<'a>, Uncertain> {
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

    /// Consumes a part in double quotes; tells whether its text is known.
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

    /// Consumes an expansion, a lone `$` or text after `$'`; tells whether it is known.
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

/// The text of a word, which is borrowed as long as it is of one piece.
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

/// How many bytes of blanks, or of a comment, stand at the beginning.
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

/// How long the operator is that redirects, if there is one at the beginning.
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

/// Bytes of words that need no second look.
fn is_simple(byte: u8) -> bool {
    is_plain(byte) && !matches!(byte, b'#' | b'{' | b'}' | b'~')
}

/// Bytes that stand for themselves.
fn is_plain(byte: u8) -> bool {
    !is_delimiter(byte)
        && !matches!(
            byte,
            b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'['
        )
}

/// Bytes that end a word.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// Where a byte stands from a place on, else the end.
fn find(bytes: &[u8], byte: u8, from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    memchr(byte, rest).map_or(bytes.len(), |at| from + at)
}

/// The character at a place; nothing behind the end.
fn char_at(text: &str, at: usize) -> &str {
    let rest = tail(text, at);
    &rest[..rest.chars().next().map_or(0, char::len_utf8)]
}

/// How long the name of a variable is; 0 where there is none.
fn name_length(rest: &str) -> Result<usize, Uncertain> {
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if name.starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric()) {
        return Err(Uncertain);
    }
    let length = rest.len() - name.len();
    let is_special = rest.starts_with(['@', '*', '#', '?', '!', '$', '-']);
    Ok(if length == 0 && is_special { 1 } else { length })
}

/// Where a substitution that begins here is over.
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

/// Where the double quote is that ends a part.
fn double_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn is_assignment(word: &str) -> Result<bool, Uncertain> {
    let Some((name, _)) = word.split_once('=') else {
        return Ok(false);
    };
    if !name.is_ascii() {
        return Err(Uncertain);
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    Ok(!name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(is_name))
}
