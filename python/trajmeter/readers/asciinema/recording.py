"""Events of a recording: version 1 is one object; 2 and 3 are a header and one line per event.

In versions 1 and 3, times are relative to the preceding event, in version 2 to the beginning. If a
container was killed, the last line may be truncated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.values import as_list
from trajmeter.records import ReadProblem
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Recorded", "is_header", "read_header", "recorded"]

_VERSION_1, _VERSION_2, _VERSION_3 = 1, 2, 3
_PAIR, _EVENT = 2, 3
_COMMENT = b"#"


class Recorded(NamedTuple):
    """An event."""

    time: float
    """Seconds since the recording began."""
    code: str
    """``o`` for output, ``i`` for input, ``m`` for a marker; other codes may occur."""
    data: str
    """The text, or the label of a marker."""


def is_header(value: object) -> bool:
    """Whether a value is the header of a recording, or a whole recording of version 1."""
    if not isinstance(value, dict):
        return False
    match value.get("version"):
        case 1:
            return "stdout" in value
        case 2:
            return "width" in value and "height" in value
        case 3:
            return isinstance(value.get("term"), dict)
    return False


def read_header(path: Path) -> dict[str, Any]:
    """The header of a recording; empty if it has none.

    Raises:
        OSError: It cannot be read.
    """
    with open_content(path) as file:
        first = next(iter(json_input.lines(file)), None)
        content = b"" if first is None else first.content
        value = _parsed(content)
        if value is None:
            value = _parsed(content + file.read())
    return value if isinstance(value, dict) and is_header(value) else {}


def _parsed(content: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json_input.parse(content)
    except ReadError:
        return None


def recorded(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Recorded]:
    """Yield the events of a recording; other lines are reported and skipped."""
    try:
        header = read_header(path)
        if header.get("version") == _VERSION_1:
            yield from _with_times(_pairs(header), are_delays=True)
            return
        with open_content(path) as file:
            are_delays = header.get("version") == _VERSION_3
            yield from _with_times(_lines(path, file, report), are_delays=are_delays)
    except OSError as error:
        report(problem_with(path, error))


def _pairs(header: dict[str, Any]) -> Iterator[Recorded]:
    for pair in as_list(header.get("stdout")):
        if isinstance(pair, list) and len(pair) == _PAIR and isinstance(pair[1], str):
            yield Recorded(finite(pair[0]) or 0.0, "o", pair[1])


def _lines(path: Path, file: Any, report: Callable[[ReadProblem], None]) -> Iterator[Recorded]:  # noqa: ANN401 - a file
    for number, _, content in json_input.lines(file):
        if content.startswith(_COMMENT):
            continue
        try:
            # Terminal output may contain bytes in any encoding.
            value = json_input.parse(content.decode(errors="replace").encode())
        except ReadError as error:
            report(ReadProblem(file=str(path), line=number, message=str(error)))
            continue
        if isinstance(value, list) and len(value) >= _EVENT:
            time, code, data = value[:_EVENT]
            if finite(time) is not None and isinstance(code, str) and isinstance(data, str):
                yield Recorded(finite(time) or 0.0, code, data)
                continue
        if not is_header(value):
            message = "expected an event, a list of time, code and data"
            report(ReadProblem(file=str(path), line=number, message=message))


def _with_times(found: Iterator[Recorded], *, are_delays: bool) -> Iterator[Recorded]:
    now = 0.0
    for event in found:
        now = now + event.time if are_delays else event.time
        yield event._replace(time=now)
