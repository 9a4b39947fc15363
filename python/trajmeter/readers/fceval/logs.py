"""The logs next to an fc-eval result: the agent's JSON log, and its terminal recording.

An unreadable log is listed among the attempt's problems; the attempt itself is kept.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_count, as_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import JsonValue

__all__ = ["read_logs"]

_EVENT_LENGTH = 3


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
    """Tokens of the last entry that has any; counts are cumulative, so one entry has them all."""
    is_bad = False
    for entry in reversed(list(entries)):
        usage = _usage(entry)
        if usage is None:
            is_bad = True
        elif any(usage):
            prompt, completion = usage
            return {
                "input_tokens": prompt,
                "output_tokens": completion,
                "tokens_before_bad_entry": is_bad,
            }
    return {}


def _usage(entry: JsonValue) -> tuple[int, int] | None:
    """Tokens of an entry, 0 if it has none; ``None`` if it cannot be read."""
    for key in ("llm_metrics", "accumulated_token_usage"):
        found = as_object(entry)
        if found is None:
            return None
        entry = found.get(key) or {}
    usage = as_object(entry)
    if usage is None:
        return None
    counts = [as_count(usage.get(key) or 0) for key in ("prompt_tokens", "completion_tokens")]
    prompt, completion = counts
    return None if prompt is None or completion is None else (prompt, completion)


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
    codes = [code for code in events if code]
    return {
        "events": dict(Counter(codes)),
        "events_after_first_line": len(codes) - bool(events and events[0]),
        "recording_is_utf8": _is_utf8(content),
    }


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
