"""Selects the files of a repository that scoring needs: those that gold and views may refer to."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.context.columns import viewed_columns
from trajmeter.metrics.context.paths import gold_as_written, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pyarrow as pa

    from trajmeter.records import Task

__all__ = ["VIEW_COLUMNS", "ViewedPaths", "needed"]

VIEW_COLUMNS = frozenset({"turns.views", "final_views"})
"""Columns of trajectories that contain views."""


class ViewedPaths:
    """Collects the paths that trajectories viewed, as recorded, by task."""

    def __init__(self) -> None:
        self._by_task: dict[str, set[str]] = {}

    def add(self, rows: pa.RecordBatch) -> None:
        """Add the viewed paths of trajectories.

        Args:
            rows: Valid rows with :data:`VIEW_COLUMNS` filled.
        """
        viewed = viewed_columns(rows)
        of_steps = np.diff(viewed.step_offsets[viewed.row_offsets])
        of_final = np.diff(viewed.final_offsets)
        row = np.concatenate(
            [np.repeat(np.arange(len(rows)), each) for each in (of_steps, of_final)]
        )
        text, bounds = viewed.paths.buffer, viewed.paths.offsets.tolist()
        paths = [bytes(text[start:end]).decode() for start, end in pairwise(bounds)]
        tasks = rows.column("task_id").to_pylist()
        for at, code in np.unique(np.stack([row, viewed.views.path]), axis=1).T.tolist():
            self._by_task.setdefault(tasks[at], set()).add(paths[code])

    def of(self, tasks: Iterable[Task] | None) -> set[str]:
        """Return the paths that attempts at the given tasks viewed, and the paths of their gold.

        Args:
            tasks: The tasks; ``None`` returns the viewed paths of all trajectories, without gold.
        """
        if tasks is None:
            return set().union(*self._by_task.values())
        paths: set[str] = set()
        for task in tasks:
            paths.update(gold.path for gold in task.gold_ranges or ())
            paths.update(*(self._by_task.get(name, ()) for name in (task.id, *task.aliases)))
        return paths


def needed(paths: Iterable[str], files: Collection[str]) -> set[str]:
    """Return the files that suffice to resolve each path as all files would.

    These are all files that a path may refer to when its leading folders are dropped. A bare name
    refers to the file at the root only if no other file has that name, so one of those is kept too.

    Args:
        paths: Paths of views and gold, as recorded.
        files: Paths of all files, relative to the root.
    """
    below: dict[str, str] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        if folder:
            below.setdefault(name, file)
    kept: set[str] = set()
    for path in paths:
        parts = parse(path).parts
        kept.update((path, gold_as_written(path)))
        kept.update("/".join(parts[dropped:]) for dropped in range(len(parts)))
        if parts and parts[-1] in below and parts[-1] in files:
            kept.add(below[parts[-1]])
    return kept.intersection(files)
