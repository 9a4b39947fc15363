"""The parts of a mini-swe-agent file that both versions share: data about the whole run.

A value of the wrong type is skipped and reported with its place; the rest of the run is read.

Only names and limits are read from the configuration. Most real files contain the model's API keys,
so nothing that is not listed here may reach a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from trajmeter.readers._files.content import content_name
from trajmeter.readers._logs.litellm import model_name
from trajmeter.readers.messages.usage import openai_usage
from trajmeter.records import Failure, Usage
from trajmeter.validation_errors import describe_detail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from trajmeter.records import Source

__all__ = [
    "CARRIED",
    "KEYS",
    "Message",
    "Run",
    "run_fields",
    "seconds_between",
    "text_of",
    "usage_of",
    "validated",
]

KEYS = frozenset({"trajectory_format"})
CARRIED = (
    "agent",
    "model",
    "turns.number",
    "turns.program",
    "turns.text",
    "turns.success",
    "turns.error",
    "turns.tool_calls.name",
    "turns.tool_calls.arguments",
    "turns.tool_calls.result",
    "turns.tool_calls.success",
    "turns.tool_calls.error",
    "turns.views",
    "turns.usage",
    "turns.duration_seconds",
    "final_patch",
    "final_output",
    "usage.cost_usd",
    "duration_seconds",
    "failure",
    "leaks",
    "unusable",
    "metadata",
    "extra",
)
"""Fields that both versions provide."""

_SUFFIX = ".traj.json"
_SUBMITTED = "Submitted"
_BUDGETS = frozenset(
    {"LimitsExceeded", "TimeExceeded", "StepResponseTimeout", "ContextWindowExceededError"}
)
"""Exit statuses of runs ended by a limit: on steps or cost, time, or the model's context."""
_BUDGET_REASON = "budget_exhausted"

_FIELDS = {
    "instance_id": ("task_id",),
    "info.config.agent.action_regex": ("turns.program",),
    "info.config.agent.step_limit": ("extra.step_limit",),
    "info.config.agent.cost_limit": ("extra.cost_limit",),
    "info.config.agent_type": ("agent",),
    "info.config.environment.cwd": ("turns.views.path",),
    "info.config.environment.image": ("turns.views.path",),
    "info.config.model.model_name": ("model",),
    "info.context_error": ("extra.context_error",),
    "info.exit_status": ("failure", "metadata.exit_status"),
    "info.mini_version": ("extra.mini_version",),
    "info.model_stats.instance_cost": ("usage.cost_usd",),
    "info.submission": ("final_patch", "final_output"),
    "messages": ("turns",),
}
"""Trajectory fields derived from each part of a file."""

Message: TypeAlias = dict[str, JsonValue]
_Count: TypeAlias = Annotated[int, Field(ge=0)]


class _Model(TypedDict):
    model_name: NotRequired[str | None]


class _Agent(TypedDict):
    step_limit: NotRequired[_Count | None]
    cost_limit: NotRequired[float | None]
    action_regex: NotRequired[str | None]


class _Environment(TypedDict):
    image: NotRequired[str | None]
    cwd: NotRequired[str | None]


class _Config(TypedDict):
    agent: NotRequired[_Agent | None]
    agent_type: NotRequired[str | None]
    environment: NotRequired[_Environment | None]
    model: NotRequired[_Model | None]


class _Statistics(TypedDict):
    instance_cost: NotRequired[float | None]


class _Info(TypedDict):
    config: NotRequired[_Config | None]
    context_error: NotRequired[str | None]
    exit_status: NotRequired[str | None]
    mini_version: NotRequired[str | None]
    model_stats: NotRequired[_Statistics | None]
    submission: NotRequired[str | None]


class Run(TypedDict):
    """The parts of a file that are read."""

    info: NotRequired[_Info | None]
    instance_id: NotRequired[str | None]
    messages: list[Message]


@cache
def _runs() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


def validated(record: Mapping[str, JsonValue]) -> tuple[Run, dict[str, str]]:
    """Validate the parts of a file that are read.

    Returns:
        The run without values of the wrong type, and why the fields derived from them are empty.

    Raises:
        pydantic.ValidationError: There is no list of messages.
    """
    unusable: dict[str, str] = {}
    try:
        run = _runs().validate_python(record)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        if any(fault["loc"] in ((), ("messages",)) for fault in faults):
            raise
        pruned: Any = dict(record)
        # Anything that is not a message keeps its place: results may be found by position.
        no_messages = {fault["loc"][1] for fault in faults if _is_message(fault["loc"])}
        if no_messages:
            pruned["messages"] = [
                {} if number in no_messages else message
                for number, message in enumerate(pruned["messages"])
            ]
        for fault in faults:
            if not _is_message(fault["loc"]):
                pruned = _without(pruned, fault["loc"])
            for field in _fields_at(fault["loc"]):
                unusable.setdefault(field, describe_detail(fault))
        run = _runs().validate_python(pruned)
    for fault in _bad_costs(run["messages"]):
        unusable.setdefault("turns.usage.cost_usd", describe_detail(fault))
    return run, unusable


def _is_message(place: tuple[int | str, ...]) -> bool:
    return len(place) > 1 and place[0] == "messages"


def _without(value: JsonValue, place: tuple[int | str, ...]) -> JsonValue:
    """A copy of an object with null in one place."""
    if not place or not isinstance(value, dict):
        return None
    key = str(place[0])
    return {**value, key: _without(value[key], place[1:])}


def _fields_at(place: tuple[int | str, ...]) -> Iterator[str]:
    """The fields derived from a part of a file, and from the parts that contain it."""
    path = ".".join(map(str, place))
    for part, fields in _FIELDS.items():
        if part == path or part.startswith(f"{path}.") or path.startswith(f"{part}."):
            yield from fields


def _bad_costs(messages: list[Message]) -> Iterator[ErrorDetails]:
    for number, message in enumerate(messages):
        extra = message.get("extra")
        cost = extra.get("cost") if isinstance(extra, Mapping) else None
        if cost is None or isinstance(cost, (int, float)):
            continue
        try:
            Usage.model_validate({"cost_usd": cost})
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                yield {**fault, "loc": ("messages", number, "extra", "cost")}


def run_fields(run: Run, source: Source, unusable: dict[str, str]) -> dict[str, Any]:
    """The fields of a trajectory, except its turns and views.

    The task is ``instance_id``, which is only written for SWE-bench runs, else the file name. A run
    ended by a limit failed with the reason ``budget_exhausted``; other statuses are themselves the
    reason. A killed run records neither how it ended nor what it changed.
    """
    info = run.get("info") or {}
    config = info.get("config") or {}
    status = info.get("exit_status") or None
    submission = info.get("submission")
    if status is None and submission == "":
        submission = None
    messages = run["messages"]
    cost = (info.get("model_stats") or {}).get("instance_cost")
    limits = config.get("agent") or {}
    extra = {
        "mini_version": info.get("mini_version"),
        "context_error": info.get("context_error"),
        "step_limit": limits.get("step_limit"),
        "cost_limit": limits.get("cost_limit"),
    }
    failed = status is not None and status != _SUBMITTED
    reason = _BUDGET_REASON if status in _BUDGETS else status
    return {
        "task_id": run.get("instance_id") or content_name(Path(source.file)).removesuffix(_SUFFIX),
        "agent": config.get("agent_type") or "mini-swe-agent",
        "model": model_name((config.get("model") or {}).get("model_name")),
        "source": source,
        "final_patch": submission,
        "final_output": submission,
        "usage": None if cost is None else Usage(cost_usd=cost),
        "duration_seconds": seconds_between(messages[0], messages[-1]) if messages else None,
        "failure": Failure(reason=reason, message=submission or _raised(messages))
        if failed
        else None,
        "unusable": unusable,
        "metadata": {} if status is None else {"exit_status": status},
        "extra": {key: value for key, value in extra.items() if value is not None},
    }


def _raised(messages: list[Message]) -> str | None:
    """The error that ended a run of version 2, from its last message."""
    extra = messages[-1].get("extra") if messages else None
    text = extra.get("exception_str") if isinstance(extra, Mapping) else None
    return text if isinstance(text, str) and text else None


def text_of(message: Message) -> str:
    """The text of a message, whose content may be a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def usage_of(message: Message) -> Usage | None:
    """Tokens and cost of the call that produced a message.

    Its response is in ``extra``; with OpenAI's Responses API the message is the response itself. A
    cost of the wrong type is skipped.
    """
    extra = message.get("extra")
    extra = extra if isinstance(extra, Mapping) else {}
    response = extra.get("response")
    if message.get("object") == "response":
        response = message
    counts = response.get("usage") if isinstance(response, Mapping) else None
    usage = openai_usage(counts) if isinstance(counts, Mapping) else None
    cost = extra.get("cost")
    if cost is None:
        return usage
    fields = {} if usage is None else dict(usage)
    try:
        return Usage.model_validate({**fields, "cost_usd": cost})
    except ValidationError:
        return usage


def seconds_between(earlier: Message, later: Message) -> float | None:
    """Seconds between two messages; ``None`` unless both record their time."""
    start, end = _time(earlier), _time(later)
    return None if start is None or end is None else end - start


def _time(message: Message) -> float | None:
    extra = message.get("extra")
    time = message.get("timestamp")
    if time is None and isinstance(extra, Mapping):
        time = extra.get("timestamp")
    return float(time) if isinstance(time, (int, float)) else None
