"""Finds the JSON objects among texts, in Rust where that is certain to be right."""

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
"""Code of valid JSON that is neither an object, nor null or a text, which may stand for one."""
UNCERTAIN = -2
"""Code of a text that has to be read to know more."""


def object_codes(column: Any, *, runs: Int64Array | None = None) -> Int64Array:  # noqa: ANN401 - of texts
    """Find the JSON objects among texts, without reading each text in Python.

    Args:
        column: Texts without nulls.
        runs: Compare the objects of run i, texts ``[runs[i], runs[i + 1])``, as
            :func:`~trajmeter.metrics.tools.arguments.keyed_arguments` does; the runs have all
            texts. ``None`` compares none.

    Returns:
        0 or more for an object, equal ones of a run alike; else ``NO_OBJECT``, or ``UNCERTAIN``, as
        all texts are where the kernels of this process are those in Python.
    """
    if not len(column) or kernels.backend() == "python":
        return np.full(len(column), UNCERTAIN, np.int64)
    from trajmeter.kernels import _rust  # whose twin is to read the texts

    texts: Any = cast(column, pa.large_string())
    _, offsets, content = texts.buffers()
    begin = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    held = np.frombuffer(content or b"", np.uint8)
    return _rust.object_codes(held, begin, runs)
