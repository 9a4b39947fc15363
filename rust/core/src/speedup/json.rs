//! Writing of JSON values.

use std::io::{self, Write};
use std::ops::Range;

use crate::pool;

/// Most bytes of a number.
pub const MOST_DIGITS: usize = 32;

/// Output buffer for texts.
pub type Out<'a> = io::Cursor<&'a mut [u8]>;

/// Writes a text as a JSON string.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    let is_plain = |&byte: &u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.as_bytes().iter().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
    }
}

/// Writes a double; one that is not finite is written as Python does.
pub fn write_number(out: &mut Out<'_>, value: f64) -> io::Result<()> {
    if value.is_finite() {
        return Ok(serde_json::to_writer(out, &value)?);
    }
    out.write_all(match value {
        _ if value.is_nan() => b"NaN",
        _ if value > 0.0 => b"Infinity",
        _ => b"-Infinity",
    })
}

/// Writes an integer.
pub fn write_integer(out: &mut Out<'_>, value: i64) -> io::Result<()> {
    Ok(serde_json::to_writer(out, &value)?)
}

/// Writes true, false or null.
pub fn write_flag(out: &mut Out<'_>, value: Option<bool>) -> io::Result<()> {
    out.write_all(match value {
        Some(true) => b"true",
        Some(false) => b"false",
        None => b"null",
    })
}

/// Writes the texts of attempts, one after another, and returns them with the results of `work` for
/// each range of attempts. The memory is touched only once: in a fresh process, that takes as long
/// as the writing.
///
/// `offsets` state how much work each attempt is; the text of attempt `i` has at most `most[i]`
/// bytes.
pub fn fill<T: Send>(
    offsets: &[i64],
    most: &[usize],
    work: impl Fn(Range<usize>, &mut Out<'_>) -> io::Result<T> + Send + Sync,
) -> (Vec<u8>, Vec<T>) {
    let mut text = vec![0; most.iter().sum()];
    let mut rest = &mut text[..];
    let mut tasks = Vec::new();
    for attempts in pool::pieces(offsets) {
        let size = most[attempts.clone()].iter().sum();
        let (own, others) = rest.split_at_mut(size);
        tasks.push((attempts, own));
        rest = others;
    }
    let done = pool::map(tasks.into_iter(), |(attempts, out)| {
        let size = out.len();
        let mut out = Out::new(out);
        let Ok(result) = work(attempts, &mut out) else {
            unreachable!("a text is longer than it can be");
        };
        (size, out.position() as usize, result)
    });
    let (mut begin, mut end) = (0, 0);
    let mut results = Vec::with_capacity(done.len());
    for (size, used, result) in done {
        text.copy_within(begin..begin + used, end);
        begin += size;
        end += used;
        results.push(result);
    }
    text.truncate(end);
    (text, results)
}
