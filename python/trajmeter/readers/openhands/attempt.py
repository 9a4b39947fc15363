"""Code shared by both generations of OpenHands: turns, metrics, and how a run ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.litellm import model_name
from trajmeter.readers._logs.values import as_mapping, epoch_seconds, seconds_between
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.messages.usage import count, made_usage
from trajmeter.readers.tool_views import TOOL_VIEWS, leaks_of_views
from trajmeter.records import Failure, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Leak, Usage, View

__all__ = [
    "Call",
    "Reply",
    "below",
    "budget_failure",
    "metric_fields",
    "seconds",
    "task_named",
    "turns_of",
    "usage_by_reply",
]

BUDGET_REASON = "budget_exhausted"
_BUDGETS = ("maximum iteration", "maximum budget", "MaxIterationsReached", "ContextWindowExceed")
_STUCK = "AgentStuckInLoopError"


@dataclass(slots=True)
class Call:
    """A tool call and its result."""

    name: str
    arguments: JsonValue = None
    id: str | None = None
    result: str | None = None
    """Result of the tool."""
    success: bool | None = None
    error: str | None = None
    command: str | None = None
    """The command of a shell."""
    program: str | None = None
    """The program it ran, if not a shell command."""
    exit_code: int | None = None
    views: tuple[View, ...] | None = None
    """Its views, if known independently of its arguments and result."""
    folder: str | None = None
    """The shell's folder after it."""
    begun: float | None = None
    ended: float | None = None


@dataclass(slots=True)
class Reply:
    """An answer of the model."""

    id: str | None = None
    texts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    before: float | None = None
    """When the preceding event ended."""


def seconds(event: Mapping[str, Any]) -> float | None:
    """The time of an event in seconds."""
    text = event.get("timestamp")
    if isinstance(text, (int, float)):
        return float(text)
    return epoch_seconds(text)


def turns_of(
    replies: Sequence[Reply], usages: Mapping[str, Usage], root: str | None
) -> tuple[tuple[Turn, ...], list[Leak]]:
    """Turns from replies, with what each call shows by paths relative to the repository root.

    The shell is persistent. The results of the last reply's calls were never sent to the model.
    """
    turns: list[Turn] = []
    leaks: list[Leak] = []
    folder = root
    reads: list[bool] = []
    for number, reply in enumerate(replies, start=1):
        views: list[View] = []
        is_last = number == len(replies)
        for call in reply.calls:
            if call.result is not None and not is_last:
                shown, found = _shown(call, folder, root)
                views += [below(view, root) for view in shown]
                leaks += [leak.model_copy(update={"turn": number}) for leak in found]
            folder = call.folder or folder
        reads.append(any(call.command is not None or call.views for call in reply.calls))
        usage = usages.get(reply.id) if reply.id is not None else None
        turns.append(_turn(number, reply, usage, tuple(views) or None))
    if not any(turn.views for turn in turns):
        turns = [
            turn.model_copy(update={"views": ()}) if is_reading else turn
            for turn, is_reading in zip(turns, reads, strict=True)
        ]
    return tuple(turns), leaks


def _shown(
    call: Call, folder: str | None, root: str | None
) -> tuple[Iterable[View], Iterable[Leak]]:
    if call.views is not None:
        return call.views, leaks_of_views(call.views)
    if call.command is not None:
        from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

        found = shell_views(
            call.command,
            call.result,
            exit_code=call.exit_code,
            folder=folder,
            root=root,
            trimmed=True,
        )
        return found.views, found.leaks
    made = ToolCall(
        name=call.name, arguments=call.arguments, result=call.result, success=call.success
    )
    read = TOOL_VIEWS.views_of(made)
    return ((), ()) if read is None else (read.views, read.leaks)


def below(view: View, root: str | None) -> View:
    """A view with its path relative to the repository root."""
    if root is None or not view.path.startswith(f"{root}/"):
        return view
    return view.model_copy(update={"path": view.path.removeprefix(f"{root}/")})


def _turn(number: int, reply: Reply, usage: Usage | None, views: tuple[View, ...] | None) -> Turn:
    calls = tuple(
        ToolCall(
            id=call.id,
            name=call.name,
            arguments=call.arguments,
            result=call.result,
            success=call.success,
            error=call.error,
            duration_seconds=_between(call.begun, call.ended),
        )
        for call in reply.calls
    )
    fault = next((call for call in calls if call.success is False), None)
    ran = (call.program if call.command is None else call.command for call in reply.calls)
    programs = [program for program in ran if program is not None]
    ended = next((call.ended for call in reversed(reply.calls) if call.ended is not None), None)
    is_known = bool(calls) and all(call.success for call in calls)
    return Turn(
        number=number,
        text="\n".join(reply.texts) or None,
        program="\n".join(programs) if programs else None,
        tool_calls=calls,
        success=False if fault is not None else True if is_known else None,
        error=None if fault is None else Failure(reason="tool_error", message=fault.error),
        views=views,
        usage=usage,
        duration_seconds=_between(reply.before, ended),
    )


def _between(begun: float | None, ended: float | None) -> float | None:
    passed = seconds_between(begun, ended)
    return passed if passed is not None and passed >= 0 else None  # a clock may be set back


def _usage(counts: Mapping[str, Any], cost: object = None) -> Usage | None:
    """Tokens; the prompt includes cached ones."""
    return made_usage(
        count(counts.get("prompt_tokens")),
        count(counts.get("completion_tokens")),
        cached=count(counts.get("cache_read_tokens")),
        written=count(counts.get("cache_write_tokens")),
        reasoning=count(counts.get("reasoning_tokens")),
        cost=cost,
    )


def usage_by_reply(metrics: Mapping[str, Any]) -> dict[str, Usage]:
    """Tokens of each reply by id."""
    found: dict[str, Usage] = {}
    listed = metrics.get("token_usages")
    for each in listed if isinstance(listed, list) else ():
        counts = as_mapping(each)
        identity, usage = counts.get("response_id"), _usage(counts)
        if isinstance(identity, str) and usage is not None:
            found[identity] = usage
    return found


def metric_fields(metrics: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The model, and the run's tokens and cost, which are never added to those of turns."""
    model = settings.get("model")
    total = as_mapping(metrics.get("accumulated_token_usage"))
    return {
        "model": model_name(model) if isinstance(model, str) else None,
        "usage": _usage(total, metrics.get("accumulated_cost")),
    }


def task_named(record: Mapping[str, object], *keys: str) -> str:
    """The task that a record names, by text or a number, under one of these keys.

    Raises:
        ReadError: There is none.
    """
    found = (identity_of(record.get(key)) for key in keys)
    name = next((each for each in found if each is not None), None)
    if name is None:
        raise ReadError(f"no id: expected {' or '.join(keys)}")
    return name


def budget_failure(text: str, *, reason: str | None = None) -> Failure:
    """Why a run failed, from the text of its error."""
    words = f"{reason} {text}"
    if any(budget in words for budget in _BUDGETS) or is_too_long(words):
        return Failure(reason=BUDGET_REASON, message=text or None)
    first = text.partition(":")[0]
    named = first if first.isidentifier() else "error"
    return Failure(reason=reason or (_STUCK if _STUCK in text else named), message=text or None)
