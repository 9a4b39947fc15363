"""The interface between the context metrics and the kernels that score batches of attempts.

Views, steps and attempts are columns. The caller encodes texts as numbers from 0, and passes each
text once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from trajmeter.kernels._context import GRANULARITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajmeter.kernels._arrays import BoolArray, Float64Array, Int64Array
    from trajmeter.kernels._context import ContextFile

__all__ = [
    "CONTEXT_COUNTS",
    "EDIT_COUNTS",
    "EXTENTS",
    "ContextBatchArrays",
    "EditGoldKernel",
    "FileListing",
    "PathSearch",
    "Texts",
    "ViewArrays",
]

EXTENTS = ("lines", "bytes", "whole", "unknown")
"""What the numbers of a view count, in the order of their codes."""

_SIZES = ("intersection", "gold", "predicted", "covered_sum", "viewed", "union")

CONTEXT_COUNTS = (
    "num_steps",
    "has_final_context",
    "views",
    "unresolved_paths",
    "empty_ranges",
    "leaked_views",
    *(f"{granularity}.{size}" for granularity in GRANULARITIES for size in _SIZES),
)
"""The numbers computed for an attempt in a batch, named like the fields of ``ContextSizes``."""

EDIT_COUNTS = ("is_diff", "edited", "shared", "deleted", "hits")
"""The numbers of a patch: whether it is a diff, the lines that it edits and those of them that the
gold patch edits too, the lines that it deletes and those of them that lie in initial gold."""

PathSearch: TypeAlias = Literal["careful", "any_left", "unlisted"]
"""How the file of a path is searched for.

- ``careful``: by the rules of :mod:`trajmeter.metrics.context.paths`;
- ``any_left``: as ContextBench does, down to the bare name;
- ``unlisted``: without a snapshot, what follows the root of a container.
"""


@dataclass(frozen=True, slots=True, eq=False)
class FileListing:
    """What a backend needs to resolve paths without calling back."""

    search: PathSearch
    """How a file is searched for."""
    repo: str | None
    """Name of the repository, as written in the task."""
    names: Iterable[str]
    """Paths of all files of the snapshot."""
    file: Callable[[str], ContextFile]
    """Returns the file at a path that was found."""


class Texts(NamedTuple):
    """Concatenated texts in UTF-8."""

    buffer: bytes
    """All texts."""
    offsets: Int64Array
    """Text i is ``buffer[offsets[i] : offsets[i + 1]]``."""


class ViewArrays(NamedTuple):
    """Views, with a column for each property."""

    path: Int64Array
    """Code of each view's path."""
    extent: Int64Array
    """Index in :data:`EXTENTS` of what each view's numbers count."""
    start: Int64Array
    """First line or byte of each view that has one."""
    end: Int64Array
    """Last line, or the byte after the last, of each view that has one."""
    has_start: BoolArray
    """Whether each view has a start."""
    has_end: BoolArray
    """Whether each view has an end."""
    listed: BoolArray
    """Whether the log lists the file of each view as seen."""
    symbol: Int64Array
    """Codes of the names requested by views, view by view."""
    symbol_offsets: Int64Array
    """View i requests the names ``[symbol_offsets[i], symbol_offsets[i + 1])``."""


class ContextBatchArrays(NamedTuple):
    """What was measured of many attempts."""

    counts: Int64Array
    """The :data:`CONTEXT_COUNTS` of each attempt, attempt by attempt."""
    coverage: Float64Array
    """Share of gold seen after each step, step by step, at each granularity; NaN without gold."""
    offsets: Int64Array
    """Offsets of the attempts in the steps of ``coverage``, from 0."""


class EditGoldKernel(Protocol):
    """The gold with which the patches of attempts at a task are compared."""

    @property
    def size(self) -> int:
        """Number of lines that the gold patch edits."""

    def compare(self, patch: str) -> tuple[int, int, int, int, int]:
        """The :data:`EDIT_COUNTS` of a patch."""
