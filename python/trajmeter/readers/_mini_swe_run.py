"""What both versions of mini-swe-agent's files tell of a run as a whole.

Of the configuration only names and limits are taken: it holds the keys of the model's endpoint in
most real files, and nothing of it that is not listed here may reach a record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter
from typing_extensions import NotRequired, TypedDict

from trajmeter.readers._context import NewView, Span, views_of
from trajmeter.readers._shell import shown
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import Source

__all__ = [
    "Message",
    "Run",
    "path_in_repository",
    "repository_of",
    "run_fields",
    "seconds_between",
    "text_of",
    "usage_of",
    "validated",
    "views_shown",
]

_SUFFIX = ".traj.json"
_SUBMITTED = "Submitted"
_REPOSITORY = re.compile(r"_m_([^:/]+)")

Message: TypeAlias = dict[str, JsonValue]
_Count: TypeAlias = Annotated[int, Field(ge=0)]


class _Model(TypedDict):
    model_name: NotRequired[str | None]


class _Agent(TypedDict):
    step_limit: NotRequired[_Count | None]
    cost_limit: NotRequired[float | None]


class _Environment(TypedDict):
    image: NotRequired[str | None]


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
    """A file, as far as it is looked at."""

    info: NotRequired[_Info | None]
    instance_id: NotRequired[str | None]
    messages: list[Message]


_RUN = TypeAdapter(Run)


def validated(record: Mapping[str, JsonValue]) -> Run:
    """The parts of a file that are looked at.

    Raises:
        pydantic.ValidationError: One of them has the wrong type.
    """
    return _RUN.validate_python(record)


def run_fields(run: Run, source: Source) -> dict[str, Any]:
    """The fields of a trajectory but for its turns and views.

    The task is named by ``instance_id``, which upstream writes under SWE-bench only, else by the
    name of the file.
    """
    info = run.get("info") or {}
    config = info.get("config") or {}
    status = info.get("exit_status")
    submission = info.get("submission")
    messages = run["messages"]
    cost = (info.get("model_stats") or {}).get("instance_cost")
    limits = config.get("agent") or {}
    extra = {
        "exit_status": status,
        "mini_version": info.get("mini_version"),
        "context_error": info.get("context_error"),
        "step_limit": limits.get("step_limit"),
        "cost_limit": limits.get("cost_limit"),
    }
    failed = status is not None and status != _SUBMITTED
    return {
        "task_id": run.get("instance_id") or Path(source.file).name.removesuffix(_SUFFIX),
        "agent": config.get("agent_type") or "mini-swe-agent",
        "model": (config.get("model") or {}).get("model_name"),
        "source": source,
        "final_patch": submission,
        "usage": None if cost is None else Usage(cost_usd=cost),
        "duration_seconds": seconds_between(messages[0], messages[-1]) if messages else None,
        "failure": Failure(reason=status, message=submission or None) if failed else None,
        "extra": {key: value for key, value in extra.items() if value is not None},
    }


def text_of(message: Message) -> str:
    """The text of a message, whose content may be a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def usage_of(extra: JsonValue | Mapping[str, JsonValue]) -> Usage | None:
    """Tokens and cost of the call that a message's ``extra`` holds the response of."""
    if not isinstance(extra, Mapping):
        return None
    response = extra.get("response")
    usage = response.get("usage") if isinstance(response, Mapping) else None
    cost = extra.get("cost")
    if not isinstance(usage, Mapping):
        return None if cost is None else Usage.model_validate({"cost_usd": cost})
    return Usage.model_validate(
        {
            "input_tokens": _first(usage, "prompt_tokens", "input_tokens"),
            "output_tokens": _first(usage, "completion_tokens", "output_tokens"),
            "total_tokens": usage.get("total_tokens"),
            "cost_usd": cost,
        }
    )


def seconds_between(earlier: Message, later: Message) -> float | None:
    """Seconds from one message to another, where both record their time."""
    start, end = _time(earlier), _time(later)
    return None if start is None or end is None else end - start


def repository_of(run: Run) -> str | None:
    """The repository's folder in the containers of Multi-SWE-bench, from the image's name."""
    config = (run.get("info") or {}).get("config") or {}
    match = _REPOSITORY.search((config.get("environment") or {}).get("image") or "")
    return None if match is None else match[1]


def path_in_repository(written: str, repository: str | None) -> str | None:
    """A path without what ContextBench's containers put before it; ``None`` for one outside."""
    path = written.strip().strip("\"'").strip()
    if path.startswith("/testbed/"):
        path = path.removeprefix("/testbed/")
    elif path.startswith("/home/"):
        first, slash, rest = path.removeprefix("/home/").partition("/")
        if not slash:
            return None
        path = rest if first == repository else f"{first}/{rest}"
    return path.lstrip("/").removeprefix("./") or None


def views_shown(commands: Iterable[str], repository: str | None) -> list[NewView] | None:
    """The views of a step that ran these commands; ``None`` if they show no file."""
    spans: dict[str, list[Span]] = {}
    for written, lines in (view for command in commands for view in shown(command)):
        path = path_in_repository(written, repository)
        if path is not None:
            spans.setdefault(path, [])
            if lines is not None:
                spans[path].append({"start": lines[0], "end": lines[1]})
    return views_of(spans, spans) if spans else None


def _time(message: Message) -> float | None:
    extra = message.get("extra")
    time = message.get("timestamp")
    if time is None and isinstance(extra, Mapping):
        time = extra.get("timestamp")
    return float(time) if isinstance(time, (int, float)) else None


def _first(record: Mapping[str, JsonValue], *keys: str) -> JsonValue:
    return next((record[key] for key in keys if record.get(key) is not None), None)
