//! Files of logs: how many are read at a time, and by whom.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use crate::pool;

/// Files of a piece, at most.
const FILES: usize = 128;
/// Least and most bytes of a piece: enough to outweigh what columns cost, and few enough that all
/// threads end at about the same time.
const LEAST: u64 = 1 << 20;
const BYTES: u64 = 1 << 23;
/// Pieces that files are cut into, where those have enough bytes.
const PIECES: u64 = 8;

/// Bytes of the files that are read at a time, if they are more than one.
const MOST: u64 = 1 << 26;

/// No file that has more bytes is read here.
const LARGEST: u64 = 1 << 26;

/// Bytes of files for which memory is kept.
const KEPT: usize = 1 << 21;

thread_local! {
    /// Kept from one piece to the next: memory that is new to a process costs more than reading.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}

/// Files that one thread asks for their sizes.
const ASKED: usize = 64;

/// The sizes of the first files, of as many as are read at a time; none of what is not read here.
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

/// Files of these sizes, in pieces for threads to read.
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

/// Gives `work` a place for the content of files, one after the other.
pub(super) fn with_buffer<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let mut buffer = BUFFER.take();
    let result = work(&mut buffer);
    if buffer.capacity() <= KEPT {
        BUFFER.set(buffer);
    }
    result
}

/// Reads a whole file that had a size; none if it has grown.
pub(super) fn content<'b>(path: &Path, size: u64, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let mut file = File::open(path).ok()?;
    // Room for one byte more shows the end of a file that did not grow.
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
