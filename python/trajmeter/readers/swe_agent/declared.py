"""Contexts that an agent declares in text: ``File:`` and ``Lines:`` one below the other.

ContextBench's modified SWE-agent also writes them to ``patch_context.txt``. The task is the folder
of that file if it is named like a task, else the file name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trajmeter.readers._files.content import content_name, open_content
from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.contextbench.views import views_of
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trajmeter.readers.contextbench.views import NewView, Span
    from trajmeter.records import ReadProblem

__all__ = ["PATCH_CONTEXT", "declared_views", "path_in_repository"]

_NAME = re.compile(r"[._-]?patch_context\.txt\Z")
_FIRST = re.compile(rb"\s*File:[^\n]+\n\s*Lines:")
_ANY = re.compile(rb"^[ \t]*File:", re.MULTILINE)

_LINES = re.compile(r"\s*([0-9]{1,18})\s*-\s*([0-9]{1,18})\s*\Z")


def declared_views(text: str) -> list[NewView]:
    """The views of a declared context; a file with unreadable lines counts without them."""
    spans: dict[str, list[Span]] = {}
    path: str | None = None
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if key == "File":
            path = path_in_repository(value.strip())
            if path:
                spans.setdefault(path, [])
        elif key == "Lines" and path:
            for part in value.split(","):
                if (lines := _LINES.match(part)) is not None:
                    spans[path].append({"start": int(lines[1]), "end": int(lines[2])})
    return views_of(spans, spans)


def path_in_repository(path: str) -> str:
    """A path without the container's folder, or else without one leading slash."""
    if path.startswith("/testbed/"):
        return path.removeprefix("/testbed/")
    return path.removeprefix("/")


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if path.is_dir():
        return None
    if _NAME.search(content_name(path)):
        return Evidence.CERTAIN if _ANY.search(head) else None
    return Evidence.LIKELY if _FIRST.match(head) else None


def _read(path: Path, _: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    with open_content(path) as file:
        text = file.read().decode(errors="replace")
    folder = path.parent.name
    yield made_trajectory(
        {
            "task_id": folder if "__" in folder else _NAME.sub("", content_name(path)) or folder,
            "agent": "swe-agent",
            "source": Source(file=str(path)),
            "final_views": declared_views(text),
        }
    )


PATCH_CONTEXT = FileFormat(
    name="swe-agent-patch-contexts",
    description="contexts that SWE-agent declared",
    makes=Trajectory,
    carries=("agent", "final_views"),
    origin="SWE-agent, as ContextBench runs it",
    recognises=_recognises,
    records=_read,
)
