"""Splits a trajectory into sections of blocks: the run, then turn by turn, then the outcome."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from trajmeter.records import Extent, Failure
from trajmeter.reports.cells import counted, percent, seconds
from trajmeter.reports.trajectory.totals import RunningTotals, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Leak, ToolCall, Trajectory, Turn, View
    from trajmeter.reports.trajectory.surroundings import Surroundings

__all__ = ["Block", "Kind", "Section", "sections"]

_FILE_END = -1
"""Last line of views that extend to the end of the file, as written by some tools."""
_SHORT = 100
"""Maximum number of characters of arguments to show next to the name of the call."""


class Kind(str, Enum):
    """Kind of a block, which determines its style."""

    TEXT = "text"
    """Text of a message."""
    PROGRAM = "program"
    """A program that the agent ran."""
    CALL = "call"
    """A tool call with its arguments."""
    RESULT = "result"
    """The result of a call or program."""
    VIEW = "view"
    """A file that the agent viewed."""
    ERROR = "error"
    """An error."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a section: a label, and lines that may be folded below it."""

    kind: Kind
    """Its kind."""
    label: str
    """The line above it; empty for none."""
    lines: tuple[str, ...] = ()
    """Its lines."""
    first_line: int | None = None
    """Number of the first line, if lines are numbered."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with facts and blocks."""

    title: str
    """The heading."""
    facts: tuple[str, ...]
    """Figures, such as tokens and coverage so far."""
    blocks: tuple[Block, ...]
    """Its parts, in order."""


def sections(trajectory: Trajectory, around: Surroundings) -> Iterator[Section]:
    """Split a trajectory into sections.

    Args:
        trajectory: The trajectory.
        around: References to show with it; their tracker is consumed.

    Yields:
        The run, its turns, calls that belong to no turn, and how it ended.
    """
    yield _head(trajectory, around)
    by_turn: dict[int | None, list[ToolCall]] = {}
    for call in trajectory.tool_calls or ():
        by_turn.setdefault(call.turn, []).append(call)
    totals = RunningTotals()
    turns = trajectory.turns or ()
    for position, turn in enumerate(turns, 1):
        number = _number(turn, position)
        calls = [*turn.tool_calls, *by_turn.pop(number, ())]
        facts = (*totals.add(turn), *_coverage(turn, around))
        leaks = [leak for leak in trajectory.leaks or () if leak.turn == number]
        blocks = (*_turn_blocks(turn, calls, around), *map(_leak, leaks))
        place = f"{position} of {len(turns)}"
        title = f"Turn {place}" if number == position else f"Turn {number} ({place})"
        yield Section(title, facts, blocks)
    rest = [call for calls in by_turn.values() for call in calls]
    if rest:
        blocks = tuple(block for call in rest for block in _call_blocks(call))
        yield Section("Calls that belong to no turn", (), blocks)
    ending = tuple(_end_blocks(trajectory, around))
    if ending:
        yield Section("End", (), ending)


def _head(trajectory: Trajectory, around: Surroundings) -> Section:
    names = ("agent", "model", "attempt")
    facts = [f"{name} {value}" for name in names if (value := getattr(trajectory, name))]
    if trajectory.source is not None:
        facts.append(str(trajectory.source))
    turns = trajectory.turn_count if trajectory.turns is None else len(trajectory.turns)
    calls = trajectory.calls
    facts += [] if turns is None else [counted(turns, "turn")]
    facts += [] if calls is None else [counted(len(calls), "call")]
    facts += tokens_of(trajectory.usage)
    if trajectory.duration_seconds is not None:
        facts.append(f"{seconds(trajectory.duration_seconds)} s")
    if trajectory.passed is not None:
        facts.append("passed" if trajectory.passed else "did not pass")
    return Section(trajectory.task_id, tuple(facts), tuple(_head_blocks(trajectory, around)))


def _head_blocks(trajectory: Trajectory, around: Surroundings) -> Iterator[Block]:
    if trajectory.failure is not None:
        yield _failure("failed", trajectory.failure)
    numbers = {_number(turn, at) for at, turn in enumerate(trajectory.turns or (), 1)}
    for leak in trajectory.leaks or ():
        if leak.turn not in numbers:
            yield _leak(leak)
    task = around.task
    if task is not None:
        if task.question:
            yield _text(Kind.TEXT, "task", task.question)
        for gold in task.gold_ranges or ():
            label = f"gold ({gold.role.value}): {gold.path}:{gold.first_line}-{gold.last_line}"
            yield _excerpt(label, gold.path, gold.first_line, gold.last_line, around)
    if trajectory.turns is None and trajectory.transcript:
        yield _text(Kind.TEXT, "transcript", trajectory.transcript)


def _turn_blocks(turn: Turn, calls: Sequence[ToolCall], around: Surroundings) -> Iterator[Block]:
    if turn.agent:
        yield Block(Kind.TEXT, f"agent {turn.agent}")
    if turn.text:
        yield _text(Kind.TEXT, "", turn.text)
    if turn.program and not _is_called(turn.program, calls):
        yield _text(Kind.PROGRAM, "program", turn.program)
    for call in calls:
        yield from _call_blocks(call)
    yield from _views(turn.views or (), around, "view")
    if turn.error is not None:
        is_said = any(call.error == turn.error.message for call in calls)
        yield _failure("error", Failure(reason=turn.error.reason) if is_said else turn.error)
    elif turn.success is False and not any(call.success is False for call in calls):
        yield Block(Kind.ERROR, "failed")


def _is_called(program: str, calls: Sequence[ToolCall]) -> bool:
    """Whether the program is an argument of a call, or those of all calls joined by newlines."""
    texts = [
        value
        for call in calls
        if isinstance(call.arguments, dict)
        for value in call.arguments.values()
        if isinstance(value, str)
    ]
    return program in texts or program == "\n".join(texts)


def _call_blocks(call: ToolCall) -> Iterator[Block]:
    short, lines = _arguments(call.arguments)
    yield Block(Kind.CALL, f"{call.name}({short})", lines)
    facts = {True: ["ok"], False: ["failed"], None: []}[call.success]
    if call.duration_seconds is not None:
        facts.append(f"{seconds(call.duration_seconds)} s")
    text = None if call.result is None else _result_text(call.result)
    facts += {None: ["not recorded"], "": ["empty"]}.get(text, [])
    yield _text(Kind.RESULT, f"result: {', '.join(facts)}" if facts else "result", text or "")
    if call.error and call.error != text:
        yield _text(Kind.ERROR, "error", call.error)


def _arguments(arguments: JsonValue) -> tuple[str, tuple[str, ...]]:
    """Arguments in short form, and in full if the short form omits something."""
    if arguments is None:
        return "", ()
    if isinstance(arguments, dict):
        short = ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())
        long = [f"{name}: {_plain(value)}" for name, value in arguments.items()]
    else:
        short = arguments if isinstance(arguments, str) else _json(arguments)
        long = [_plain(arguments)]
    if len(short) <= _SHORT:
        return short, ()
    return f"{short[:_SHORT]}…", tuple("\n".join(long).splitlines())


def _result_text(result: JsonValue) -> str:
    """The text of a result; other parts by their type."""
    if not isinstance(result, list):
        return _plain(result)
    parts = []
    for part in result:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            parts.append(str(part["text"]))
        elif isinstance(part, dict) and part.keys() == {"type"}:
            parts.append(f"({part['type']})")
        else:
            parts.append(_plain(part))
    return "\n".join(parts)


def _views(views: Sequence[View], around: Surroundings, label: str) -> Iterator[Block]:
    """Blocks of views; a file that is named and also viewed is shown only once."""
    ranged = {view.path for view in views if view.extent is not Extent.UNKNOWN}
    for view in views:
        if view.extent is not Extent.UNKNOWN or view.symbols or view.path not in ranged:
            yield _view(view, around, label)


def _view(view: View, around: Surroundings, label: str) -> Block:
    start, end = view.start, view.end
    is_one = start == end and start is not None
    where = {
        Extent.LINES: f"{view.path}:{start if is_one else f'{_end(start)}-{_end(end)}'}",
        Extent.BYTES: f"{view.path}, bytes {_end(start)}-{_end(end)}",
        Extent.WHOLE: f"{view.path} (whole file)",
        Extent.UNKNOWN: f"{view.path} (lines not recorded)",
    }[view.extent]
    if view.symbols:
        where = f"{view.path}, {', '.join(view.symbols)}"
    text = f"{label} {where}"
    if view.extent is Extent.LINES and start is not None:
        return _excerpt(text, view.path, start, end, around)
    if view.extent is Extent.WHOLE:
        return _excerpt(text, view.path, 1, None, around)
    path = around.find(view.path)
    if view.extent is Extent.BYTES and path is not None and start is not None and end is not None:
        return Block(Kind.VIEW, text, tuple(around.byte_text(path, max(start, 0), max(end, 0))))
    return Block(Kind.VIEW, text)


def _excerpt(label: str, raw: str, first: int, last: int | None, around: Surroundings) -> Block:
    """Lines of a file of the repository, if it is available and has the file."""
    path = around.find(raw)
    if path is None:
        missing = " (not in the repository)" if around.content is not None else ""
        return Block(Kind.VIEW, label + missing)
    lines = around.lines(path, first, None if last == _FILE_END else last)
    shown = label if path in raw else f"{label} → {path}"
    return Block(Kind.VIEW, shown, tuple(lines), max(first, 1))


def _end(number: int | None) -> str:
    return "?" if number is None else str(number)


def _coverage(turn: Turn, around: Surroundings) -> list[str]:
    """The share of gold seen so far."""
    if around.tracker is None or turn.views is None:
        return []
    seen = around.tracker.update(turn.views)
    shares = {
        "files": seen.file,
        "definitions": seen.symbol,
        "bytes": seen.span,
        "lines": seen.line,
    }
    known = [f"{percent(share)} of {name}" for name, share in shares.items() if share is not None]
    return [f"gold seen: {', '.join(known)}"] if known else []


def _end_blocks(trajectory: Trajectory, around: Surroundings) -> Iterator[Block]:
    yield from _views(trajectory.final_views or (), around, "final view")
    if trajectory.final_output:
        yield _text(Kind.TEXT, "final output", trajectory.final_output)
    if trajectory.final_patch:
        yield _text(Kind.PROGRAM, "final patch", trajectory.final_patch)
    elif trajectory.final_patch == "":
        yield Block(Kind.PROGRAM, "final patch: empty")
    if trajectory.sources:
        yield Block(Kind.TEXT, "sources", trajectory.sources)
    for verdict in trajectory.verdicts or ():
        reason = f": {verdict.reason}" if verdict.reason else ""
        yield _text(Kind.TEXT, f"verdict {verdict.name}", f"{verdict.result}{reason}")
    for field, why in trajectory.unusable.items():
        yield Block(Kind.ERROR, f"{field} could not be used: {why}")


def _leak(leak: Leak) -> Block:
    return _text(Kind.ERROR, f"read part of the solution ({leak.kind})", leak.evidence)


def _number(turn: Turn, position: int) -> int:
    return position if turn.number is None else turn.number


def _failure(label: str, failure: Failure) -> Block:
    reason = f"{label}: {failure.reason}" if failure.reason else label
    return _text(Kind.ERROR, reason, failure.message or "")


def _text(kind: Kind, label: str, text: str) -> Block:
    return Block(kind, label, tuple(text.rstrip("\n").split("\n")) if text else ())


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
