//! Text as Python sees it.

/// Cut blanks off the end, those that `str.rstrip` does.
///
/// Python counts the four information separators as blanks, which Unicode's property does not.
#[must_use]
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
