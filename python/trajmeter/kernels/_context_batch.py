"""What passes between the context metrics and the kernels that score batches of attempts.

Views, steps and attempts are columns. Texts are coded by who fills the columns, from 0, and handed
over once.
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
"""What the numbers of a view can count, in the order of their codes."""

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
"""The numbers of an attempt in a batch, named as the fields of ``ContextSizes`` are."""

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
    """What a backend has to know to find the files of paths by itself."""

    search: PathSearch
    """How a file is searched for."""
    repo: str | None
    """Name of the repository, as the task writes it."""
    names: Iterable[str]
    """Paths of all files of the snapshot."""
    file: Callable[[str], ContextFile]
    """Gives the file at a path that was found."""


class Texts(NamedTuple):
    """Texts as UTF-8, one after another."""

    buffer: bytes
    """All of them."""
    offsets: Int64Array
    """Text i is ``buffer[offsets[i] : offsets[i + 1]]``."""


class ViewArrays(NamedTuple):
    """Views, a column for each of their properties."""

    path: Int64Array
    """Code of each view's path."""
    extent: Int64Array
    """Place in :data:`EXTENTS` of what each view's numbers count."""
    start: Int64Array
    """First line or byte of each view that has one."""
    end: Int64Array
    """Last line, or the byte after the last, of each view that has one."""
    has_start: BoolArray
    """Whether each view has a start."""
    has_end: BoolArray
    """Whether each view has an end."""
    listed: BoolArray
    """Whether the file of each view was listed as seen."""
    symbol: Int64Array
    """Codes of the names that views ask for, view by view."""
    symbol_offsets: Int64Array
    """View i asks for the names ``[symbol_offsets[i], symbol_offsets[i + 1])``."""


class ContextBatchArrays(NamedTuple):
    """What was measured of many attempts."""

    counts: Int64Array
    """The :data:`CONTEXT_COUNTS` of each attempt, attempt by attempt."""
    coverage: Float64Array
    """Share of gold seen after each step, step by step, at each granularity; NaN without gold."""
    offsets: Int64Array
    """Offsets of the attempts in the steps of ``coverage``, from 0."""


class EditGoldKernel(Protocol):
    """What the patches of attempts at a task are compared with."""

    @property
    def size(self) -> int:
        """Number of lines that the gold patch edits."""

    def compare(self, patch: str) -> tuple[int, int, int, int, int]:
        """The :data:`EDIT_COUNTS` of a patch."""
