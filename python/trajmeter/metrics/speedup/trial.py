"""Trials: attempts at one task that are compared with one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.metrics.speedup.failures import BASELINE_AGENT, ORACLE_AGENT
from trajmeter.records.measurements import agent_key, is_same_agent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.records import Task, Trajectory

__all__ = ["Trial", "trials_of"]


@dataclass(frozen=True, slots=True)
class Trial:
    """Attempts at one task, with the attempts they are compared with."""

    task: Task | None
    """The task, if known."""
    attempts: tuple[Trajectory, ...]
    """Attempts to score, in configured order."""
    everyone: tuple[Trajectory, ...]
    """The attempts, followed by a baseline and oracle that ran once for several trials."""

    @property
    def keys(self) -> list[str]:
        """``agent:model`` of everyone."""
        return [agent_key(attempt.agent, attempt.model) for attempt in self.everyone]

    @property
    def is_alone(self) -> bool:
        """Whether this is a run of a single agent, whose figures were never merged."""
        return len(self.attempts) == 1 and self.attempts[0].trial is not None

    def twins(self, position: int) -> int:
        """Number of other attempts with the same key as the attempt at a position."""
        keys = self.keys
        return sum(is_same_agent(keys[position], key) for key in keys) - 1


def trials_of(
    task: Task | None, attempts: Sequence[Trajectory]
) -> Iterator[tuple[list[int], Trial]]:
    """Split the attempts at a task into trials, each with the positions of its attempts.

    Agents that ran side by side record their trial; other attempts form one trial per repetition. A
    baseline or oracle that was not repeated belongs to every repetition.
    """
    groups: dict[tuple[str | None, str | None], list[int]] = {}
    for position, attempt in enumerate(attempts):
        side_by_side = attempt.trial is not None
        repetition = None if side_by_side else attempt.attempt
        groups.setdefault((attempt.trial, repetition), []).append(position)
    common = [attempts[position] for position in groups.get((None, None), [])]
    for (name, repetition), positions in groups.items():
        members = tuple(attempts[position] for position in positions)
        everyone = members
        if name is None and repetition is not None:
            present = {attempt.agent for attempt in members}
            missing = {BASELINE_AGENT, ORACLE_AGENT} - present
            everyone += tuple(attempt for attempt in common if attempt.agent in missing)
        yield positions, Trial(task, members, everyone)
