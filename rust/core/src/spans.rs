//! Operations on half-open byte spans `[start, end)`, held as two slices of one length.

use crate::{Error, Result};

/// Number of bytes that lie in at least one span.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`], for the first bad span.
pub fn measure(start: &[i64], end: &[i64]) -> Result<i64> {
    check("span", start, end)?;
    let mut spans: Vec<(i64, i64)> = start.iter().copied().zip(end.iter().copied()).collect();
    spans.sort_unstable();
    let mut covered = 0;
    let mut reach = 0;
    for (first, last) in spans {
        if last > reach {
            covered += last - first.max(reach);
            reach = last;
        }
    }
    Ok(covered)
}

/// Refuses the first span that is negative or reversed; `what` names the spans in the message.
///
/// # Errors
///
/// [`Error::NegativeSpan`] or [`Error::ReversedSpan`].
pub fn check(what: &'static str, start: &[i64], end: &[i64]) -> Result<()> {
    for (index, (&start, &end)) in start.iter().zip(end).enumerate() {
        if start < 0 {
            return Err(Error::NegativeSpan {
                what,
                index,
                start,
                end,
            });
        }
        if end < start {
            return Err(Error::ReversedSpan {
                what,
                index,
                start,
                end,
            });
        }
    }
    Ok(())
}
