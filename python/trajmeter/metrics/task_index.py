"""Finds tasks by id or alias."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import chain, islice
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.records import Task

__all__ = ["TaskIndex"]

_COMPARED_IDS = 10_000
"""Number of ids among which to search for the nearest, at some 10 µs each."""
_NO_SOURCE = "one without a source"


class TaskIndex:
    """Finds a task by id or alias; ids take precedence.

    Args:
        tasks: All tasks, without repeats.

    Raises:
        ConfigurationError: Two different tasks have one id.
    """

    def __init__(self, tasks: Iterable[Task] = ()) -> None:
        self._by_id: dict[str, Task] = {}
        self._by_alias: dict[str, Task | None] = {}
        for task in tasks:
            first = self._by_id.setdefault(task.id, task)
            if first is not task and not _same(first, task):
                raise ConfigurationError(
                    f"two different tasks have the id {task.id!r}: "
                    f"{first.source or _NO_SOURCE} and {task.source or _NO_SOURCE}"
                )
            for alias in task.aliases:
                # An alias shared by two tasks could give one the other's reference.
                known = self._by_alias.setdefault(alias, task)
                if known is not None and known.id != task.id:
                    self._by_alias[alias] = None

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Task]:
        """Yield the tasks in their original order."""
        return iter(self._by_id.values())

    def find(self, task_id: str) -> Task | None:
        """Task of this id or alias; ``None`` if unknown, or if several share the alias."""
        return self._by_id.get(task_id) or self._by_alias.get(task_id)

    def nearest(self, task_id: str) -> str | None:
        """The most similar known id, if any is similar."""
        known = islice(chain(self._by_id, self._by_alias), _COMPARED_IDS)
        folded = {each.casefold(): each for each in known}
        close = get_close_matches(task_id.casefold(), folded, n=1)
        return folded[close[0]] if close else None


def _same(left: Task, right: Task) -> bool:
    return left.model_copy(update={"source": None}) == right.model_copy(update={"source": None})
