//! Log files: how many are read in one call, and their contents.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::pool;

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
            // Of a regular file, fewer bytes than there is room for are the last.
            Ok(count) if length + count == room - 1 || count == 0 => {
                return Some(&buffer[..length + count]);
            }
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    None
}
