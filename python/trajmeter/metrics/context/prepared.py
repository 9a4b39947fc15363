"""Prepared tasks: gold compiled once, to score many attempts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import check_type
from trajmeter.errors import InputError
from trajmeter.kernels import GoldLines, active
from trajmeter.metrics.context.attempts import CAUSE, NONE, TaskFacts
from trajmeter.metrics.context.files import RepositoryFiles
from trajmeter.metrics.context.lines import lines_size
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.profile import find_profile
from trajmeter.patches import whole_characters
from trajmeter.records import Cause, GoldRole, Task
from trajmeter.snapshots import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.kernels import ContextKernel, EditGoldKernel, Kernels, ResolvedPath
    from trajmeter.metrics.context.profile import ContextProfile

__all__ = ["PreparedTask", "prepare", "prepare_in"]

_INITIAL = GoldRole.INITIAL  # looking up an enum member is slow, and there are many ranges


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedTask:
    """A task with compiled gold, for scoring many attempts; created by :func:`prepare`."""

    task: Task
    """The task."""
    snapshot: Snapshot | None
    """The repository it was compiled for."""
    profile: ContextProfile
    """Profile to score with."""
    resolve: Callable[[str], ResolvedPath]
    """Finds the file that a path in a log refers to."""
    kernel: ContextKernel
    """Compiled gold, and the files that paths resolve to."""
    has_snapshot: bool
    """Whether the files come from a snapshot."""
    causes: Mapping[str, Cause | None]
    """Cause for not scoring a granularity of any attempt; ``None`` if it can be scored."""
    initial_gold: Mapping[str, Sequence[tuple[int, int]]]
    """First and last line of the initial gold ranges whose ends are both above 0, by path."""
    initial_gold_size: int
    """Number of lines in the initial gold ranges."""
    edits: EditGoldKernel
    """The lines that the gold patch edits, and the initial gold ranges."""
    unresolved_gold_paths: int | None
    """Number of gold paths that match no file of the snapshot; ``None`` without a snapshot."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Compile it again in the process that unpickles it, with the kernels of that process."""
        return partial(prepare, profile=self.profile.name), (self.task, self.snapshot)

    @property
    def has_gold(self) -> bool:
        """Whether gold was recorded, even if it is empty."""
        return self.task.gold_ranges is not None

    @cached_property
    def facts(self) -> bytes:
        """Facts of the task for scoring batches, packed; see :class:`TaskFacts`."""
        return _facts(self).packed()

    @cached_property
    def gold_patch_counts(self) -> tuple[int, int, int, int, int]:
        """``EDIT_COUNTS`` of the gold patch itself."""
        return self.edits.compare(whole_characters(self.task.gold_patch or ""))


def prepare(
    task: Task,
    snapshot: Snapshot | None,
    *,
    profile: str | None = None,
    kernels: Kernels | None = None,
) -> PreparedTask:
    """Compile a task's gold, to score any number of attempts against it.

    Args:
        task: The task, with its gold ranges and gold patch.
        snapshot: The repository that the attempts start from. Without one, files, lines and edit
            locations are compared by normalised paths; bytes and definitions are not scored.
        profile: ``"contextbench"`` to reproduce ContextBench, quirks included.
        kernels: Backend to compute with; by default that of this process.

    Raises:
        InputError: An argument has the wrong type.
        UnknownNameError: The profile is unknown.
    """
    check_type(task, Task, name="task")
    if snapshot is not None:
        check_type(snapshot, Snapshot, name="snapshot")
    if isinstance(kernels, str):
        raise InputError(f"kernels is {kernels!r}, expected trajmeter.kernels.load({kernels!r})")
    chosen = find_profile("context", profile, PROFILES)
    return prepare_in(RepositoryFiles(snapshot, task.repo, chosen, kernels or active()), task)


def prepare_in(files: RepositoryFiles, task: Task) -> PreparedTask:
    """Compile the gold of a task, whose repository may be shared with other tasks."""
    profile = files.profile
    gold = []
    initial: dict[str, list[tuple[int, int]]] = {}
    unresolved = set()
    lacks_definitions = False
    for written in task.gold_ranges or ():
        path, file = files.gold(written.path)
        lacks_definitions |= files.lacks_definitions(path)
        first, last = written.first_line, written.last_line
        if file.tables is None:
            unresolved.add(written.path)
        is_initial = written.role is _INITIAL
        gold.append(GoldLines(file, first, last, is_initial or not profile.lines_of_initial_gold))
        if is_initial and first > 0 and last > 0:
            initial.setdefault(path, []).append((first, last))
    return PreparedTask(
        task=task,
        snapshot=files.snapshot,
        profile=profile,
        resolve=files.resolve,
        kernel=files.kernels.context(files.kernel, gold),
        has_snapshot=files.has_snapshot,
        causes=_causes(task, files, lacks_definitions=lacks_definitions),
        initial_gold=initial,
        initial_gold_size=lines_size(initial.values()),
        edits=files.kernels.edit_gold(whole_characters(task.gold_patch or ""), initial),
        unresolved_gold_paths=len(unresolved) if files.has_snapshot else None,
    )


def _causes(
    task: Task, files: RepositoryFiles, *, lacks_definitions: bool
) -> dict[str, Cause | None]:
    """Find what each granularity lacks: gold first, then the part of the snapshot it needs."""
    missing = Cause.MISSING_GOLD if task.gold_ranges is None else None
    no_bytes = None if files.has_snapshot else Cause.MISSING_SNAPSHOT
    no_definitions = Cause.MISSING_DEFINITIONS if lacks_definitions else None
    return {
        "file": missing,
        "symbol": missing or no_bytes or no_definitions,
        "span": missing or no_bytes,
        "line": missing,
    }


def _facts(prepared: PreparedTask) -> TaskFacts:
    """Collect the facts of a task that the figures of its attempts depend on."""
    profile, gold_patch = prepared.profile, prepared.task.gold_patch
    void = None if prepared.has_snapshot else Cause.MISSING_SNAPSHOT
    if not prepared.has_gold:
        void = Cause.MISSING_GOLD
    stands_in = profile.gold_patch_stands_in and gold_patch
    *_, deleted, hits = prepared.gold_patch_counts if stands_in else (NONE, NONE)
    unresolved = prepared.unresolved_gold_paths
    file, symbol, span, line = map(_code, prepared.causes.values())
    return TaskFacts(
        file=file,
        symbol=symbol,
        span=span,
        line=line,
        void=_code(void),
        has_initial_lines=bool(prepared.initial_gold),
        initial_gold_size=prepared.initial_gold_size,
        unresolved_gold_paths=NONE if unresolved is None else unresolved,
        has_gold=prepared.has_gold,
        has_gold_patch=gold_patch is not None,
        gold_edits=prepared.edits.size,
        stand_in_deleted=deleted,
        stand_in_hits=hits,
    )


def _code(cause: Cause | None) -> int:
    return NONE if cause is None else CAUSE[cause]
