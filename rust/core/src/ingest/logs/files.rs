//! Log files: how many are read in one call, and how they are divided among threads.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use crate::pool;

/// Most files per piece of work.
const FILES: usize = 128;
/// Least and most bytes of a piece: enough to outweigh the cost of its columns, and few enough that
/// all threads finish at about the same time.
const LEAST: u64 = 1 << 20;
const BYTES: u64 = 1 << 23;
/// Number of pieces that files are divided into, if they have enough bytes.
const PIECES: u64 = 8;

/// Most bytes of the files that are read in one call, unless it is a single file.
const MOST: u64 = 1 << 26;

/// Largest file that is read here.
const LARGEST: u64 = 1 << 26;

/// Bytes of file content for which memory is kept.
const KEPT: usize = 1 << 21;

thread_local! {
    /// Kept from one piece to the next, because fresh memory costs a process more than reading
    /// does.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}

/// Files whose sizes one thread looks up at a time.
const ASKED: usize = 64;

/// Returns the sizes of the first files, as many as are read in one call; `None` for a file that is
/// not read here.
pub(super) fn sizes(files: &[String]) -> Vec<Option<u64>> {
    let ranges = pool::chunks(files.len(), ASKED);
    let found = pool::map(ranges, |range| {
        let sizes = files[range].iter().map(|file| size(Path::new(file)));
        sizes.collect::<Vec<_>>()
    });
    let mut sizes: Vec<_> = found.into_iter().flatten().collect();
    let mut bytes = 0;
    let fits = sizes.iter().position(|size| {
        bytes += size.unwrap_or(0);
        bytes > MOST
    });
    sizes.truncate(fits.unwrap_or(files.len()).max(1));
    sizes
}

fn size(path: &Path) -> Option<u64> {
    let about = path.metadata().ok()?;
    // Opening a pipe would wait for a writer.
    (about.is_file() && about.len() <= LARGEST).then_some(about.len())
}

/// Divides files of these sizes into pieces for threads to read.
pub(super) fn pieces(sizes: &[Option<u64>]) -> Vec<Range<usize>> {
    let whole: u64 = sizes.iter().flatten().sum();
    let share = (whole / PIECES).clamp(LEAST, BYTES);
    let mut pieces = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for (at, size) in sizes.iter().enumerate() {
        bytes += size.unwrap_or(0);
        if bytes >= share || at + 1 - begin == FILES || at + 1 == sizes.len() {
            pieces.push(begin..at + 1);
            (begin, bytes) = (at + 1, 0);
        }
    }
    pieces
}

/// Calls `work` with a buffer for the contents of files, one after another.
pub(super) fn with_buffer<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut buffer = BUFFER.take();
    let result = work(&mut buffer);
    if buffer.capacity() <= KEPT {
        BUFFER.set(buffer);
    }
    result
}

/// Reads a whole file of a known size; `None` if it has grown since.
pub(super) fn content<'b>(path: &Path, size: u64, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let mut file = File::open(path).ok()?;
    // Room for one more byte reveals whether the file has grown.
    let room = usize::try_from(size).ok()? + 1;
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let mut length = 0;
    while length < room {
        match file.read(&mut buffer[length..room]) {
            Ok(0) => return Some(&buffer[..length]),
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{BYTES, FILES, LEAST, PIECES, pieces};

    #[test]
    fn pieces_are_of_bytes_or_of_files() {
        assert_eq!(pieces(&[]), []);
        assert_eq!(pieces(&[None, None]).len(), 1);
        let half = Some(LEAST / 2);
        assert_eq!(pieces(&[half, None, half, half]), [0..3, 3..4]);
        let large = vec![half; 3 * PIECES as usize];
        assert_eq!(pieces(&large).len(), PIECES as usize);
        let larger = vec![Some(BYTES); 2 * PIECES as usize];
        assert_eq!(pieces(&larger).len(), larger.len());
        let many = vec![Some(1); FILES + 1];
        assert_eq!(pieces(&many), [0..FILES, FILES..FILES + 1]);
    }
}
