//! Blanks, digits and numbers in text of any script, as the rules define them.

pub(super) use crate::text::is_blank;

/// Returns the text from a position on; empty if that is past the end.
pub(super) fn tail(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// Most digits of a line number.
pub(super) const DIGITS: usize = 18;

/// Parses the number at the beginning; also returns its number of digits. `None` if it has too
/// many.
pub(super) fn leading_number(text: &str) -> Option<(i128, usize)> {
    let mut number = 0_u64;
    let mut digits = 0;
    for byte in text.bytes() {
        if !byte.is_ascii_digit() {
            break;
        }
        digits += 1;
        if digits > DIGITS {
            return None;
        }
        number = 10 * number + u64::from(byte - b'0');
    }
    (digits > 0).then_some((number.into(), digits))
}

/// Parses a text that is a number.
pub(super) fn whole_number(text: &str) -> Option<i128> {
    leading_number(text).and_then(|(number, digits)| (digits == text.len()).then_some(number))
}

/// Returns whether a text has no digit outside ASCII, which the rules would also accept.
#[must_use]
pub fn has_plain_digits(text: &str) -> bool {
    text.is_ascii() || !text.chars().any(is_other_digit)
}

/// Returns whether a character may be a decimal digit outside ASCII.
///
/// Fractions, superscripts, Roman and circled numbers are not.
fn is_other_digit(c: char) -> bool {
    c >= '\u{660}' && c.is_numeric() && !('\u{2070}'..='\u{2793}').contains(&c)
}
