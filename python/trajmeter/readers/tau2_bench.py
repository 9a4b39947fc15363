"""Results of tau2-bench: simulations of an agent that serves a user.

A results file contains the configuration, the tasks and all simulations. Newer runs are folders,
which store each simulation in its own file::

    <run>/results.json · simulations/*.json

Calls made by the simulated user do not belong to the agent.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.values import as_number, as_text
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.messages.usage import message_usage
from trajmeter.records import Source, Trajectory, Usage
from trajmeter.records.measurements import finite
from trajmeter.remote import path_of
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.records import ReadProblem

__all__ = ["TAU2_RESULTS", "TAU2_SIMULATIONS"]

_INFO = frozenset({"agent_info", "environment_info", "user_info"})
_RESULTS, _SIMULATIONS = "results.json", "simulations"
"""The results file of a run, and the key or the folder beside it that has the simulations."""
_HEAD = 1 << 16
_GREETING = "greeting"
"""Mark of a message that no model wrote."""
_ENDED_WELL = ("agent_stop", "user_stop")
_BUDGETS = ("max_steps", "timeout", "context_window_exceeded")


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether it is a results file, or the folder of a run with a folder of simulations."""
    if path.is_dir():
        results = path / _RESULTS
        if not (results.is_file() and (path / _SIMULATIONS).is_dir()):
            return None
        with open_content(results) as file:
            head = file.read(_HEAD)
    return Evidence.CERTAIN if _configuration(head).keys() >= _INFO else None


def _configuration(head: bytes) -> dict[str, JsonValue]:
    """The configuration at the beginning of a results file; empty if there is none."""
    first = next(iter(beginning(head)), None)
    info = first.get("info") if isinstance(first, dict) else None
    return info if isinstance(info, dict) else {}


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read every simulation; unreadable ones are reported."""
    file = path / _RESULTS if path.is_dir() else path
    folder = file.parent / _SIMULATIONS
    for source, results in entries(file, may_be_own=False):
        if isinstance(results, ReadError):
            report(problem_at(source, str(results)))
            continue
        about = results if isinstance(results, dict) else {}
        info = about.get("info")
        simulations = about.get(_SIMULATIONS)
        found: Iterable[tuple[Source, JsonValue | ReadError]]
        if isinstance(simulations, list):
            found = (
                (Source(file=source.file, record=f"{_SIMULATIONS}[{index}]"), simulation)
                for index, simulation in enumerate(simulations)
            )
        elif simulations is None and folder.is_dir():
            files = sorted(each for each in folder.iterdir() if each.suffix == ".json")
            found = chain.from_iterable(entries(each, may_be_own=False) for each in files)
        else:
            got = json_input.type_name(simulations)
            report(problem_at(source, f"simulations: expected a list, got {got}"))
            continue
        yield from _trajectories(found, info if isinstance(info, dict) else {}, report)


def _trajectories(
    found: Iterable[tuple[Source, JsonValue | ReadError]],
    info: dict[str, JsonValue],
    report: Callable[[ReadProblem], None],
) -> Iterator[Trajectory]:
    for source, simulation in found:
        if isinstance(simulation, ReadError):
            report(problem_at(source, str(simulation)))
            continue
        try:
            yield _trajectory(simulation, source, info)
        except ReadError as error:
            report(problem_at(source, str(error)))
        except ValidationError as error:
            report(problem_at(source, describe_error(error)))


def _is_simulation(record: Mapping[str, JsonValue]) -> Evidence | None:
    is_known = "messages" in record and "task_id" in record and "trial" in record
    return Evidence.CERTAIN if is_known else None


def _read_simulation(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a simulation from its own file to a trajectory of the run it lies in, if any.

    Raises:
        ReadError: There are no messages.
        pydantic.ValidationError: A value has the wrong type.
    """
    return _trajectory(dict(record), source, _configuration_beside(source))


def _configuration_beside(source: Source) -> dict[str, JsonValue]:
    """The configuration of the run in whose folder of simulations a file lies; empty if none."""
    folder = path_of(source.file).absolute().parent
    if folder.name != _SIMULATIONS:
        return {}
    try:
        with open_content(folder.parent / _RESULTS) as file:
            return _configuration(file.read(_HEAD))
    except (OSError, ReadError):
        return {}


def _trajectory(simulation: JsonValue, source: Source, info: dict[str, JsonValue]) -> Trajectory:
    if not isinstance(simulation, dict):
        raise ReadError(f"expected an object, got {json_input.type_name(simulation)}")
    messages = simulation.get("messages")
    if not isinstance(messages, list):
        raise ReadError(f"messages: expected a list, got {json_input.type_name(messages)}")
    read = dict(_of_agent(messages))
    turns = message_turns(read.values(), places=read, usage=_usage)
    held = fields_of(turns)
    agent, trial, task = info.get("agent_info"), simulation.get("trial"), simulation.get("task_id")
    configured = agent if isinstance(agent, dict) else {}
    reason, reward = simulation.get("termination_reason"), _reward(simulation)
    metadata = {"termination_reason": reason, "reward": reward, "seed": simulation.get("seed")}
    refuse = held["unusable"].__setitem__
    cost = as_number(simulation.get("agent_cost"), partial(refuse, "agent_cost"))
    seconds = as_number(simulation.get("duration"), partial(refuse, "duration"))
    return Trajectory.model_validate(
        {
            **held,
            "turns": [
                turn.model_copy(update={"duration_seconds": _seconds(messages[start])})
                for turn, start in zip(turns.turns, turns.starts, strict=True)
            ],
            "task_id": str(task) if isinstance(task, int) else task,
            "agent": configured.get("implementation"),
            "model": configured.get("llm") or held["model"],
            "attempt": None if trial is None else str(trial),
            "source": source,
            "usage": {"cost_usd": cost} if cost else None,
            "duration_seconds": seconds,
            "failure": _failure(reason, simulation.get("info")),
            "passed": None if reward is None else reward >= 1,
            "metadata": {name: value for name, value in metadata.items() if value is not None},
        }
    )


def _of_agent(messages: list[JsonValue]) -> Iterator[tuple[int, JsonValue]]:
    """The messages without the user's calls; results are marked as in other formats."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            yield index, message
        elif index == 0 and _is_greeting(message):
            yield index, {**message, _GREETING: True}
        elif message.get("role") == "user":
            yield index, {"role": "user", "content": message.get("content")}
        elif message.get("role") != "tool":
            yield index, message
        elif message.get("requestor") != "user":
            yield index, _result(message)


def _result(message: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    failed = message.get("error")
    mark: dict[str, JsonValue] = {"status": "error" if failed else "success"}
    return {
        "role": "tool",
        "tool_call_id": message.get("id"),
        "content": message.get("content"),
        **(mark if isinstance(failed, bool) else {}),
    }


def _is_greeting(message: Mapping[str, JsonValue]) -> bool:
    """Whether the agent's first message is tau2-bench's own, which used no tokens."""
    made = (message.get(key) for key in ("tool_calls", "usage", "raw_data", "cost"))
    return message.get("role") == "assistant" and not any(made) and message.get("cost") is not None


def _usage(message: Mapping[str, Any]) -> Usage | None:
    """Tokens and cost of an answer; tau2-bench writes a cost of 0 if it knows no price."""
    if _GREETING in message:
        return Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)
    usage, cost = message_usage(message), finite(message.get("cost"))
    return (usage or Usage()).model_copy(update={"cost_usd": cost}) if cost else usage


def _seconds(message: JsonValue) -> float | None:
    """How long the model took to answer."""
    return finite(message.get("generation_time_seconds")) if isinstance(message, dict) else None


def _reward(simulation: Mapping[str, JsonValue]) -> float | None:
    info = simulation.get("reward_info")
    return finite(info.get("reward")) if isinstance(info, dict) else None


def _failure(reason: JsonValue, info: JsonValue) -> dict[str, JsonValue] | None:
    if not isinstance(reason, str) or reason in _ENDED_WELL:
        return None
    error = as_text(info.get("error")) if isinstance(info, dict) else None
    kind = "budget_exhausted" if reason in _BUDGETS else reason
    return {"reason": kind, "message": error or reason}


_CARRIES = (
    *CARRIED_BY_MESSAGES,
    "attempt",
    "turns.duration_seconds",
    "usage.cost_usd",
    "duration_seconds",
    "failure",
    "passed",
    "metadata",
)

TAU2_RESULTS = FileFormat(
    name="tau2-results",
    description="results of tau2-bench",
    makes=Trajectory,
    carries=(*_CARRIES, "agent"),
    origin="tau2-bench, results of text simulations",
    recognises=_recognises,
    records=_read,
    folder_files=frozenset({_SIMULATIONS}),
)

TAU2_SIMULATIONS = RecordFormat(
    name="tau2-simulations",
    description="simulations of tau2-bench",
    makes=Trajectory,
    carries=(*_CARRIES, "agent"),
    origin="tau2-bench, a simulation in a file of its own",
    keys=frozenset({"termination_reason"}),
    recognises=_is_simulation,
    read=_read_simulation,
)
