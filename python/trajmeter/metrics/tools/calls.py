"""Calls made ready to be matched: their names, and their arguments, read once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajmeter.metrics.tools.arguments import Malformed, are_simple, keyed_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.tools.arguments import Arguments, JsonKey
    from trajmeter.records import ToolCall, Trajectory

__all__ = ["Calls", "calls_of", "names_of", "read_calls", "read_steps"]


@dataclass(slots=True)
class Calls:
    """Calls, or steps of another kind, in order, a list for each of their properties."""

    names: Sequence[str]
    """Name of each tool, or the step itself."""
    arguments: Sequence[Arguments]
    """Arguments of each call; empty where they are malformed."""
    keys: Sequence[JsonKey | None]
    """Equal for calls whose arguments are equal as JSON; ``None`` where they are malformed."""
    malformed: dict[int, str] = field(default_factory=dict)
    """Why the arguments of a call, by its place, are no JSON object; it matches nothing."""
    records: Sequence[ToolCall] = ()
    """The calls as they were recorded; none for steps of another kind."""

    def __len__(self) -> int:
        return len(self.names)


def read_calls(calls: Sequence[ToolCall]) -> Calls:
    """Read the arguments of every call."""
    names = [call.name for call in calls]
    recorded = [call.arguments for call in calls]
    if are_simple(recorded):  # as most are, and one by one it takes twice as long
        simple_keys = list(map(frozenset, map(dict.items, recorded)))
        return Calls(names, recorded, simple_keys, records=calls)
    arguments: list[Arguments] = []
    keys: list[JsonKey | None] = []
    malformed: dict[int, str] = {}
    for at, each in enumerate(recorded):
        read = keyed_arguments(each)
        if isinstance(read, Malformed):
            malformed[at] = read.reason
            read = {}, None
        arguments.append(read[0])
        keys.append(read[1])
    return Calls(names, arguments, keys, malformed, calls)


def read_steps(names: Sequence[str]) -> Calls:
    """Make calls without arguments of steps of any kind: files, nodes, agents."""
    return Calls(list(names), [{} for _ in names], [()] * len(names))


_latest: tuple[Trajectory, Calls] | None = None


def calls_of(trajectory: Trajectory) -> Calls | None:
    """Give the calls of an attempt, read; ``None`` where neither they nor turns were recorded.

    The latest attempt's are kept, because several families look at one attempt after another.
    """
    global _latest  # noqa: PLW0603 - one reference, replaced as a whole
    latest = _latest
    if latest is not None and latest[0] is trajectory:
        return latest[1]
    calls = trajectory.calls
    if calls is None:
        return None
    read = read_calls(calls)
    _latest = trajectory, read
    return read


def names_of(trajectory: Trajectory) -> Sequence[str] | None:
    """Give the names of an attempt's calls alone, in order; ``None`` as in :func:`calls_of`."""
    latest = _latest
    if latest is not None and latest[0] is trajectory:
        return latest[1].names
    calls = trajectory.calls
    return None if calls is None else [call.name for call in calls]
