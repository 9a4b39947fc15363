//! Digests a folder that is too large to be read whole.
//!
//! It covers the path and size of every file, and the digest of its first and last bytes. A folder
//! may hold a hundred thousand small files, each of which takes several calls of the system.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A digested folder.
#[derive(Debug, PartialEq, Eq)]
pub struct FolderDigest {
    /// Bytes of all files.
    pub bytes: u64,
    /// Number of files.
    pub files: usize,
    /// SHA-256 of a line for each file, in hexadecimal.
    pub digest: String,
}

/// A file below the folder, by the names that lead to it.
struct Found {
    names: Vec<String>,
    path: PathBuf,
    size: u64,
}

/// Digests the path, the size, and the first and last `end` bytes of every file of a folder.
///
/// Links to files count as files; links to folders are not followed. Returns `None` for a folder of
/// at most `small` bytes, and if a name is not UTF-8, as such names sort differently in Python.
///
/// # Errors
///
/// A file cannot be read.
pub fn folder_digest(folder: &Path, small: u64, end: u64) -> io::Result<Option<FolderDigest>> {
    let mut files = Vec::new();
    if walk(folder, &mut Vec::new(), &mut files)?.is_none() {
        return Ok(None);
    }
    let bytes = files.iter().map(|file| file.size).sum();
    if bytes <= small {
        return Ok(None);
    }
    files.sort_unstable_by(|a, b| a.names.cmp(&b.names));
    let mut digest = Sha256::new();
    let mut buffer = Vec::new();
    for file in &files {
        let ends = ends(file, end, &mut buffer)?;
        digest.update(file.names.join("/"));
        digest.update(format!("\0{}\0{ends}\n", file.size));
    }
    Ok(Some(FolderDigest {
        bytes,
        files: files.len(),
        digest: hexadecimal(digest),
    }))
}

/// Collects the files below a folder; one that cannot be listed has none. Returns `None` if a name
/// is not UTF-8.
fn walk(folder: &Path, names: &mut Vec<String>, files: &mut Vec<Found>) -> io::Result<Option<()>> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for entry in entries.unwrap_or_default() {
        let Ok(name) = entry.file_name().into_string() else {
            return Ok(None);
        };
        let path = entry.path();
        names.push(name);
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if walk(&path, names, files)?.is_none() {
                return Ok(None);
            }
        } else {
            match path.metadata() {
                Ok(about) if about.is_file() => files.push(Found {
                    names: names.clone(),
                    path,
                    size: about.len(),
                }),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {} // a broken link
                Err(error) => return Err(error),
            }
        }
        names.pop();
    }
    Ok(Some(()))
}

/// Digest of the first and last bytes of a file, or of all of them if it is short.
fn ends(file: &Found, length: u64, buffer: &mut Vec<u8>) -> io::Result<String> {
    let mut content = File::open(&file.path)?;
    buffer.clear();
    content.by_ref().take(length).read_to_end(buffer)?;
    if file.size > length {
        content.seek(SeekFrom::Start(length.max(file.size - length)))?;
        content.take(length).read_to_end(buffer)?;
    }
    Ok(hexadecimal(Sha256::new_with_prefix(buffer)))
}

fn hexadecimal(digest: Sha256) -> String {
    let mut digits = String::new();
    for byte in digest.finalize() {
        let _ = write!(digits, "{byte:02x}"); // a String takes whatever is written
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::folder_digest;

    #[test]
    fn only_large_folders_are_digested() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("trajmeter-{}", std::process::id()));
        fs::create_dir_all(folder.join("b"))?;
        fs::write(folder.join("b.txt"), "0123456789")?;
        fs::write(folder.join("b/a"), "ab")?;
        assert_eq!(folder_digest(&folder, 12, 4)?, None);
        let found = folder_digest(&folder, 11, 4)?;
        fs::remove_dir_all(&folder)?;
        // b/a, 2 bytes, of "ab"; then b.txt, 10 bytes, of "01236789".
        let found = found.map(|found| (found.bytes, found.files, found.digest));
        let digest = "0b7456477c20b49550a067cdcf6552f23f5391838ad720ab0ec30c511fd009ee";
        assert_eq!(found, Some((12, 2, digest.to_owned())));
        Ok(())
    }
}
