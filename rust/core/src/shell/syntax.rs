//! The syntax tree of shell commands: pipelines of programs with their words.

use std::borrow::Cow;

use super::Uncertain;

const KEYWORDS: [&str; 10] = [
    "if", "then", "else", "elif", "while", "until", "do", "!", "time", "{",
];
const CLOSING: [&str; 4] = ["fi", "done", "esac", "}"];

/// A word of a command without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: Cow<'a, str>,
    /// Whether it contains neither an expansion nor a wildcard.
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
    /// A list in parentheses, and whether any of its streams is redirected.
    Group(Vec<Pipeline<'a>>, bool),
}

impl<'a> Stage<'a> {
    pub(super) fn is_used(&self) -> bool {
        match self {
            Self::Simple(simple) => !simple.words.is_empty() || !simple.redirections.is_empty(),
            Self::Group(..) => true,
        }
    }

    /// Adds a word, unless it is a keyword or an assignment before the program.
    pub(super) fn add(&mut self, word: Word<'a>) -> Result<(), Uncertain> {
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

/// The operator before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connector {
    And,
    Or,
    Then,
}

/// Commands, each of which reads the output of the one before it.
#[derive(Debug)]
pub(super) struct Pipeline<'a> {
    pub connector: Connector,
    pub stages: Vec<Stage<'a>>,
    /// The pipeline as written.
    pub text: &'a str,
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
