"""Turns of attempts, found by the identity of their rows, with views compared to gold."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.reports.page.attempts import DetailBlock
from trajmeter.reports.results.gold import Gold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trajmeter.metrics import TaskIndex
    from trajmeter.records import Trajectory
    from trajmeter.reports.page.attempts import Detail
    from trajmeter.reports.trajectory.sections import Block, Section
    from trajmeter.snapshots import SnapshotStore

__all__ = ["Turns", "read_turns"]

_LINES, _CHARACTERS = 40, 3_000
"""Maximum number of lines and characters shown of a turn's text."""
_KEY = ("task_id", "agent", "model", "attempt")
_FIELDS = tuple(field.name for field in fields(DetailBlock))


class _Held(NamedTuple):
    """The turns of one attempt."""

    source: str | None
    """File and line or record."""
    packed: bytes
    """Its blocks as JSON, compressed because those of a large run would not fit in memory."""


class Turns:
    """Turns of attempts."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._held: dict[tuple[str | None, ...], list[_Held]] = {}
        self.found = 0
        """Number of attempts whose turns were found."""
        self.missed = 0
        """Number of attempts without turns, or with several indistinguishable trajectories."""

    def add(self, trajectory: Trajectory, blocks: Iterable[DetailBlock]) -> None:
        """Store the turns of an attempt."""
        key = tuple(getattr(trajectory, name) for name in _KEY)
        source = None if trajectory.source is None else str(trajectory.source)
        values = [[getattr(block, name) for name in _FIELDS] for block in blocks]
        packed = zlib.compress(json.dumps(values).encode())
        self._held.setdefault(key, []).append(_Held(source, packed))

    def of(self, identity: Mapping[str, str | None]) -> Detail:
        """Turns of the attempt with this identity; without any, a block that says so."""
        held = self._held.get(tuple(identity.get(name) for name in _KEY), [])
        source = identity.get("source")
        same = [each for each in held if each.source == source]
        chosen = (same or held) if len(same or held) == 1 else []
        if not chosen:
            self.missed += 1
            why = "several trajectories have its names" if held else "no trajectory has its names"
            if not held and self._limit is not None:
                why = (
                    f"not among the first {self._limit:,}; trajmeter report --trajectories has all"
                )
            return (DetailBlock("turns", facts=(("not shown", why),)),)
        self.found += 1
        return tuple(map(_block, json.loads(zlib.decompress(chosen[0].packed))))


def read_turns(
    trajectories: Iterable[Trajectory],
    tasks: TaskIndex | None = None,
    *,
    snapshots: SnapshotStore | None = None,
    limit: int | None = None,
) -> Turns:
    """Read the turns of trajectories.

    Args:
        trajectories: The trajectories.
        tasks: Tasks with the gold to compare views with.
        snapshots: Their repositories, for gold in definitions and bytes.
        limit: Maximum number to read.
    """
    from itertools import islice

    turns = Turns(limit)
    gold = None if tasks is None else Gold(tasks, snapshots)
    for trajectory in islice(trajectories, limit):
        turns.add(trajectory, _blocks(trajectory, gold))
    return turns


def _blocks(trajectory: Trajectory, gold: Gold | None) -> Iterator[DetailBlock]:
    from trajmeter.reports.trajectory import Surroundings, sections

    task = None if gold is None else gold.task(trajectory)
    of_task = None if gold is None or task is None else gold.of(task)
    tracker = None if of_task is None else of_task.tracker()
    head, *others = sections(trajectory, Surroundings(task=task, tracker=tracker))
    yield from _section(head, "run")
    found = None if of_task is None else of_task.found(trajectory)
    if found is not None:
        yield found
    for section in others:
        yield from _section(section, section.title)


def _section(section: Section, title: str) -> Iterator[DetailBlock]:
    """Blocks of a section: its facts, then its blocks, short ones as rows and long ones folded."""
    rows = tuple(
        (each.kind.value, each.label) for each in section.blocks if each.label and not each.lines
    )
    facts = (("", " · ".join(section.facts)),) if section.facts else ()
    if facts or rows or not section.blocks:
        header = ("", "") if rows else ()
        yield DetailBlock(title, facts, header, rows)
        title = ""
    for block in section.blocks:
        if block.lines:
            label = block.label or block.kind.value
            heading = f"{title}: {label}" if title else label
            title = ""
            yield DetailBlock(heading, text=_text(block), folded=len(block.lines) > 1)


def _text(block: Block) -> str:
    """Lines of a block, numbered if from a file; omitted lines are counted."""
    first = block.first_line
    lines: Sequence[str] = block.lines[:_LINES]
    if first is not None:
        lines = [f"{number}  {line}" for number, line in enumerate(lines, first)]
    text = "\n".join(lines)
    omitted = len(block.lines) - len(lines)
    if len(text) > _CHARACTERS:
        return f"{text[:_CHARACTERS]}… (trajmeter view shows all)"
    return f"{text}\n… {omitted:,} more lines (trajmeter view shows all)" if omitted else text


def _block(values: Sequence[object]) -> DetailBlock:
    def tuples(value: object) -> object:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return DetailBlock(*map(tuples, values))  # type: ignore[arg-type]  # as they were packed
