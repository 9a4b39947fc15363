//! Binding of the patch parser.

use pyo3::prelude::*;
use trajmeter_core::patches::{self, EditedLines, FaultKind, PatchFault};

use crate::arrays::{array, run};
use crate::named::NamedTuple;

#[pyfunction]
pub fn edited_lines<'py>(py: Python<'py>, patch: &str) -> PyResult<Bound<'py, PyAny>> {
    static EDITED_LINE_ARRAYS: NamedTuple = NamedTuple::new("EditedLineArrays");
    let EditedLines {
        files,
        is_diff,
        faults,
    } = run(py, patch.len(), || Ok(patches::edited_lines(patch)))?;
    let mut paths = Vec::with_capacity(files.len());
    let mut lines = Vec::new();
    let mut offsets = vec![0];
    for mut file in files {
        paths.push(file.path);
        lines.append(&mut file.lines);
        offsets.push(lines.len() as i64);
    }
    let faults = faults.into_iter().flat_map(numbers).collect();
    EDITED_LINE_ARRAYS.of(
        py,
        (
            paths,
            array(py, lines),
            array(py, offsets),
            is_diff,
            array(py, faults),
        ),
    )
}

/// Returns the numbers of a fault in the order that the contract defines.
fn numbers(PatchFault { line, kind }: PatchFault) -> [i64; 6] {
    let (code, (declared_old, declared_new), (old, new)) = match kind {
        FaultKind::Unnamed => (0, (0, 0), (0, 0)),
        FaultKind::Unreadable => (1, (0, 0), (0, 0)),
        FaultKind::Empty => (2, (0, 0), (0, 0)),
        FaultKind::Counts { declared, found } => (3, declared, found),
    };
    [line as i64, code, declared_old, declared_new, old, new]
}
