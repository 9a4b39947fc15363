"""Trajectories of SWE-agent: a JSON object of steps, with the history of messages.

Each step is a turn. Steps without an action are answers that the program could not use: what they
called is not recorded. Ids and arguments of calls come from the history, whose demonstrations and
summaries are ignored. Tokens are counted with the program's own tokenizer, for the whole run.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, TypeAdapter
from typing_extensions import NotRequired, TypedDict

from trajmeter.readers._files.content import content_name
from trajmeter.readers._logs.faults import made_trajectory, without_faults
from trajmeter.readers._logs.litellm import model_name
from trajmeter.readers._logs.values import as_list, as_mapping, as_text
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.swe_agent.declared import declared_views
from trajmeter.readers.swe_agent.turns import folder_of, turns_with, with_calls
from trajmeter.records import Failure, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.records import Source

__all__ = ["TRAJECTORY", "failure_of"]

_BUDGETS = ("exit_cost", "exit_context", "exit_total_execution_time")
_BUDGET_REASON = "budget_exhausted"
_SUBMITTED = "submitted"
_SINGLE_RUNS = frozenset({"main", "swe_main", ""})
"""Environment names that are not task ids."""
_ON_GITHUB = re.compile(r"github\.com/([^/]+)/([^/]+)")
_OWNED = re.compile(r"/[^/]+__[^/]+")
"""A repository folder that includes the owner's name."""


class _Step(TypedDict):
    action: NotRequired[str | None]
    observation: NotRequired[str | None]
    response: NotRequired[str | None]
    thought: NotRequired[JsonValue]
    execution_time: NotRequired[float | None]
    state: NotRequired[JsonValue]


class _Statistics(TypedDict):
    instance_cost: NotRequired[float | None]
    tokens_sent: NotRequired[int | None]
    tokens_received: NotRequired[int | None]
    api_calls: NotRequired[int | None]


class _Info(TypedDict):
    exit_status: NotRequired[str | None]
    submission: NotRequired[str | None]
    model_stats: NotRequired[_Statistics | None]
    swe_agent_version: NotRequired[str | None]
    patch_context: NotRequired[JsonValue]


class _Run(TypedDict):
    trajectory: list[_Step]
    history: NotRequired[list[dict[str, JsonValue]] | None]
    info: NotRequired[_Info | None]
    replay_config: NotRequired[JsonValue]
    environment: NotRequired[str | None]


_INFO = frozenset({"exit_status", "swe_agent_version", "swe_agent_hash"})
"""Keys of ``info`` that only SWE-agent writes."""
_STEP = frozenset({"action", "observation", "response"})
_OTHERS = frozenset({"instance_id", "messages", "task_id", "turns"})
"""Keys that runs lack, but records in other formats may have in addition."""


@cache
def _runs() -> TypeAdapter[_Run]:
    return TypeAdapter(_Run)


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    steps = record.get("trajectory")
    if not isinstance(steps, list) or not isinstance(record.get("info"), dict):
        return None
    if not all(isinstance(step, dict) and "action" in step for step in steps[:3]):
        return None
    is_whole = "history" in record and "environment" in record
    if is_whole and (_INFO.intersection(as_mapping(record["info"])) or _has_own_steps(record)):
        return Evidence.CERTAIN
    return Evidence.LIKELY if is_whole or steps else None


def _has_own_steps(record: Mapping[str, JsonValue]) -> bool:
    """Whether steps look like SWE-agent's: a killed run need not say anything else about itself."""
    steps = record["trajectory"]
    return (
        isinstance(steps, list)
        and bool(steps)
        and all(as_mapping(step).keys() >= _STEP for step in steps[:3])
        and _OTHERS.isdisjoint(record)
    )


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    run, unusable = without_faults(_runs(), record)
    config = _configuration(run)
    root = _root(config) or _first_root(run)
    turns, leaks = turns_with(run["trajectory"], root, _longest(config))
    turns = tuple(with_calls(run.get("history") or (), turns))
    return made_trajectory(
        {**_fields(run, config, source), "turns": turns, "leaks": leaks, "unusable": unusable}
    )


def _read_as_contextbench(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory whose only views are those of an added patch context."""
    run, unusable = without_faults(_runs(), record)
    turns, _ = turns_with(run["trajectory"], None)
    silent = tuple(
        turn.model_copy(update={"views": None})
        for turn in with_calls(run.get("history") or (), turns)
    )
    declared = (run.get("info") or {}).get("patch_context")
    views = declared_views(declared) if isinstance(declared, str) else []
    fields = _fields(run, _configuration(run), source)
    made = {"turns": silent, "final_views": views, "unusable": unusable}
    return made_trajectory({**fields, **made})


def _fields(run: _Run, config: Mapping[str, JsonValue], source: Source) -> dict[str, Any]:
    info = run.get("info") or {}
    status = info.get("exit_status")
    statistics = info.get("model_stats") or {}
    models = {as_text(as_mapping(agent.get("model")).get("name")) for agent in _agents(config)}
    usage = {
        "input_tokens": statistics.get("tokens_sent"),
        "output_tokens": statistics.get("tokens_received"),
        "cost_usd": statistics.get("instance_cost"),
    }
    extra = {
        "swe_agent_version": info.get("swe_agent_version"),
        "api_calls": statistics.get("api_calls"),
    }
    is_known = any(value is not None for value in usage.values())
    return {
        "task_id": _task(run, config, source),
        "agent": "swe-agent",
        "model": model_name(models.pop()) if len(models) == 1 else None,
        "source": source,
        "final_patch": info.get("submission"),
        "final_output": info.get("submission"),
        "usage": usage if is_known else None,
        "failure": failure_of(status),
        "metadata": {} if status is None else {"exit_status": status},
        "extra": {key: value for key, value in extra.items() if value is not None},
    }


def failure_of(status: str | None) -> Failure | None:
    """Why a run failed, from its exit status; a killed run has none, so its failure is unknown."""
    if status is not None and any(budget in status for budget in _BUDGETS):
        return Failure(reason=_BUDGET_REASON)
    return None if status is None or status.startswith(_SUBMITTED) else Failure(reason=status)


def _task(run: _Run, config: Mapping[str, JsonValue], source: Source) -> str:
    """Task id: the environment's name in runs of many, else the problem's id."""
    environment = run.get("environment") or ""
    problem = as_mapping(config.get("problem_statement")).get("id")
    if environment not in _SINGLE_RUNS:
        return environment
    if isinstance(problem, str) and problem:
        return problem
    return content_name(Path(source.file)).removesuffix(".traj")


def _configuration(run: _Run) -> Mapping[str, JsonValue]:
    """The configuration, stored as JSON text."""
    config = run.get("replay_config")
    if isinstance(config, str):
        try:
            config = json.loads(config)
        except (ValueError, RecursionError):
            return {}
    return as_mapping(config)


def _agents(config: Mapping[str, JsonValue]) -> list[Mapping[str, Any]]:
    """The configured agents: one, or one for each of several retries."""
    agent = as_mapping(config.get("agent"))
    return [*map(as_mapping, as_list(agent.get("agent_configs")))] or [agent]


def _longest(config: Mapping[str, JsonValue]) -> int | None:
    """Maximum number of characters of an observation sent to the model."""
    lengths = [
        as_mapping(agent.get("templates")).get("max_observation_length")
        for agent in _agents(config)
    ]
    return min((length for length in lengths if type(length) is int and length > 0), default=None)


def _root(config: Mapping[str, JsonValue]) -> str | None:
    """The repository folder, which SWE-agent names after the repository's origin."""
    repo = as_mapping(as_mapping(config.get("env")).get("repo"))
    url, path = str(repo.get("github_url") or ""), str(repo.get("path") or "")
    name = as_text(repo.get("repo_name"))
    if name is None and (found := _ON_GITHUB.search(url)) is not None:
        name = "__".join(found.groups())
    elif name is None:
        name = path.rstrip("/").rpartition("/")[2].replace(" ", "-").replace("'", "")
    return f"/{name}" if name not in ("", ".", "..") else None


def _first_root(run: _Run) -> str | None:
    """The repository folder without a configuration: the shell's first folder."""
    folders = (folder_of(step.get("state")) for step in run["trajectory"])
    found = _OWNED.match(next(filter(None, folders), ""))
    return found[0] if found else None


TRAJECTORY = RecordFormat(
    name="swe-agent",
    description="trajectories of SWE-agent",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "turns.number",
        "turns.program",
        "turns.text",
        "turns.success",
        "turns.error",
        "turns.tool_calls.id",
        "turns.tool_calls.name",
        "turns.tool_calls.arguments",
        "turns.tool_calls.result",
        "turns.tool_calls.duration_seconds",
        "turns.views",
        "final_patch",
        "final_output",
        "usage.input_tokens",
        "usage.output_tokens",
        "usage.cost_usd",
        "failure",
        "leaks",
        "metadata",
        "extra",
        "unusable",
    ),
    origin="SWE-agent 0.7 to 1.1",
    keys=frozenset({"trajectory"}),
    recognises=_recognises,
    read=_read,
    profile_reads={"contextbench": _read_as_contextbench},
)
