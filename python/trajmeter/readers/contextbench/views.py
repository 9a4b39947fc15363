"""Views from a context in ContextBench's form: files, spans by file, names by file.

The views are in this order:

1. a view of ``unknown`` extent for each of the files, in order;
2. a view of ``lines`` for each span, file by file, in order;
3. a view of ``unknown`` extent with names, for each file that has any.

A view of the second or third kind whose path is not among the files is not ``listed``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from trajmeter.records import Extent, View
from trajmeter.records.record import LARGEST_COUNT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["Files", "NewView", "Span", "Spans", "Symbols", "bounded", "merged_spans", "views_of"]

_Line: TypeAlias = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]


class Span(TypedDict):
    """Lines of a file, inclusive; other keys are ignored."""

    start: _Line
    end: _Line


Files: TypeAlias = list[str] | None
Spans: TypeAlias = dict[str, list[Span] | None] | None
Symbols: TypeAlias = dict[str, list[str] | None] | None
NewView: TypeAlias = View | dict[str, Any]


def views_of(
    files: Collection[str] | None,
    spans: Mapping[str, Collection[Span] | None] | None,
    symbols: Mapping[str, Collection[str] | None] | None = None,
) -> list[NewView]:
    """The views of a step or of a final context, not yet validated."""
    listed = frozenset(files or ())
    views: list[NewView] = [_named(path) for path in files or ()]
    for path, found in (spans or {}).items():
        is_listed = path in listed
        views += [
            {
                "path": path,
                "extent": Extent.LINES,
                "start": span["start"],
                "end": span["end"],
                "listed": is_listed,
            }
            for span in found or ()
        ]
    for path, names in (symbols or {}).items():
        if names:
            views.append({"path": path, "symbols": names, "listed": path in listed})
    return views


def bounded(line: Any) -> Any:  # noqa: ANN401 - any JSON
    """A line number within 64 bits, which may be written as text; anything else unchanged."""
    try:
        number = int(line)
    except (OverflowError, TypeError, ValueError):
        return line
    within = max(-LARGEST_COUNT, min(number, LARGEST_COUNT))
    return line if within == number else within


def merged_spans(ranges: Iterable[Sequence[int]]) -> list[Span]:
    """Sort line ranges, each a first and a last line, and merge those that overlap or touch."""
    merged: list[Span] = []
    for first, last in sorted(map(tuple, ranges)):
        if merged and first <= merged[-1]["end"] + 1:
            merged[-1]["end"] = max(merged[-1]["end"], last)
        else:
            merged.append({"start": first, "end": last})
    return merged


# Agents name the same files again and again, and a view does not change.
@lru_cache(maxsize=4096)
def _named(path: str) -> View:
    return View(path=path)
