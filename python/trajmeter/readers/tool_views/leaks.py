"""Finds parts of the solution that a call read, by the paths of its views."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.records import Leak

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import View

__all__ = ["leaks_of_views"]

_HINT = re.compile(r"\.patch|\.diff|/solution|/oracle")
"""Every leaked path contains one of these."""


def leaks_of_views(views: Iterable[View]) -> tuple[Leak, ...]:
    """Patches of the solution or its tests among the shown files, without repeats."""
    hinted = [view.path for view in views if _HINT.search(view.path)]
    if not hinted:
        return ()
    from trajmeter.readers.shell_views.leaks import leak_of_path  # not needed to recognise a format

    found = [(path, leak_of_path(path)) for path in dict.fromkeys(hinted)]
    return tuple(Leak(kind=kind, evidence=path) for path, kind in found if kind is not None)
