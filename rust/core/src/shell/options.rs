//! The words of a program, parsed as options with and without values, and the rest.

use super::syntax::Word;

/// The parsed words of a program.
pub(super) struct Options<'a> {
    /// Letters of options without a value.
    flags: String,
    /// Options with a value, and all long options.
    pub values: Vec<(String, Word<'a>)>,
    pub rest: Vec<Word<'a>>,
}

impl<'a> Options<'a> {
    pub(super) fn of(words: &[Word<'a>], with_value: &str, long: &[&str]) -> Self {
        let mut flags = String::new();
        let mut values = Vec::new();
        let mut rest = Vec::new();
        let mut remaining = words.iter();
        while let Some(word) = remaining.next() {
            let text = &*word.text;
            if text == "--" {
                rest.extend(remaining.by_ref().cloned());
            } else if text.starts_with("--") {
                let value = match text.split_once('=') {
                    Some((_, value)) => Word::of(value.to_owned()),
                    None if long.contains(&text) => next_word(&mut remaining),
                    None => Word::of(""),
                };
                let name = text.split_once('=').map_or(text, |(name, _)| name);
                values.push((name.to_owned(), value));
            } else if text.len() > 1 && text.starts_with('-') {
                let mut letters = text[1..].chars();
                while let Some(letter) = letters.next() {
                    if with_value.contains(letter) {
                        let value = letters.as_str();
                        let value = if value.is_empty() {
                            next_word(&mut remaining)
                        } else {
                            Word::of(value.to_owned())
                        };
                        values.push((letter.to_string(), value));
                        break;
                    }
                    flags.push(letter);
                }
            } else if text != "-" {
                rest.push(word.clone());
            }
        }
        Self {
            flags,
            values,
            rest,
        }
    }

    pub(super) fn has_flag(&self, letter: char) -> bool {
        self.flags.contains(letter)
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        let mut values = self.values.iter();
        values.any(|(name, _)| names.contains(&&**name))
    }

    /// Returns the value of the last option of a name.
    pub(super) fn value(&self, wanted: &str) -> Option<&Word<'a>> {
        let mut values = self.values.iter().rev();
        values
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value)
    }
}

fn next_word<'a>(remaining: &mut std::slice::Iter<'_, Word<'a>>) -> Word<'a> {
    remaining.next().cloned().unwrap_or_else(|| Word::of(""))
}
