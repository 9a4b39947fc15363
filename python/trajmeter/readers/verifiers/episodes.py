"""Runs of verifiers, ``traces.jsonl``: a line is an episode with the traces of all its agents.

An environment may run several agents on a task, such as a solver and a judge; each of their traces
is an attempt. An episode that failed before it started an agent has no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.entries import entries, values_of
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.sessions import evidence_at_start
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.verifiers.traces import VERIFIERS_TRACES, failure_of, trajectory_of
from trajmeter.records import Source, Trajectory
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.records import ReadProblem

__all__ = ["VERIFIERS_EPISODES"]


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if path.is_dir():
        return None
    return evidence_at_start(head, _evidence)


def _evidence(first: Mapping[str, Any]) -> Evidence | None:
    env, task = first.get("env"), first.get("task")
    # The traces follow, and may begin after the part that is seen here.
    is_episode = isinstance(env, dict) and isinstance(task, dict) and "data" in task
    return Evidence.CERTAIN if is_episode and "nodes" not in first else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the traces of every episode; unreadable ones are reported."""
    for source, episode in values_of(entries(path, may_be_own=False), report):
        traces = episode.get("traces") if isinstance(episode, dict) else None
        if not isinstance(episode, dict) or not isinstance(traces, list):
            got = json_input.type_name(traces)
            report(problem_at(source, f"traces: expected a list, got {got}"))
            continue
        if not traces:
            yield trajectory_of(episode, source)
        for index, trace in enumerate(traces):
            place = Source(file=source.file, line=source.line, record=f"traces[{index}]")
            try:
                yield _of_episode(trace, place, episode)
            except ReadError as error:
                report(problem_at(place, str(error)))
            except ValidationError as error:
                report(problem_at(place, describe_error(error)))


def _of_episode(trace: JsonValue, source: Source, episode: Mapping[str, JsonValue]) -> Trajectory:
    """Convert a trace to a trajectory.

    Raises:
        ReadError: It is not an object.
        pydantic.ValidationError: A value has the wrong type.
    """
    if not isinstance(trace, dict):
        raise ReadError(f"expected an object, got {json_input.type_name(trace)}")
    attempt = trajectory_of(trace, source)
    metadata = {**attempt.metadata, "episode": episode.get("id")}
    # The environment may fail after its agents succeeded.
    failure = attempt.failure or failure_of(episode)
    return attempt.model_copy(update={"metadata": metadata, "failure": failure})


VERIFIERS_EPISODES = FileFormat(
    name="verifiers-episodes",
    description="runs of verifiers",
    makes=Trajectory,
    carries=VERIFIERS_TRACES.carries,
    origin="verifiers 0.4.0 (traces.jsonl)",
    recognises=_recognises,
    records=_read,
)
