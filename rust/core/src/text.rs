//! Text with Python's semantics.

use std::ops::Range;

use memchr::memmem;

use crate::pool;

/// Strips whitespace from the end, as `str.rstrip` does.
#[must_use]
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

/// Strips whitespace from both ends, as `str.strip` does.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Strips whitespace from the beginning, as `str.lstrip` does.
#[must_use]
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

/// Returns whether Python counts a character as whitespace: Unicode's property excludes the four
/// information separators.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// Texts, one after another.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The bytes of all texts.
    pub bytes: &'a [u8],
    /// Text i is `bytes[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
}

impl<'a> Texts<'a> {
    /// Returns a text; `None` if it is not UTF-8.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&'a str> {
        std::str::from_utf8(self.bytes_of(at)?).ok()
    }

    fn bytes_of(&self, at: usize) -> Option<&'a [u8]> {
        let (start, stop) = (self.offsets[at] as usize, self.offsets[at + 1] as usize);
        self.bytes.get(start..stop)
    }
}

/// Result of [`found_texts`] for a text that is not ASCII, which only Python can lowercase.
pub const UNKNOWN: i64 = -2;

/// Finds which of some texts each text contains, ignoring the case of ASCII letters, as bits.
///
/// Text i is searched for the texts of group `group_of[i]`, or for none if that is negative. The
/// texts of group g are `[offsets[g], offsets[g + 1])` of `sought`: at most 63, in lower case.
///
/// # Errors
///
/// None in practice.
pub fn found_texts(
    texts: Texts,
    group_of: &[i64],
    sought: Texts,
    offsets: &[i64],
) -> crate::Result<Vec<i64>> {
    let pieces = pool::chunks(group_of.len(), TEXTS_AT_ONCE).collect();
    let parts = pool::run(pieces, |rows: Range<usize>| {
        let mut lower = Vec::new();
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let group = usize::try_from(group_of[row]).ok();
            found.push(group.map_or(0, |group| {
                let places = offsets[group] as usize..offsets[group + 1] as usize;
                contained(texts.bytes_of(row), sought, places, &mut lower)
            }));
        }
        Ok(found)
    })?;
    Ok(parts.concat())
}

/// Texts per piece of work of a thread.
const TEXTS_AT_ONCE: usize = 256;

fn contained(text: Option<&[u8]>, sought: Texts, places: Range<usize>, lower: &mut Vec<u8>) -> i64 {
    let Some(text) = text.filter(|text| text.is_ascii()) else {
        return UNKNOWN;
    };
    lower.clear();
    lower.extend_from_slice(text);
    lower.make_ascii_lowercase();
    let is_there = |at| {
        let each = sought.bytes_of(at);
        each.is_some_and(|each| memmem::find(lower, each).is_some())
    };
    let bits = places.enumerate();
    bits.fold(0, |bits, (bit, at)| bits | i64::from(is_there(at)) << bit)
}

#[cfg(test)]
mod tests {
    use super::{Texts, UNKNOWN, found_texts};

    #[test]
    fn texts_are_found_in_any_case_where_they_are_ascii() {
        let texts = Texts {
            bytes: "An ERROR: xnoé".as_bytes(),
            offsets: &[0, 11, 13, 15],
        };
        let sought = Texts {
            bytes: b"error:xno",
            offsets: &[0, 6, 7, 9, 9],
        };
        let found = found_texts(texts, &[0, 1, 0], sought, &[0, 2, 4]);
        assert_eq!(found, Ok(vec![0b11, 0b11, UNKNOWN]));
        let none = found_texts(texts, &[-1, 1, -1], sought, &[0, 2, 4]);
        assert_eq!(none, Ok(vec![0, 0b11, 0]));
    }
}
