"""Harbor trials: a folder with ``result.json`` and the agent's trajectory in ``agent``.

::

    <trial>/result.json · config.json · verifier/ · agent/trajectory.json
    <trial>/steps/<name>/agent/trajectory.json          of a task of several steps

The trajectory is in ATIF; continuations in another file or in the next step's file are joined, and
so are the files of sub-agents to which it refers.
Secrets in the configuration are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._logs.replies import TOKENS, TURNS, usage_fields
from trajmeter.readers._logs.sessions import first_objects, known_only, usage_from
from trajmeter.readers._logs.values import (
    as_count,
    as_list,
    as_object,
    as_text,
    epoch_seconds,
    seconds_between,
)
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.atif.trajectory import read_segments
from trajmeter.readers.redaction import redacted
from trajmeter.records import Failure, ReadProblem, Source, Trajectory
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.records import Usage

__all__ = ["TRIALS"]

_RESULT, _TRAJECTORY = "result.json", "agent/trajectory.json"
_NAMES = {"trial_name", "task_name"}
_MARKS = {"agent_info", "task_checksum"}
_BUDGET = "budget_exhausted"
_EXHAUSTED = frozenset(
    (
        "AgentTimeoutError",
        "ContextLengthExceededError",
        "ContextWindowExceededError",
        "OutputLengthExceededError",
        "OutputTokenExceededError",
    )
)
_READ = frozenset(
    (
        "agent_info",
        "agent_result",
        "exception_info",
        "finished_at",
        "started_at",
        "step_results",
        "task_name",
        "trial_name",
        "verifier_result",
    )
)


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether it is the folder of a trial, or its result."""
    if path.is_dir():
        result = path / _RESULT
        if not result.is_file():
            return None
        with open_content(result) as file:
            head = file.read(1 << 16)
    first: dict[str, Any] = next(first_objects(head), {})
    is_one = first.keys() >= _NAMES and not _MARKS.isdisjoint(first)
    return Evidence.CERTAIN if is_one else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read a trial as an attempt."""
    folder = path if path.is_dir() else path.parent
    file = path / _RESULT if path.is_dir() else path
    result = _object(file, report)
    if result is None:
        return
    found = _trajectory(folder, result, report)
    info = as_object(result.get("agent_info")) or {}
    model = as_object(info.get("model_info")) or {}
    rewards = (as_object(result.get("verifier_result")) or {}).get("rewards")
    failure, status = _failure(result)
    turns = found.turns if found is not None else None
    yield Trajectory(
        task_id=as_text(result.get("task_name")) or folder.name,
        agent=as_text(info.get("name")) or (found.agent if found else None),
        model=as_text(model.get("name")) or (found.model if found else None),
        attempt=as_text(result.get("trial_name")) or folder.name,
        source=Source(file=str(path)),
        turns=turns,
        leaks=found.leaks if found is not None else None,
        final_output=found.final_output if found else None,
        usage=_usage(result, file, report, found.usage if found else None),
        duration_seconds=_seconds(result),
        failure=failure or _stopped(result, found),
        passed=_passed(as_object(rewards)),
        dropped_calls=found.dropped_calls if found else 0,
        unusable=found.unusable if found else {},
        metadata=known_only(
            exit_status=status,
            rewards=rewards,
            version=as_text(info.get("version")),
            started_at=as_text(result.get("started_at")),
            finished_at=as_text(result.get("finished_at")),
        ),
        extra=as_object(redacted({k: v for k, v in result.items() if k not in _READ})) or {},
    )


def _object(file: Path, report: Callable[[ReadProblem], None]) -> dict[str, Any] | None:
    try:
        with open_content(file) as opened:
            value = json_input.parse(opened.read())
        if isinstance(value, dict):
            return value
        message = f"expected an object, got {json_input.type_name(value)}"
    except OSError as error:
        message = error.strerror or str(error)
    except ReadError as error:
        message = str(error)
    report(ReadProblem(file=str(file), message=message))
    return None


def _trajectory(
    folder: Path, result: Mapping[str, Any], report: Callable[[ReadProblem], None]
) -> Trajectory | None:
    """The agent's trajectory over all steps of the task; ``None`` if there is none."""
    steps = [each for each in as_list(result.get("step_results")) if isinstance(each, dict)]
    names = [as_text(each.get("step_name")) for each in steps]
    files = [folder / "steps" / name / _TRAJECTORY for name in names if name and "/" not in name]
    segments: dict[Path, dict[str, Any]] = {}
    for file in files:
        _add_segments(file, segments, report)
    if not segments:
        _add_segments(folder / _TRAJECTORY, segments, report)
    if not segments:
        return None
    first = Source(file=str(next(iter(segments))))
    try:
        return read_segments([*segments.values()], first, [*segments])
    except ReadError as error:
        report(ReadProblem(file=first.file, message=str(error)))
        return None


def _add_segments(
    file: Path | None, segments: dict[Path, dict[str, Any]], report: Callable[[ReadProblem], None]
) -> None:
    """Add a trajectory and its continuation files."""
    while file is not None and file.is_file() and file not in segments:
        segment = _object(file, report)
        if segment is None:
            return
        segments[file] = segment
        following = as_text(segment.get("continued_trajectory_ref"))
        file = file.parent / following if following and "/" not in following else None


def _usage(
    result: Mapping[str, Any],
    file: Path,
    report: Callable[[ReadProblem], None],
    traced: Usage | None,
) -> Usage | None:
    """Usage from the result; values that it lacks come from the trajectory."""
    used = as_object(result.get("agent_result")) or {}
    stated = usage_from(
        {
            "input_tokens": used.get("n_input_tokens"),
            "cached_input_tokens": used.get("n_cache_tokens"),
            "output_tokens": used.get("n_output_tokens"),
            "cost_usd": used.get("cost_usd"),
        },
        lambda why: report(ReadProblem(file=str(file), message=why)),
        name="agent_result",
    )
    if stated is None or traced is None:
        return stated or traced
    return traced.model_copy(update=stated.model_dump(exclude_none=True))


def _seconds(result: Mapping[str, Any]) -> float | None:
    """Duration of the agent or, if not recorded, of the whole trial."""
    agent = as_object(result.get("agent_execution")) or {}
    found = [
        seconds_between(
            epoch_seconds(each.get("started_at")), epoch_seconds(each.get("finished_at"))
        )
        for each in (agent, result)
    ]
    return next((seconds for seconds in found if seconds is not None), None)


def _passed(rewards: Mapping[str, Any] | None) -> bool | None:
    """Whether the reward is full: the one named ``reward``, or the only one."""
    if not rewards:
        return None
    only = next(iter(rewards.values())) if len(rewards) == 1 else None
    reward = finite(rewards.get("reward", only))
    return None if reward is None else reward >= 1


def _failure(result: Mapping[str, Any]) -> tuple[Failure | None, str | None]:
    """How the trial failed, in Trajmeter's terms and in Harbor's."""
    raised = as_object(result.get("exception_info"))
    if raised is None:
        return None, None
    kind = as_text(raised.get("exception_type")) or "exception"
    message = as_text(raised.get("exception_message"))
    return Failure(reason=_BUDGET if kind in _EXHAUSTED else kind, message=message), kind


def _stopped(result: Mapping[str, Any], found: Trajectory | None) -> Failure | None:
    """Failure of an agent that hit its turn limit, for which Harbor raises no exception."""
    config = as_object(result.get("config")) or {}
    kwargs = as_object((as_object(config.get("agent")) or {}).get("kwargs")) or {}
    about = as_object((as_object(result.get("agent_result")) or {}).get("metadata")) or {}
    limit, count = as_count(kwargs.get("max_turns")), as_count(about.get("n_episodes"))
    if limit is None or count is None or count < limit or found is None or not found.turns:
        return None
    if any(call.name == "mark_task_complete" for call in found.turns[-1].tool_calls):
        return None
    return Failure(reason="max_turns_exceeded", message=f"stopped at max_turns {limit}")


TRIALS = FileFormat(
    name="harbor-trials",
    description="trials of Harbor",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        *TURNS,
        *usage_fields(
            "turns.usage",
            names=(*TOKENS, "cost_usd"),
        ),
        *usage_fields(
            "usage",
            names=(
                "input_tokens",
                "cached_input_tokens",
                "output_tokens",
                "cost_usd",
            ),
        ),
        "turns.agent",
        "final_output",
        "duration_seconds",
        "failure",
        "passed",
        "dropped_calls",
        "unusable",
        "metadata",
        "extra",
    ),
    origin="harbor 0.24.0",
    recognises=_recognises,
    folder_files=frozenset({_RESULT}),
    records=_read,
)
