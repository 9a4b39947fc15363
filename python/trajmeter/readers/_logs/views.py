"""Views from values that are known to be valid."""

from __future__ import annotations

from trajmeter.records import Extent, View
from trajmeter.records.record import frozen

__all__ = ["made_view"]


def made_view(
    path: str,
    extent: Extent = Extent.UNKNOWN,
    start: int | None = None,
    end: int | None = None,
    *,
    searched: bool = False,
) -> View:
    """A view of these fields, which costs a fifth of what validating it does."""
    values = {
        "path": path,
        "extent": extent,
        "start": start,
        "end": end,
        "symbols": (),
        "listed": True,
        "searched": searched,
    }
    return frozen(View, values)
