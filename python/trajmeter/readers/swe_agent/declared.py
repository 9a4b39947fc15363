"""Contexts that an agent declares in text: ``File:`` and ``Lines:`` one below the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.readers.contextbench.views import views_of

if TYPE_CHECKING:
    from trajmeter.readers.contextbench.views import NewView, Span

__all__ = ["declared_views", "path_in_repository"]

_LINES = re.compile(r"\s*([0-9]{1,18})\s*-\s*([0-9]{1,18})\s*\Z")


def declared_views(text: str) -> list[NewView]:
    """The views of a declared context; a file whose lines cannot be read counts without them."""
    spans: dict[str, list[Span]] = {}
    path: str | None = None
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if key == "File" and value.strip():
            path = path_in_repository(value.strip())
            spans.setdefault(path, [])
        elif key == "Lines" and path is not None:
            for part in value.split(","):
                if (lines := _LINES.match(part)) is not None:
                    spans[path].append({"start": int(lines[1]), "end": int(lines[2])})
    return views_of(spans, spans)


def path_in_repository(path: str) -> str:
    """A path without the folder of the container, or else without one leading slash."""
    if path.startswith("/testbed/"):
        return path.removeprefix("/testbed/")
    return path.removeprefix("/")
