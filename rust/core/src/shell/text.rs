//! What the rules call blanks, digits and names, for text of any script.

/// What Python takes for a blank.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// The text from a place on; nothing behind the end.
pub(super) fn tail(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// Most digits of a number of a line.
pub(super) const DIGITS: usize = 18;

/// The number at the beginning, and how many digits it has; none where it has too many.
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

/// A text that is a number.
pub(super) fn whole_number(text: &str) -> Option<i128> {
    leading_number(text).and_then(|(number, digits)| (digits == text.len()).then_some(number))
}

/// Whether a text has no digit of a script other than ours, which rules would take for one.
#[must_use]
pub fn has_plain_digits(text: &str) -> bool {
    text.is_ascii() || !text.chars().any(is_other_digit)
}

/// Whether a character may be a decimal digit that is not ASCII.
///
/// Fractions, superscripts, Roman and circled numbers are none.
fn is_other_digit(c: char) -> bool {
    c >= '\u{660}' && c.is_numeric() && !('\u{2070}'..='\u{2793}').contains(&c)
}
