"""The logs next to an fc-eval result: the agent's JSON log, and its terminal recording.

An unreadable log is listed among the attempt's problems; the attempt itself is kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_count, as_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["read_logs"]

_EVENT_LENGTH = 3
_USAGE = ("llm_metrics", "accumulated_token_usage")
_COUNTS = ("prompt_tokens", "completion_tokens")
_OTHER_LINE_ENDS = re.compile("[\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]")
"""Ends of a line to ``str.splitlines``, but not to ``bytes.splitlines``."""


def read_logs(folder: Path) -> dict[str, Any]:
    """Read the newest log and the newest recording in a folder.

    Only files directly in ``agent-logs`` and ``sessions`` are considered.

    Returns:
        Fields of a :class:`RunLog`.
    """
    problems: list[str] = []
    log = _newest(folder / "agent-logs", "*.json")
    recording = _newest(folder / "sessions", "*.cast")
    found = _read_log(log, problems) if log else {}
    if recording:
        found |= _read_recording(recording, problems)
    return {**found, "problems": tuple(problems)}


def _newest(folder: Path, pattern: str) -> Path | None:
    files = [path for path in folder.glob(pattern) if path.is_file()]
    return max(files, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def _read_log(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        entries = json_input.parse(path.read_bytes())
    except (OSError, ReadError) as error:
        problems.append(f"{path}: {error}")
        return {}
    if not isinstance(entries, list):
        problems.append(f"{path}: expected a list of entries, got {json_input.type_name(entries)}")
        return {}
    return {"entries": len(entries), **_tokens(entries)}


def _tokens(entries: Iterable[JsonValue]) -> dict[str, Any]:
    """Tokens of the last entry that has any; counts are cumulative, so one entry has them all.

    fc-eval's search ends at an entry that it cannot read, such as one with null.
    """
    is_bad = False
    for entry in reversed(list(entries)):
        usage = _usage(entry)
        is_bad |= usage is None or not _is_complete(entry)
        if usage is not None and any(usage):
            prompt, completion = usage
            return {
                "input_tokens": prompt,
                "output_tokens": completion,
                "tokens_before_bad_entry": is_bad,
            }
    return {}


def _usage(entry: JsonValue) -> tuple[int, int] | None:
    """Tokens of an entry, 0 if it has none; ``None`` if it cannot be read."""
    for key in _USAGE:
        found = as_object(entry)
        if found is None:
            return None
        entry = found.get(key) or {}
    usage = as_object(entry)
    if usage is None:
        return None
    prompt, completion = [as_count(usage.get(key) or 0) for key in _COUNTS]
    return None if prompt is None or completion is None else (prompt, completion)


def _is_complete(entry: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a readable entry has objects and numbers wherever it has a key, and not null."""
    for key in _USAGE:
        entry = entry.get(key, {})
        if not isinstance(entry, dict):
            return False
    return all(isinstance(entry.get(key, 0), (int, float)) for key in _COUNTS)


def _read_recording(path: Path, problems: list[str]) -> dict[str, Any]:
    """Count the events of an asciicast: one per line, a list of at least three values."""
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.append(f"{path}: {error}")
        return {}
    lines = content.splitlines()
    events = [_event_code(line) for line in lines]
    after_header = zip(lines[1:], events[1:], strict=True)
    bad = sum(1 for line, code in after_header if line.strip() and not code)
    if bad:
        problems.append(f"{path}: {bad} of {len(lines)} lines are not events")
    return {
        "events": dict(Counter(code for code in events if code)),
        "events_after_first_line": _events_after_first_line(content, events),
        "recording_is_utf8": _is_utf8(content),
    }


def _events_after_first_line(content: bytes, events: Sequence[str | None]) -> int:
    """Number of events as fc-eval counts them.

    It also splits lines at characters such as U+2028, so that an event with one in its text is two
    unreadable lines.
    """
    text = content.decode(errors="replace")
    if _OTHER_LINE_ENDS.search(text):
        events = [_event_code(line.encode()) for line in text.splitlines()]
    return sum(1 for code in events[1:] if code)


def _event_code(line: bytes) -> str | None:
    """Code of the event on a line, as text; ``None`` without an event."""
    try:
        value = json_input.parse(line.decode(errors="replace").encode())
    except ReadError:
        return None
    if not isinstance(value, list) or len(value) < _EVENT_LENGTH:
        return None
    code = value[1]
    return code if isinstance(code, str) and code else json.dumps(code)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
