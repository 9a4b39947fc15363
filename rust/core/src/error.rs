//! Every way in which a kernel can refuse its input.
//!
//! The Python twin raises the same errors: [`Error::code`] is the `code` of the exception class in
//! `trajmeter.errors`, and the `Display` text is its message, word for word.

use std::fmt;

/// Result of a kernel.
pub type Result<T> = std::result::Result<T, Error>;

/// A kernel's refusal, with the place and the value that it refuses.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A span begins before byte 0.
    NegativeSpan {
        /// Which spans: `"span"`, or another noun where there are several sets.
        what: &'static str,
        /// Position of the span in the arrays.
        index: usize,
        /// Start of the span.
        start: i64,
        /// End of the span.
        end: i64,
    },
    /// A span ends before it begins.
    ReversedSpan {
        /// Which spans: `"span"`, or another noun where there are several sets.
        what: &'static str,
        /// Position of the span in the arrays.
        index: usize,
        /// Start of the span.
        start: i64,
        /// End of the span.
        end: i64,
    },
    /// A sum of sizes does not fit in a signed 64-bit integer.
    Overflow {
        /// What was being added up.
        what: &'static str,
    },
}

impl Error {
    /// Stable slug of this error, the same as the Python exception's `code`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NegativeSpan { .. } => "negative_span",
            Self::ReversedSpan { .. } => "reversed_span",
            Self::Overflow { .. } => "overflow",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeSpan {
                what,
                index,
                start,
                end,
            } => {
                write!(
                    f,
                    "{what} {index} is [{start}, {end}): its start is negative, expected 0 or more"
                )
            }
            Self::ReversedSpan {
                what,
                index,
                start,
                end,
            } => {
                write!(
                    f,
                    "{what} {index} is [{start}, {end}): its end lies before its start"
                )
            }
            Self::Overflow { what } => {
                write!(f, "{what} exceeds the largest 64-bit integer, {}", i64::MAX)
            }
        }
    }
}

impl std::error::Error for Error {}
