"""Tasks by every id they are known by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import Source, Task

__all__ = ["TaskIndex"]


class TaskIndex:
    """Finds a task by its id or by one of its aliases; an id goes before an alias.

    Args:
        tasks: Every task, each once.

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
                    f"two different tasks have the id {task.id!r}: {_place(first.source)} and "
                    f"{_place(task.source)}"
                )
            for alias in task.aliases:
                # An alias that two tasks share would give one the other's reference.
                known = self._by_alias.setdefault(alias, task)
                if known is not None and known.id != task.id:
                    self._by_alias[alias] = None

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, task_id: str) -> Task | None:
        """Task of this id or alias; ``None`` if there is none, or if several share the alias."""
        return self._by_id.get(task_id) or self._by_alias.get(task_id)


def _same(left: Task, right: Task) -> bool:
    return left.model_copy(update={"source": None}) == right.model_copy(update={"source": None})


def _place(source: Source | None) -> str:
    if source is None:
        return "one given without a source"
    return source.file if source.line is None else f"{source.file}:{source.line}"
