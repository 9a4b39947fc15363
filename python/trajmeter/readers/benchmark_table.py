"""Flat rows of benchmarks in JSON lines as one table, without an object for each row."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from trajmeter.kernels import backend
from trajmeter.readers._containers import is_json_lines
from trajmeter.readers.batches import line_blocks
from trajmeter.schemas import require_pyarrow

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.kernels._rust import JsonReader

__all__ = ["benchmark_table"]

_BLOCK_BYTES = 8 << 20

_KEYS = ("task_id", "benchmark")
_TEXTS = ("agent", "model", "attempt", "tests", "snapshot_status")
_TRUTHS = ("significant", "is_resolved")
_RATIOS = ("agent_nop", "oracle_nop", "nop_seconds", "agent_seconds", "oracle_seconds")
_FIGURES = (
    *(f"test_{what}" for what in ("passed", "failed", "error", "skipped", "total")),
    *(f"snapshot_{what}" for what in ("passed", "failed", "skipped", "total", "pass_to_fail")),
    "trajectory_length",
    "task_cost_usd",
    "total_cost",
    "total_input_tokens",
    "total_output_tokens",
)


def benchmark_table(path: Path, *, block_bytes: int = _BLOCK_BYTES) -> pa.Table | None:
    """Read a file of flat rows into the table that the columns of ``speedup`` are scored from.

    Args:
        path: The file, in the form of :mod:`trajmeter.readers.benchmark_rows`.
        block_bytes: Bytes to read at a time.

    Returns:
        A row for each line that is not blank, in order, with the columns that any row fills and
        the agent's ratio; ``None`` if the file is not JSON lines, the backend is Python, or some
        line has to be read as a record: it lacks a task or a benchmark, has another type of value
        where a number belongs, or cannot be read at all.

    Raises:
        ExtraMissingError: pyarrow is not installed.
        OSError: The file cannot be read to its end.
    """
    require_pyarrow("tables")
    import pyarrow as pa

    if backend() != "rust" or not is_json_lines(path):
        return None
    reader = _reader()
    batches: list[pa.RecordBatch] = []
    with path.open("rb") as file:
        for block in line_blocks(file, block_bytes):
            for columns in reader.read(block, "", 1):
                if columns.refused:
                    return None
                batches.append(pa.record_batch(columns))
    table = pa.Table.from_batches(batches)
    empty = [name for name in table.column_names if table[name].null_count == len(table)]
    return table.drop_columns([name for name in empty if name != "agent_nop"])


@cache
def _reader() -> JsonReader:
    from trajmeter.kernels._rust import JsonReader

    kinds = {
        **dict.fromkeys((*_KEYS, *_TEXTS), "text"),
        **dict.fromkeys(_TRUTHS, "boolean"),
        **dict.fromkeys((*_RATIOS, *_FIGURES), "number"),
    }
    members = [
        {
            "name": name,
            "shape": {"kind": kind},
            "required": name in _KEYS,
            "nullable": name not in _KEYS,
        }
        for name, kind in kinds.items()
    ]
    shape = json.dumps({"kind": "record", "members": members})
    return JsonReader(shape, list(kinds), flat=True)
