//! Text as Python sees it.

/// Cut blanks off the end, those that `str.rstrip` does.
///
/// Python counts the four information separators as blanks, which Unicode's property does not.
#[must_use]
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

/// Cut blanks off both ends, those that `str.strip` does.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}
