"""Converts recordings to trajectories, with one turn per typed command or per marker.

Typed commands are known only if input was recorded; otherwise there are no turns. terminal-bench
sets a marker at the start of each reply of its agent; everything typed up to the next marker is
then one turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.replies import Call, Reply, leaks_of, turns_of
from trajmeter.readers._logs.sessions import first_objects, known_only, stem_of
from trajmeter.readers._logs.shown import Viewer
from trajmeter.readers._logs.values import as_text, seconds_between
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.asciinema.recording import is_header, read_header, recorded
from trajmeter.readers.asciinema.screen import command_of, plain_text
from trajmeter.records import ReadProblem, Source, Trajectory
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["CASTS", "replies_of"]

_INPUT, _OUTPUT, _MARKER = "i", "o", "m"
_ENTER = ("\r", "\n")
_TOOL = "terminal"


def _recognises(_: Path, head: bytes) -> Evidence | None:
    first: dict[str, Any] = next(first_objects(head), {})
    return Evidence.CERTAIN if is_header(first) else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the recording of a file."""
    try:
        header = read_header(path)
    except OSError as error:
        report(problem_with(path, error))
        return
    replies, seconds = replies_of(path, report)
    yield Trajectory(
        task_id=stem_of(path),
        source=Source(file=str(path)),
        turns=None if replies is None else turns_of(replies),
        leaks=None if replies is None else leaks_of(replies),
        duration_seconds=seconds,
        metadata=known_only(
            title=as_text(header.get("title")),
            command=as_text(header.get("command")),
            started_at=finite(header.get("timestamp")),
        ),
    )


def replies_of(
    path: Path, report: Callable[[ReadProblem], None]
) -> tuple[list[Reply] | None, float | None]:
    """Extract the typed commands of a recording, and its duration.

    Returns:
        One reply per turn, or ``None`` if no input was recorded; and the duration in seconds,
        ``None`` without events.
    """
    session = _Session()
    for event in recorded(path, report):
        session.last = event.time
        if event.code == _MARKER:
            session.mark(event.data)
        elif event.code == _INPUT:
            session.type(event.data, event.time)
        elif event.code == _OUTPUT:
            session.print(event.data, event.time)
    session.finish()
    return session.replies if session.has_input else None, session.last


class _Session:
    """The input and output so far."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.has_input = False
        self.last: float | None = None
        self._is_marked = False
        self._viewer = Viewer()
        self._typed: list[str] = []
        self._echoed: list[str] = []
        self._printed: list[str] = []
        self._running: Call | None = None
        self._asked = 0.0
        self._ended = 0.0

    def mark(self, label: str) -> None:
        """Start a turn at a marker."""
        self._settle()
        self._is_marked = True
        self.replies.append(Reply(extra={"marker": label}))

    def type(self, keys: str, now: float) -> None:
        """Add typed keys; text up to the last Enter runs as one command, even if several lines."""
        self.has_input = True
        if not self._typed:
            self._settle()
            self._echoed = []
        ended = max(keys.rfind(key) for key in _ENTER) + 1
        if not ended:
            self._typed.append(keys)
            return
        self._settle()
        typed = "".join([*self._typed, keys[:ended]])
        self._typed = [keys[ended:]] if keys[ended:] else []
        self._running = Call(_TOOL, {"keystrokes": typed})
        self._running.command = command_of(typed.replace("\r", "\n"))
        if not self._is_marked:
            self.replies.append(Reply())
        self.replies[-1].calls.append(self._running)
        self._printed, self._asked, self._ended = [], now, now

    def print(self, text: str, now: float) -> None:
        """Add output of the terminal."""
        (self._echoed if self._typed else self._printed).append(text)
        self._ended = now

    def finish(self) -> None:
        """End the recording."""
        self._settle()

    def _settle(self) -> None:
        """Record the output as the result of the command that was running."""
        call = self._running
        if call is None:
            return
        self._running = None
        # The output begins with the echoed line, and ends with the next prompt.
        text = plain_text("".join(self._printed))
        echo, newline, rest = text.partition("\n")
        typed = plain_text("".join([*self._echoed, echo]))
        if newline and (not echo or (call.command and typed.endswith(call.command))):
            text = rest
        call.result = text
        call.duration_seconds = seconds_between(self._asked, self._ended)
        shown, newline, _ = text.rpartition("\n")
        if call.command is not None:
            # The terminal shows a separate prompt for each of several lines.
            is_one = "\n" not in call.command
            self._viewer.look(call, shown + newline if is_one else None, is_kept=True)


CASTS = FileFormat(
    name="asciinema-casts",
    description="recordings of asciinema",
    makes=Trajectory,
    carries=(
        "turns.number",
        "turns.program",
        "turns.tool_calls",
        "turns.views",
        "turns.extra",
        "leaks",
        "duration_seconds",
        "metadata",
    ),
    origin="asciinema, asciicast versions 1 to 3",
    recognises=_recognises,
    records=_read,
)
