"""Views from values that are known to be valid."""

from __future__ import annotations

from trajmeter.records import Extent, View
from trajmeter.records.record import default_fields, frozen

__all__ = ["made_view"]

_VIEW = default_fields(View, path="")
"""Every field of a view; making one costs a fifth of what validating it does."""


def made_view(
    path: str,
    extent: Extent = Extent.UNKNOWN,
    start: int | None = None,
    end: int | None = None,
    *,
    searched: bool = False,
) -> View:
    """A view of these fields; the others have their defaults."""
    fields = _VIEW.copy()
    fields["path"] = path
    fields["extent"] = extent
    fields["start"] = start
    fields["end"] = end
    fields["searched"] = searched
    return frozen(View, fields)
