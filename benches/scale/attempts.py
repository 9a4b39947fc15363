"""Attempts to score, any number and always the same, as Parquet and JSON lines.

Each attempt has 10 turns with 3 views. numpy draws all numbers and pyarrow joins all text, 10,000
attempts at a time, so that memory does not grow with the number of attempts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SPANS", "TASKS", "Files", "write_attempts", "write_tasks"]

TURNS, VIEWS = 10, 3
SPANS = TURNS * VIEWS
"""Spans of an attempt."""
TASKS = 500
"""Tasks, of which the attempts are in turn."""
AGENTS = 4
"""Agents, each of which attempts all tasks in turn."""
_ROWS = 10_000
_REPOSITORIES, _FILES = 17, 60
_LINES = 480

_arrow: Any = pa
_compute: Any = pc
"""The stubs of pyarrow know too few of the arguments that these take."""


class Files(NamedTuple):
    """The same attempts in two formats."""

    parquet: Path
    lines: Path


def write_attempts(folder: Path, count: int, *, seed: int = 0) -> Files:
    """Write ``attempts.parquet`` and ``attempts.jsonl``."""
    files = Files(folder / "attempts.parquet", folder / "attempts.jsonl")
    writer: parquet.ParquetWriter | None = None
    with files.lines.open("wb") as lines:
        for start in range(0, count, _ROWS):
            chunk = _Chunk(np.random.default_rng((seed, start)), start, min(_ROWS, count - start))
            table = chunk.table()
            writer = writer or parquet.ParquetWriter(
                files.parquet, table.schema, compression="zstd"
            )
            writer.write_table(table)
            lines.write(chunk.lines())
    if writer is not None:
        writer.close()
    return files


def write_tasks(folder: Path) -> tuple[Path, Path]:
    """Write ``tasks.jsonl`` and ``snapshots.jsonl``, for metrics that need repositories."""
    import json

    chance = np.random.default_rng(0)
    tasks, snapshots = folder / "tasks.jsonl", folder / "snapshots.jsonl"
    with tasks.open("w", encoding="utf-8") as file:
        for number in range(TASKS):
            ranges = [
                {"path": _path(number % _REPOSITORIES, int(at)), "first_line": 20, "last_line": 60}
                for at in chance.integers(0, _FILES, 8)
            ]
            repository = f"r/{number % _REPOSITORIES}"
            task = {"id": f"task-{number}", "repo": repository, "commit": "c"}
            file.write(json.dumps({**task, "gold_ranges": ranges}) + "\n")
    content = {"size": 40 * 500, "line_starts": list(range(0, 40 * 500 + 1, 40)), "definitions": []}
    with snapshots.open("w", encoding="utf-8") as file:
        for number in range(_REPOSITORIES):
            held = {_path(number, at): content for at in range(_FILES)}
            row = {"repo": f"r/{number}", "commit": "c", "files": held}
            file.write(json.dumps(row) + "\n")
    return tasks, snapshots


def _path(repository: int, file: int) -> str:
    return f"src/package_{repository}/module_{file}.py"


_PATHS = pa.array([_path(each, at) for each in range(_REPOSITORIES) for at in range(_FILES)])
_PROGRAMS = pa.array(
    [f"grep -rn 'needle {at}' src/package_{at % 17} | head -{at}" for at in range(200)]
)
_REASONS = pa.array(["parse_error", "timeout", "tool_error"])


class _Chunk:
    """Some attempts, as columns of numbers."""

    def __init__(self, chance: np.random.Generator, first: int, count: int) -> None:
        turns, views = count * TURNS, count * SPANS
        numbers = np.arange(first, first + count)
        self.task = _joined("task-", pa.array(numbers % TASKS))
        self.agent = _joined("agent-", pa.array(numbers // TASKS % AGENTS))
        self.attempt = _text(numbers // (TASKS * AGENTS))
        self.passed = pa.array(chance.random(count) < 0.3)
        self.number = np.tile(np.arange(1, TURNS + 1), count)
        self.program = _PROGRAMS.take(_arrow.array(chance.integers(0, len(_PROGRAMS), turns)))
        self.fails = chance.random(turns) < 0.15
        self.reason = _REASONS.take(_arrow.array(chance.integers(0, len(_REASONS), turns)))
        self.tokens = chance.integers(500, 9_000, turns)
        repository = np.repeat(numbers % TASKS % _REPOSITORIES, SPANS)
        self.path = _PATHS.take(
            _arrow.array(repository * _FILES + chance.integers(0, _FILES, views))
        )
        self.start = chance.integers(1, _LINES - 80, views)
        self.end = self.start + chance.integers(0, 80, views)
        self.of_turns = pa.array(np.arange(0, views + 1, VIEWS, dtype=np.int32))
        self.of_attempts = pa.array(np.arange(0, turns + 1, TURNS, dtype=np.int32))

    def table(self) -> pa.Table:
        """Return the attempts in the columns of a trajectory."""
        lines = pa.array(["lines"]).take(_arrow.array(np.zeros(len(self.path), np.int8)))
        views = _struct(path=self.path, extent=lines, start=self.start, end=self.end)
        turns = _struct(
            number=self.number,
            program=self.program,
            success=~self.fails,
            error=_arrow.StructArray.from_arrays(
                [self.reason], ["reason"], mask=pa.array(~self.fails)
            ),
            usage=_struct(input_tokens=self.tokens),
            views=_arrow.ListArray.from_arrays(self.of_turns, views),
        )
        columns = {
            "task_id": self.task,
            "agent": self.agent,
            "attempt": self.attempt,
            "passed": self.passed,
            "turns": _arrow.ListArray.from_arrays(self.of_attempts, turns),
        }
        return pa.table(columns)

    def lines(self) -> bytes:
        """Return the attempts as JSON lines."""
        views = _joined(
            '{"path":"',
            self.path,
            '","extent":"lines","start":',
            self.start,
            ',"end":',
            self.end,
            "}",
        )
        fails = pa.array(self.fails)
        error = _joined('false,"error":{"reason":"', self.reason, '"}')
        turns = _joined(
            '{"number":',
            self.number,
            ',"program":"',
            self.program,
            '","success":',
            _compute.if_else(fails, error, "true"),
            ',"usage":{"input_tokens":',
            self.tokens,
            '},"views":[',
            _compute.binary_join(_arrow.ListArray.from_arrays(self.of_turns, views), ","),
            "]}",
        )
        attempts = _joined(
            '{"task_id":"',
            self.task,
            '","agent":"',
            self.agent,
            '","attempt":"',
            self.attempt,
            '","passed":',
            _compute.if_else(self.passed, "true", "false"),
            ',"turns":[',
            _compute.binary_join(_arrow.ListArray.from_arrays(self.of_attempts, turns), ","),
            "]}\n",
        )
        content = attempts.buffers()[2]
        assert content is not None
        size: int = _compute.sum(_compute.binary_length(attempts)).as_py()
        return content.to_pybytes()[:size]


def _text(values: object) -> pa.Array[Any]:
    texts: pa.Array[Any] = _compute.cast(_arrow.array(values), pa.string())
    return texts


def _joined(*parts: object) -> pa.Array[Any]:
    """Join texts and numbers row by row."""
    texts = [each if isinstance(each, str) else _text(each) for each in parts]
    joined: pa.Array[Any] = _compute.binary_join_element_wise(*texts, "")
    return joined


def _struct(**fields: object) -> pa.Array[Any]:
    columns = [_arrow.array(each) for each in fields.values()]
    structs: pa.Array[Any] = _arrow.StructArray.from_arrays(columns, list(fields))
    return structs
