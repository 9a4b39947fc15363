"""A small repository, with tasks and attempts."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.records import Extent, GoldRange, GoldRole, Task, Trajectory, Turn, View
from trajmeter.snapshots import Definitions, FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Definition = tuple[str, int, int, "str | None"]


def file(content: str, definitions: Sequence[Definition] | None = ()) -> FileSnapshot:
    """Return a file with this text and the definitions ``(kind, start, end, name)``."""
    raw = content.encode()
    starts = [0, *accumulate(len(line) + 1 for line in raw.split(b"\n")[:-1])]
    columns = None
    if definitions is not None:
        columns = Definitions(
            kind=tuple(kind for kind, _, _, _ in definitions),
            start=np.array([start for _, start, _, _ in definitions], np.int64),
            end=np.array([end for _, _, end, _ in definitions], np.int64),
            name=tuple(name for _, _, _, name in definitions),
        )
    return FileSnapshot(len(raw), np.array(starts, np.int64), columns)


def ten_lines(definitions: Sequence[Definition] | None = ()) -> FileSnapshot:
    """Ten lines of ten bytes each: line n is bytes [10n - 10, 10n)."""
    return file("123456789\n" * 10, definitions)


def snapshot(files: dict[str, FileSnapshot] | Iterable[str]) -> Snapshot:
    """Return a snapshot of these files, or of files of ten lines at these paths."""
    if not isinstance(files, dict):
        files = {path: ten_lines() for path in files}
    return Snapshot("acme/widget", "c0ffee", files)


def gold(path: str, first: int, last: int, role: GoldRole = GoldRole.INITIAL) -> GoldRange:
    return GoldRange(path=path, first_line=first, last_line=last, role=role)


def task(*ranges: GoldRange, patch: str | None = None) -> Task:
    return Task(id="t", repo="acme/widget", gold_ranges=ranges, gold_patch=patch)


def lines(path: str, first: int, last: int) -> View:
    return View(path=path, extent=Extent.LINES, start=first, end=last)


def seen(path: str) -> View:
    return View(path=path)


def attempt(
    *steps: Sequence[View] | None,
    final: Sequence[View] | None = None,
    patch: str | None = None,
) -> Trajectory:
    """Return an attempt whose turns have these views; ``None`` for a turn without views."""
    return Trajectory(
        task_id="t",
        turns=tuple(Turn(views=None if step is None else tuple(step)) for step in steps),
        final_views=None if final is None else tuple(final),
        final_patch=patch,
    )
