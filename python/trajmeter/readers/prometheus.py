"""Prometheus logs: text in which markers enclose the context retrieved by each step.

::

    --- BEGIN CONTEXT ---
    File: src/a.py
    Line number range: 10 - 40
    def f(): ...
    --- END CONTEXT ---

Each block is a step. The last block ``AGGREGATED CONTEXT`` with a range is the final context;
without one, the final context is the union of the steps. Files without a range are skipped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from trajmeter import json_input
from trajmeter.readers._files.content import content_name, open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.sessions import stem_of
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.contextbench.views import merged_spans, views_of
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from trajmeter.readers.contextbench.views import NewView

__all__ = ["LOGS"]

_Ranges: TypeAlias = "dict[str, list[list[int]]]"

_MARKERS = ("--- BEGIN CONTEXT ---", "--- BEGIN AGGREGATED CONTEXT ---")
_MARKER = re.compile(r"--- (?P<edge>BEGIN|END) (?P<final>AGGREGATED )?CONTEXT ---")
_FILE = re.compile(r"\s*File:(.+)")
_RANGE = re.compile(r"\s*Line\s*number\s*range\s*:\s*(\d{1,18})\s*-\s*(\d{1,18})\s*", re.IGNORECASE)
_BACKSLASHES = re.compile(r"\\+")
_PREFIX = re.compile(r"(?:/testbed/|/workspace/(?:[^/]*/)?)?/*")


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether the text contains a marker anywhere in the file."""
    if path.is_dir() or b"\0" in head or json_input.first_byte(head) in (b"{", b"["):
        return None
    if any(marker.encode() in head for marker in _MARKERS):
        return Evidence.CERTAIN
    if not content_name(path).endswith(".log"):  # other files are not searched
        return None
    with open_content(path) as file:
        found = any(marker.encode() in line for line in file for marker in _MARKERS)
    return Evidence.CERTAIN if found else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the log of one task."""
    steps: list[list[NewView]] = []
    final: list[NewView] = []
    try:
        for is_final, lines in _blocks(path):
            views = _views(lines)
            if not is_final:
                steps.append(views)
            elif views:
                final = views
    except OSError as error:
        report(problem_with(path, error))
        return
    yield _trajectory(path, steps or ([final] if final else []), final or None)


def _read_as_contextbench(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """Read the log of one task with the blocks and contexts that ContextBench counts.

    A block ends only at its own end marker, and may contain other markers. Blocks without a range
    are not steps, but a last aggregate without a range counts: the final context is then the union
    of the steps.
    """
    begin, final_begin = _MARKERS
    step_blocks, final_blocks = _Blocks(begin), _Blocks(final_begin)
    steps: list[_Ranges] = []
    final: _Ranges = {}
    try:
        with open_content(path) as file:
            for line in file:
                text = line.decode(errors="replace")
                steps += filter(None, map(_ranges, step_blocks.ended_by(text)))
                for block in final_blocks.ended_by(text):
                    final = _ranges(block)
    except OSError as error:
        report(problem_with(path, error))
        return
    context = _views_of(final or _union(steps))
    turns = [_views_of(step) for step in steps]
    yield _trajectory(path, turns or ([context] if context else []), context)


def _union(steps: Iterable[_Ranges]) -> _Ranges:
    """All ranges of steps, by file."""
    union: _Ranges = {}
    for step in steps:
        for name, ranges in step.items():
            union.setdefault(name, []).extend(ranges)
    return union


def _trajectory(
    path: Path, turns: Iterable[list[NewView]], final: list[NewView] | None
) -> Trajectory:
    return Trajectory.model_validate(
        {
            "task_id": stem_of(path),
            "agent": "prometheus",
            "source": Source(file=str(path)),
            "turns": [{"number": n, "views": views} for n, views in enumerate(turns, start=1)],
            "final_views": final,
        }
    )


class _Blocks:
    """The blocks after a marker, each up to the next end of its kind."""

    def __init__(self, begin: str) -> None:
        self._begin, self._end = begin, begin.replace("BEGIN", "END")
        self._open: list[str] | None = None

    def ended_by(self, text: str) -> Iterator[list[str]]:
        """The blocks that end in the next line of the file."""
        while True:
            if self._open is None:
                _, begun, text = text.partition(self._begin)
                if not begun:
                    return
                self._open = []
            inside, ended, text = text.partition(self._end)
            self._open += inside.splitlines()
            if not ended:
                return
            yield self._open
            self._open = None


def _blocks(path: Path) -> Iterator[tuple[bool, list[str]]]:
    """The lines of each block and whether it is an aggregate; unclosed blocks are left out."""
    lines: list[str] | None = None
    is_final = False
    with open_content(path) as file:
        for line in file:
            text = line.decode(errors="replace").rstrip("\r\n")
            marker = _MARKER.search(text)
            if marker is None:
                if lines is not None:
                    lines.append(text)
            elif marker["edge"] == "BEGIN":
                lines, is_final = [], marker["final"] is not None
            elif lines is not None and is_final == (marker["final"] is not None):
                yield is_final, lines
                lines = None


def _views(lines: Iterable[str]) -> list[NewView]:
    return _views_of(_ranges(lines))


def _views_of(ranges: _Ranges) -> list[NewView]:
    spans = {path: merged_spans(found) for path, found in ranges.items()}
    return views_of(spans, spans)


def _ranges(lines: Iterable[str]) -> _Ranges:
    """The line ranges of each file in a block."""
    ranges: _Ranges = {}
    path: str | None = None
    for line in lines:
        if found := _FILE.fullmatch(line):
            path = _PREFIX.sub("", _BACKSLASHES.sub("/", found[1].strip()), count=1)
        elif path and (lines_of := _RANGE.fullmatch(line)):
            ends = sorted((int(lines_of[1]), int(lines_of[2])))
            ranges.setdefault(path, []).append(ends)
    return ranges


LOGS = FileFormat(
    name="prometheus-logs",
    description="logs of Prometheus",
    makes=Trajectory,
    carries=("agent", "turns.number", "turns.views", "final_views"),
    origin="Prometheus, as ContextBench keeps its logs",
    recognises=_recognises,
    records=_read,
    profile_records={"contextbench": _read_as_contextbench},
)
