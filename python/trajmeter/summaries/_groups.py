"""Groups of attempts: by agent and model, or by file if neither is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.metrics.scored_columns import GroupedRows

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from trajmeter.kernels import Coded, Int64Array
    from trajmeter.records import Trajectory

__all__ = ["ALL_ATTEMPTS", "GroupKey", "Groups"]


class GroupKey(NamedTuple):
    """Key of attempts that are counted together; all attempts if nothing is set."""

    agent: str | None = None
    model: str | None = None
    source: str | None = None
    instance: str | None = None


ALL_ATTEMPTS = GroupKey()


class Groups:
    """Numbered groups, in the order of first occurrence."""

    def __init__(self) -> None:
        self._numbers: dict[GroupKey, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def keys(self) -> list[GroupKey]:
        """The groups, in the order of their numbers."""
        return list(self._numbers)

    def number(self, keys: Iterable[GroupKey]) -> Int64Array:
        """Numbers of some groups; unknown ones get new numbers."""
        known = self._numbers
        return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)

    def of_record(self, trajectory: Trajectory) -> int:
        """Number of the group of a record."""
        return self._numbers.setdefault(_key(trajectory), len(self._numbers))

    def of_batch(self, rows: pa.RecordBatch) -> GroupedRows:
        """Groups of rows in the columns of :func:`trajmeter.schemas.trajectory_schema`."""
        from trajmeter.arrays import call_function, field, filled, numbers
        from trajmeter.arrays.text import coded

        agents, models, instances = (
            coded(rows.column(name)) for name in ("agent", "model", "instance")
        )
        files = coded(field(rows.column("source"), "file"))
        # A number for each combination; an attempt without agent and model is identified by its
        # file.
        named = (agents.codes >= 0) | (models.codes >= 0) | (files.codes < 0)
        combined = agents.codes + 1
        for each in (models, instances):
            combined = combined * (len(each.texts) + 1) + each.codes + 1
        of_row: Any = numbers(np.where(named, combined, -1 - files.codes))
        encoded = call_function("dictionary_encode", [of_row])
        codes = filled(encoded.indices, -1).astype(np.int64)
        first = np.empty(len(encoded.dictionary), np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        texts = zip(
            *(_texts(each, first) for each in (agents, models, files, instances)), strict=True
        )
        keys = [
            GroupKey(agent, model, None, instance) if is_named else GroupKey(source=file)
            for is_named, (agent, model, file, instance) in zip(
                named[first].tolist(), texts, strict=True
            )
        ]
        return GroupedRows(codes, self.number(keys))


def _texts(column: Coded, rows: Int64Array) -> list[str | None]:
    """The texts of some rows."""
    texts = [*column.texts, None]  # -1 selects the last
    return [texts[code] for code in column.codes[rows].tolist()]


def _key(trajectory: Trajectory) -> GroupKey:
    if trajectory.agent is None and trajectory.model is None and trajectory.source is not None:
        return GroupKey(source=trajectory.source.file)
    return GroupKey(trajectory.agent, trajectory.model, instance=trajectory.instance)
