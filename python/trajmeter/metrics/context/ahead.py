"""Reads the repository files that a batch needs, many at once, before its tasks are prepared."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from trajmeter.metrics.context.columns import viewed_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from trajmeter.kernels import Texts
    from trajmeter.metrics.context.tasks import PreparedTasks
    from trajmeter.records import Task

__all__ = ["FilesAhead"]

_TASKS = 128
"""Tasks to read ahead for: enough files to occupy several processes, few listings in memory."""


class FilesAhead:
    """Reads the files that attempts viewed before they are requested one by one.

    Args:
        kept: Prepares the tasks.
        tasks: Task of each row; ``None`` if it has none.
        rows: Rows with the views to score.
    """

    def __init__(
        self, prepared_tasks: PreparedTasks, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> None:
        self._kept = prepared_tasks
        self._viewed: dict[int, tuple[Task, set[str]]] = {}
        for task, paths in zip(tasks, _paths(rows), strict=True):
            if task is not None:
                self._viewed.setdefault(id(task), (task, set()))[1].update(paths)
        self._places = {of: place for place, of in enumerate(self._viewed)}

    def read(self, task: Task) -> None:
        """On the first task of each group of ``_TASKS``, read the files of the whole group."""
        place = self._places[id(task)]
        if place % _TASKS == 0:
            self._kept.read_ahead([*self._viewed.values()][place : place + _TASKS])


def _paths(rows: pa.RecordBatch) -> list[list[str]]:
    """The paths that each row views, as written."""
    viewed = viewed_columns(rows)
    texts = _texts(viewed.paths)
    codes = viewed.views.path.tolist()
    steps, finals = viewed.step_offsets[viewed.row_offsets].tolist(), viewed.final_offsets.tolist()
    return [
        [
            texts[code]
            for code in {
                *codes[steps[row] : steps[row + 1]],
                *codes[finals[row] : finals[row + 1]],
            }
        ]
        for row in range(len(rows))
    ]


def _texts(written: Texts) -> list[str]:
    bounds = written.offsets.tolist()
    return [written.buffer[begin:end].decode(errors="replace") for begin, end in pairwise(bounds)]
