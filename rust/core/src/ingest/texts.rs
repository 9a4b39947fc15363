//! The texts of a column.

use super::column::last;

/// Factor by which a full buffer grows; a factor of 2 would copy each byte once on average.
const GROWTH: usize = 4;
/// From this size on a full buffer only doubles, so that less memory is reserved in vain.
const LARGE: usize = 1 << 26;

/// A value whose end would be beyond the range of 32-bit offsets.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// Texts, one after another.
#[derive(Debug)]
pub struct Texts {
    /// Position in `bytes` at which each text begins, followed by the end of the last.
    pub offsets: Vec<i32>,
    /// The texts, as UTF-8.
    pub bytes: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) -> Result<(), Full> {
        let end = i32::try_from(self.bytes.len() + text.len()).map_err(|_| Full)?;
        reserve(&mut self.bytes, text.len());
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(end);
        Ok(())
    }

    /// Appends the UTF-8 text that `write` writes.
    pub(super) fn push_written(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Option<()>,
    ) -> Result<(), Full> {
        let begin = self.bytes.len();
        let end = write(&mut self.bytes).and_then(|()| i32::try_from(self.bytes.len()).ok());
        let Some(end) = end else {
            self.bytes.truncate(begin);
            return Err(Full);
        };
        self.offsets.push(end);
        Ok(())
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.offsets.truncate(length + 1);
        self.bytes.truncate(last(&self.offsets));
    }

    /// Appends a key of a mapping.
    pub fn key(&mut self, text: &str) -> bool {
        self.push(text).is_ok()
    }
}

/// Reserves room for more bytes.
pub(super) fn reserve(bytes: &mut Vec<u8>, more: usize) {
    if bytes.capacity() - bytes.len() < more {
        let growth = if bytes.capacity() < LARGE { GROWTH } else { 2 };
        bytes.reserve_exact(more.max(bytes.capacity() * (growth - 1)));
    }
}
