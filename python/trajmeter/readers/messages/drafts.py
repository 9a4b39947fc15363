"""Draft turns, which become records once all their results have arrived."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from trajmeter.readers.tool_views import TOOL_VIEWS, exit_code_of
from trajmeter.readers.tool_views.names import may_run, runs_commands
from trajmeter.records import Failure, ToolCall, Turn
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.records import Leak, Usage, View

__all__ = ["Draft", "FailureTest", "Finished", "finished", "made_call", "made_turn"]

FailureTest: TypeAlias = Callable[[ToolCall], bool | None]
"""Whether a call with its result failed; ``None`` if unknown."""


class Draft:
    """A turn that may still receive calls and results."""

    agent: str | None = None
    model: str | None = None
    usage: Usage | None = None
    _queued = 0
    _waiting: dict[str | None, deque[dict[str, Any]]] | None = None

    def __init__(self, start: int, *, is_flat: bool = False) -> None:
        self.start = start
        """Position of its first message."""
        self.is_flat = is_flat
        """Whether later items of the model's answer belong to it."""
        self.texts: list[str] = []
        self.calls: list[dict[str, Any]] = []
        """Calls, each as its record's fields."""

    def waiting(self, name: str | None) -> dict[str, Any] | None:
        """The first call without a result, of this name if one exists."""
        if self._waiting is None:
            self._waiting = defaultdict(deque)
        for call in self.calls[self._queued :]:
            self._waiting[None].append(call)
            self._waiting[call["name"]].append(call)
        self._queued = len(self.calls)
        queue = self._waiting.get(name)
        while queue and queue[0]["result"] is not None:
            queue.popleft()
        return queue[0] if queue else None


class Finished(NamedTuple):
    """Turns that are complete."""

    turns: tuple[Turn, ...]
    """One turn for each draft."""
    leaks: tuple[Leak, ...] | None
    """Parts of the solution that calls read; ``None`` if no tool is known to read files."""


def finished(
    drafts: Iterable[Draft],
    *,
    views: ToolViews | None,
    failed: FailureTest | None = None,
    exit_codes: Mapping[str, int] = MappingProxyType({}),
) -> Finished:
    """Complete the turns of drafts.

    Args:
        drafts: Drafts of all turns of an attempt, in order.
        views: Determines what calls show; ``None`` to record no views.
        failed: Whether a call failed, for calls whose messages do not say.
        exit_codes: Exit codes of commands by call id.
    """
    drafts = [*drafts]
    has_results = any(call["result"] is not None for draft in drafts for call in draft.calls)
    watch = _Watch(views, exit_codes, has_results=has_results)
    turns = []
    for number, draft in enumerate(drafts, start=1):
        calls = tuple([made_call(values, failed, exit_codes) for values in draft.calls])
        program, seen = watch.watched(calls, number)
        text = "".join(draft.texts) or None
        turns.append(made_turn(calls, program, text, draft.agent, seen, draft.usage))
    if not watch.reads:
        return Finished(tuple(turns), None)
    if not watch.shows:  # turns that read files are still steps, which saw nothing
        for at in watch.reads:
            turns[at] = turns[at].model_copy(update={"views": ()})
    return Finished(tuple(turns), tuple(watch.leaks))


class _Watch:
    """Follows what calls show from turn to turn."""

    def __init__(
        self, views: ToolViews | None, exit_codes: Mapping[str, int], *, has_results: bool
    ) -> None:
        self._views = views
        self._exit_codes = exit_codes
        self._has_results = has_results
        self._folder: str | None = None
        self.reads: list[int] = []
        """Positions of turns that called tools known to read files."""
        self.shows = False
        """Whether any of them showed something."""
        self.leaks: list[Leak] = []

    def watched(
        self, calls: tuple[ToolCall, ...], number: int
    ) -> tuple[str | None, tuple[View, ...] | None]:
        """The programs that the calls of a turn ran, and their views."""
        programs: list[str] = []
        seen: list[View] = []
        reads = False
        views, codes = self._views, self._exit_codes
        for call in calls:
            if may_run(call.name):
                program = TOOL_VIEWS.program_of(call)
                if program is not None:
                    programs.append(program)
            if views is None:
                continue
            if call.result is None and (self._has_results or call.arguments is None):
                continue  # an unanswered call showed nothing, or it is unknown what
            code = codes.get(call.id) if codes and call.id is not None else None
            shown = views.views_of(call, folder=self._folder, exit_code=code)
            if shown is not None:
                reads = True
                seen += shown.views
                self._folder = shown.folder
                if shown.leaks:
                    at = {"turn": number}
                    self.leaks += [leak.model_copy(update=at) for leak in shown.leaks]
        if reads:
            self.reads.append(number - 1)
            self.shows = self.shows or bool(seen)
        return "\n".join(programs) if programs else None, tuple(seen) or None


def made_call(
    values: dict[str, Any],
    failed: FailureTest | None = None,
    exit_codes: Mapping[str, int] = MappingProxyType({}),
) -> ToolCall:
    """Make a call from these fields, with its success if known."""
    result = values["result"]
    if values["success"] is not False and type(result) is str and runs_commands(values["name"]):
        code = exit_codes.get(values["id"])
        if code is None:
            code = exit_code_of(result)
        if code is not None:
            values["success"] = code == 0
            values["error"] = f"exit code {code}" if code else None
    call = frozen(ToolCall, values)
    if failed is None or call.success is not None or result is None:
        return call
    verdict = failed(call)
    if verdict is None:
        return call
    error = (
        (result if isinstance(result, str) and result else "the call failed") if verdict else None
    )
    return frozen(ToolCall, {**values, "success": not verdict, "error": error})


def _outcome_of(calls: Iterable[ToolCall]) -> tuple[bool | None, Failure | None]:
    """Whether a turn with these calls succeeded (``None`` if unknown), and its error."""
    all_did, outcome = True, None
    for call in calls:
        outcome = call.success
        if outcome is False:
            reason = "parse_error" if isinstance(call.arguments, str) else "tool_error"
            return False, Failure(reason=reason, message=call.error)
        if outcome is None:
            all_did = False
    return outcome if all_did else None, None


def made_turn(
    calls: tuple[ToolCall, ...],
    program: str | None,
    text: str | None,
    agent: str | None,
    views: tuple[View, ...] | None,
    usage: Usage | None,
) -> Turn:
    """Make a turn from these fields, with the outcome of its calls."""
    success, error = _outcome_of(calls)
    return frozen(
        Turn,
        {
            "number": None,
            "program": program,
            "text": text,
            "success": success,
            "error": error,
            "agent": agent,
            "tool_calls": calls,
            "views": views,
            "usage": usage,
            "duration_seconds": None,
            "extra": {},
        },
    )
