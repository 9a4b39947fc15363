"""A task made ready to score attempts against: its gold, compiled once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import check_type
from trajmeter.errors import InputError
from trajmeter.kernels import GoldLines, active
from trajmeter.metrics.context.files import TaskFiles
from trajmeter.metrics.context.lines import lines_size
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.profile import find_profile
from trajmeter.patches import edited_lines
from trajmeter.records import Cause, GoldRole, Task
from trajmeter.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from trajmeter.kernels import ContextKernel, Kernels, ResolvedPath
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.patches import EditedLines

__all__ = ["PreparedTask", "edited_pairs", "prepare"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedTask:
    """A task whose gold is compiled; make one with :func:`prepare`, and score many attempts."""

    task: Task
    """The task."""
    snapshot: Snapshot | None
    """The repository it was compiled for."""
    profile: ContextProfile
    """How it is scored."""
    resolve: Callable[[str], ResolvedPath]
    """Finds the file that a path of a log means."""
    kernel: ContextKernel
    """The gold, and the files that paths were found to mean."""
    has_snapshot: bool
    """Whether the files are those of a snapshot."""
    causes: Mapping[str, Cause | None]
    """Why a granularity cannot be scored, whatever an attempt did; ``None`` for one that can."""
    initial_gold: Mapping[str, Sequence[tuple[int, int]]]
    """First and last line of the initial gold ranges whose ends are both above 0, by path."""
    initial_gold_size: int
    """Number of lines in the initial gold ranges."""
    unresolved_gold_paths: int | None
    """Number of paths of gold that lead to no file of the snapshot; ``None`` without one."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Compile it again where it arrives, with the kernels of that process."""
        return partial(prepare, profile=self.profile.name), (self.task, self.snapshot)

    @property
    def has_gold(self) -> bool:
        """Whether gold was recorded, even if it is empty."""
        return self.task.gold_ranges is not None

    @cached_property
    def gold_edits(self) -> frozenset[tuple[str, int]]:
        """Path and line of each line that the gold patch edits."""
        return frozenset(edited_pairs(edited_lines(self.task.gold_patch or "")))


def prepare(
    task: Task,
    snapshot: Snapshot | None,
    *,
    profile: str | None = None,
    kernels: Kernels | None = None,
) -> PreparedTask:
    """Compile a task's gold, so that any number of attempts can be scored against it.

    Args:
        task: The task, with its gold ranges and gold patch.
        snapshot: The repository that the attempts start from. Without one, files, lines and edit
            locations are compared by normalised paths, and bytes and definitions are not scored.
        profile: ``"contextbench"`` to reproduce ContextBench, quirks included.
        kernels: Backend that computes; by default the one of this process.

    Raises:
        InputError: An argument is of the wrong type.
        UnknownNameError: The profile is unknown.
    """
    check_type(task, Task, name="task")
    if snapshot is not None:
        check_type(snapshot, Snapshot, name="snapshot")
    if isinstance(kernels, str):
        raise InputError(f"kernels is {kernels!r}, expected trajmeter.kernels.load({kernels!r})")
    chosen = find_profile("context", profile, PROFILES)
    files = TaskFiles(task, snapshot, chosen)
    gold = []
    initial: dict[str, list[tuple[int, int]]] = {}
    for written in task.gold_ranges or ():
        path, file = files.gold(written.path)
        is_initial = written.role is GoldRole.INITIAL
        in_lines = is_initial or not chosen.lines_of_initial_gold
        gold.append(GoldLines(file, written.first_line, written.last_line, in_lines=in_lines))
        if is_initial and written.first_line > 0 and written.last_line > 0:
            initial.setdefault(path, []).append((written.first_line, written.last_line))
    return PreparedTask(
        task=task,
        snapshot=snapshot,
        profile=chosen,
        resolve=files.resolve,
        kernel=(kernels or active()).context(files.resolve, gold, chosen.rules),
        has_snapshot=files.has_snapshot,
        causes=_causes(task, files),
        initial_gold=initial,
        initial_gold_size=lines_size(initial.values()),
        unresolved_gold_paths=None if snapshot is None else len(files.unresolved_gold),
    )


def _causes(task: Task, files: TaskFiles) -> dict[str, Cause | None]:
    """What is missing for each granularity: gold, then the part of the snapshot it needs."""
    missing = Cause.MISSING_GOLD if task.gold_ranges is None else None
    no_bytes = None if files.has_snapshot else Cause.MISSING_SNAPSHOT
    no_definitions = Cause.MISSING_DEFINITIONS if files.lacks_definitions else None
    return {
        "file": missing,
        "symbol": missing or no_bytes or no_definitions,
        "span": missing or no_bytes,
        "line": missing,
    }


def edited_pairs(edits: EditedLines) -> Iterator[tuple[str, int]]:
    """Path and line of each edited line."""
    for path, lines in edits.lines.items():
        for line in lines:
            yield path, line
