//! Binding of the digest of a folder.

use std::path::PathBuf;

use pyo3::prelude::*;
use trajmeter_core::digests;

use crate::arrays::run;

/// Bytes, number of files and digest of a folder of more than `small` bytes.
#[pyfunction]
pub fn folder_digest(
    py: Python<'_>,
    folder: PathBuf,
    small: u64,
    end: u64,
) -> PyResult<Option<(u64, usize, String)>> {
    let found = run(py, usize::MAX, || {
        Ok(digests::folder_digest(&folder, small, end))
    })?;
    Ok(found?.map(|found| (found.bytes, found.files, found.digest)))
}
