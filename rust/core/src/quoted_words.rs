//! Words that occur between quotes, such as the keys of JSON.
//!
//! A word without a quote occurs in quotes exactly where it is all that two consecutive quotes
//! enclose. So one pass over the quotes of a text finds any number of words, in O(length of the
//! text). What quotes enclose need not be a string of JSON: in `{"a": "b"}`, `: ` is found too.

use memchr::memchr_iter;

const QUOTE: u8 = b'"';
/// Lengths that have a bit of their own; longer words share the last bit.
const LENGTHS: usize = 63;

/// Words to find in texts.
#[derive(Debug, Clone)]
pub struct QuotedWords {
    words: Vec<Vec<u8>>,
    /// For each byte, the lengths of the words that begin with it, as bits. This rules out nearly
    /// everything in a text that is not a word; a quote stands for the beginning of an empty word.
    lengths: [u64; 256],
}

impl QuotedWords {
    /// Prepares words for [`Self::found_in`].
    #[must_use]
    pub fn new(words: Vec<Vec<u8>>) -> Self {
        let mut lengths = [0; 256];
        for word in &words {
            let first = word.first().copied().unwrap_or(QUOTE);
            lengths[usize::from(first)] |= length_bit(word.len());
        }
        Self { words, lengths }
    }

    /// The words, as they were given.
    #[must_use]
    pub fn words(&self) -> &[Vec<u8>] {
        &self.words
    }

    /// Returns for each word whether it occurs in a text between two quotes. A word that contains a
    /// quote does not.
    #[must_use]
    pub fn found_in(&self, text: &[u8]) -> Vec<bool> {
        let mut found = vec![false; self.words.len()];
        let mut quotes = memchr_iter(QUOTE, text);
        let Some(mut opening) = quotes.next() else {
            return found;
        };
        for closing in quotes {
            let enclosed = &text[opening + 1..closing];
            let first = usize::from(text[opening + 1]);
            if self.lengths[first] & length_bit(enclosed.len()) != 0 {
                for (word, is_found) in self.words.iter().zip(&mut found) {
                    *is_found |= word == enclosed;
                }
            }
            opening = closing;
        }
        found
    }
}

fn length_bit(length: usize) -> u64 {
    1 << length.min(LENGTHS)
}

#[cfg(test)]
mod tests {
    use super::QuotedWords;
    use crate::random::Random;

    fn found(words: &[&str], text: &str) -> Vec<bool> {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        QuotedWords::new(words).found_in(text.as_bytes())
    }

    #[test]
    fn words_are_found_between_quotes() {
        let text = r#"{"role": "user", "content": ["id"#;
        let words = ["role", "user", "content", "id", "use", "ole", ": "];
        let expected = [true, true, true, false, false, false, true];
        assert_eq!(found(&words, text), expected);
    }

    #[test]
    fn words_may_be_empty_repeated_or_long() {
        let long = "a".repeat(100);
        let words = ["", long.as_str(), "b", "b", &long[1..], "\""];
        let text = format!("\"\"{long}\"b\"");
        assert_eq!(found(&words, &text), [true, true, true, true, false, false]);
        assert_eq!(found(&words, "\"b"), [false; 6]);
        assert_eq!(found(&words, ""), [false; 6]);
        assert_eq!(found(&[], &text), [false; 0]);
    }

    #[test]
    fn a_word_is_found_where_it_occurs_with_its_quotes() {
        let words = ["", "a", "b", "ab", "ba", "aa", "aab"];
        let mut random = Random(7);
        for _ in 0..2_000 {
            let length = random.below(24);
            let text: String = (0..length)
                .map(|_| ['a', 'b', '"'][random.below(3) as usize])
                .collect();
            let expected = words.map(|word| text.contains(&format!("\"{word}\"")));
            assert_eq!(found(&words, &text), expected, "{text}");
        }
    }
}
