//! Every error with which a kernel can refuse its input.
//!
//! The Python twin raises the same errors: [`Error::code`] is the `code` of the exception class in
//! `trajmeter.errors`, and the `Display` text is its message, word for word.

use std::fmt;

/// The result of a kernel.
pub type Result<T> = std::result::Result<T, Error>;

/// A kernel's refusal, with the position and the value that it refuses.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A span begins before byte 0.
    NegativeSpan {
        /// Kind of span: `"span"`, or another noun if there are several sets.
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
        /// Kind of span: `"span"`, or another noun if there are several sets.
        what: &'static str,
        /// Position of the span in the arrays.
        index: usize,
        /// Start of the span.
        start: i64,
        /// End of the span.
        end: i64,
    },
    /// A code is out of range: negative, or not below the number of coded values.
    Code {
        /// Name of what is coded, in the singular.
        what: &'static str,
        /// Position of the code in its array.
        index: usize,
        /// The code.
        code: i64,
        /// Number of coded values.
        count: usize,
    },
    /// A figure is undefined because there is nothing to compute it from.
    Empty {
        /// What is missing.
        what: &'static str,
        /// The figure.
        figure: &'static str,
    },
    /// A number is outside the domain of a figure.
    ValueDomain {
        /// Position of the value in its array.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// Name of the number, in the singular.
        what: &'static str,
        /// Position of the number in its array.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A value of a column is not one of the allowed values.
    Choice {
        /// Name of the column.
        what: &'static str,
        /// Position of the value in the column.
        index: usize,
        /// The value.
        value: i64,
        /// Least allowed value.
        low: i64,
        /// Greatest allowed value; `None` if unbounded.
        high: Option<i64>,
    },
    /// A weight is NaN, or so large that sums of weights could overflow.
    Weight {
        /// Position of the weight in its array.
        index: usize,
        /// The weight.
        value: f64,
    },
    /// A geometric mean is undefined because the values contain both 0.0 and infinity.
    ZeroAndInfinity {
        /// Position of the first 0.0.
        zero: usize,
        /// Position of the first infinity.
        infinity: usize,
    },
    /// The key of a span, which says which file it is in, is negative.
    NegativeKey {
        /// Kind of span, as above.
        what: &'static str,
        /// Position of the span in the arrays.
        index: usize,
        /// The key.
        key: i64,
    },
    /// A sum of sizes does not fit in a signed 64-bit integer.
    Overflow {
        /// Name of the sum: `"gold size of trajectory"`.
        what: &'static str,
        /// Position of the row whose sum it is.
        index: usize,
    },
}

impl Error {
    /// Returns the stable slug of this error, the same as the Python exception's `code`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NegativeSpan { .. } => "negative_span",
            Self::ReversedSpan { .. } => "reversed_span",
            Self::Code { .. } | Self::Choice { .. } => "invalid_input",
            Self::Empty { .. } => "empty_input",
            Self::ValueDomain { .. }
            | Self::NotFinite { .. }
            | Self::Weight { .. }
            | Self::ZeroAndInfinity { .. } => "value_domain",
            Self::NegativeKey { .. } => "negative_key",
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
            Self::Code {
                what,
                index,
                code,
                count,
            } => {
                write!(
                    f,
                    "{what} {index} is {code}, expected at least 0 and less than {count}, \
                     the number of {what}s"
                )
            }
            Self::Empty { what, figure } => {
                write!(f, "there are no {what}, expected at least 1 for a {figure}")
            }
            Self::ValueDomain { index, value } => {
                let value = Number(*value);
                write!(
                    f,
                    "value {index} is {value}, expected a number from 0 to inf"
                )
            }
            Self::NotFinite { what, index, value } => {
                let value = Number(*value);
                write!(f, "{what} {index} is {value}, expected a finite number")
            }
            Self::Choice {
                what,
                index,
                value,
                low,
                high,
            } => {
                write!(f, "{what} {index} is {value}, expected {low} ")?;
                match high {
                    Some(high) => write!(f, "to {high}"),
                    None => write!(f, "or more"),
                }
            }
            Self::Weight { index, value } => {
                let value = Number(*value);
                write!(
                    f,
                    "weight {index} is {value}, expected a number from -1e+100 to 1e+100"
                )
            }
            Self::ZeroAndInfinity { zero, infinity } => {
                write!(
                    f,
                    "value {zero} is 0.0 and value {infinity} is inf: \
                     their geometric mean is undefined"
                )
            }
            Self::NegativeKey { what, index, key } => {
                write!(f, "{what} {index} has key {key}, expected 0 or more")
            }
            Self::Overflow { what, index } => {
                write!(
                    f,
                    "{what} {index} exceeds the largest 64-bit integer, {}",
                    i64::MAX
                )
            }
        }
    }
}

impl std::error::Error for Error {}

/// A number, displayed as Python's `repr` writes it, except that NaN is written `NaN`.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        // The digits agree; Python signs the exponent and writes at least two digits of it.
        let Some((digits, exponent)) = text.split_once('e') else {
            return f.write_str(&text);
        };
        match exponent.strip_prefix('-') {
            Some(exponent) => write!(f, "{digits}e-{exponent:0>2}"),
            None => write!(f, "{digits}e+{exponent:0>2}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn numbers_read_as_in_python() {
        for (number, text) in [
            (-1.0, "-1.0"),
            (-0.5, "-0.5"),
            (-1e-4, "-0.0001"),
            (-1e-5, "-1e-05"),
            (-1.5e-300, "-1.5e-300"),
            (-123_456_789_012_345.6, "-123456789012345.6"),
            (-1e16, "-1e+16"),
            (-2.5e100, "-2.5e+100"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(Number(number).to_string(), text);
        }
    }
}
