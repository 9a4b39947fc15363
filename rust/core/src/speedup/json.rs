//! JSON text: columns of it, and how values are written.

/// Texts of a column, one after another; one that is null is empty, which no JSON text is.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The texts.
    pub bytes: &'a [u8],
    /// Text `i` is `bytes[offsets[i]..offsets[i + 1]]`.
    pub offsets: &'a [i64],
}

impl<'a> Texts<'a> {
    /// A text; none where it is null, and where it is not valid UTF-8.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a str> {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        let text = std::str::from_utf8(&self.bytes[range]).ok()?;
        (!text.is_empty()).then_some(text)
    }
}

/// Writes a text with its quotes.
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

/// Writes a double, one that is not finite as Python does.
pub fn push_number(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(out, &value);
    } else {
        let name: &[u8] = match value {
            _ if value.is_nan() => b"NaN",
            _ if value > 0.0 => b"Infinity",
            _ => b"-Infinity",
        };
        out.extend_from_slice(name);
    }
}

/// Writes an integer.
pub fn push_integer(out: &mut Vec<u8>, value: i64) {
    let _ = serde_json::to_writer(out, &value);
}

/// Writes true, false or null.
pub fn push_flag(out: &mut Vec<u8>, value: Option<bool>) {
    out.extend_from_slice(match value {
        Some(true) => b"true",
        Some(false) => b"false",
        None => b"null",
    });
}
