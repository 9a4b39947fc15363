"""Finds and compares the JSON objects among texts, in Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter import kernels
from trajmeter.arrays import cast

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array

__all__ = ["NO_OBJECT", "UNCERTAIN", "object_codes"]

NO_OBJECT = -1
"""Code of valid JSON that is not an object; null and texts may represent one, so are uncertain."""
UNCERTAIN = -2
"""Code of a text that only Python can decide."""


def object_codes(column: Any, *, runs: Int64Array | None = None) -> Int64Array:  # noqa: ANN401 - of texts
    """Find the JSON objects among texts, without reading each text in Python.

    Args:
        column: Texts without nulls.
        runs: Offsets of runs, which together have all texts; run i has the texts
            ``[runs[i], runs[i + 1])``. Its objects are compared as
            :func:`~trajmeter.metrics.tools.arguments.keyed_arguments` does. ``None`` compares none.

    Returns:
        0 or more for an object, the same for equal objects of a run; otherwise ``NO_OBJECT`` or
        ``UNCERTAIN``. All are uncertain if this process uses the Python kernels.
    """
    if not len(column) or kernels.backend() == "python":
        return np.full(len(column), UNCERTAIN, np.int64)
    from trajmeter.kernels import _rust  # its twin parses the texts

    texts: Any = cast(column, pa.large_string())
    _, offsets, content = texts.buffers()
    begin = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    held = np.frombuffer(content or b"", np.uint8)
    return _rust.object_codes(held, begin, runs)
