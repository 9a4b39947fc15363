//! Bindings of the search for words in quotes.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet};
use trajmeter_core::quoted_words;

use crate::arrays::run;

/// Bytes of text that are searched in the time of one value of other kernels. Releasing the GIL for
/// the beginning of a file would take longer than searching it.
const BYTES_AT_ONCE: usize = 64;

/// Finds words between quotes.
#[pyclass(frozen, module = "trajmeter.kernels._rust")]
pub struct QuotedWords(quoted_words::QuotedWords);

#[pymethods]
impl QuotedWords {
    #[new]
    fn new(words: Vec<Vec<u8>>) -> Self {
        Self(quoted_words::QuotedWords::new(words))
    }

    fn found_in<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyFrozenSet>> {
        let text = text.as_bytes();
        let found = run(py, text.len() / BYTES_AT_ONCE, || Ok(self.0.found_in(text)))?;
        let words = self.0.words().iter().zip(found);
        let words = words.filter(|(_, is_found)| *is_found);
        PyFrozenSet::new(py, words.map(|(word, _)| PyBytes::new(py, word)))
    }
}
