"""Results of tau2-bench: simulations of an agent that serves a user.

A results file contains the configuration, the tasks and all simulations; newer runs store each
simulation in its own file. Calls made by the simulated user do not belong to the agent.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import entries
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.values import as_number
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.messages.usage import message_usage
from trajmeter.records import Source, Trajectory, Usage
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.records import ReadProblem

__all__ = ["TAU2_RESULTS", "TAU2_SIMULATIONS"]

_INFO = frozenset({"agent_info", "environment_info", "user_info"})
_ENDED_WELL = ("agent_stop", "user_stop")
_BUDGETS = ("max_steps", "timeout")


def _recognises(path: Path, head: bytes) -> Evidence | None:
    if path.is_dir():
        return None
    first = next(iter(beginning(head)), None)
    info = first.get("info") if isinstance(first, dict) else None
    return Evidence.CERTAIN if isinstance(info, dict) and info.keys() >= _INFO else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read every simulation; unreadable ones are reported."""
    for source, results in entries(path, may_be_own=False):
        if isinstance(results, ReadError):
            report(problem_at(source, str(results)))
            continue
        simulations = results.get("simulations") if isinstance(results, dict) else None
        if not isinstance(results, dict) or not isinstance(simulations, list):
            got = json_input.type_name(simulations)
            report(problem_at(source, f"simulations: expected a list, got {got}"))
            continue
        info = results.get("info")
        for index, simulation in enumerate(simulations):
            place = Source(file=source.file, record=f"simulations[{index}]")
            try:
                yield _trajectory(simulation, place, info if isinstance(info, dict) else {})
            except ReadError as error:
                report(problem_at(place, str(error)))
            except ValidationError as error:
                report(problem_at(place, describe_error(error)))


def _is_simulation(record: Mapping[str, JsonValue]) -> Evidence | None:
    is_known = "messages" in record and "task_id" in record and "trial" in record
    return Evidence.CERTAIN if is_known else None


def _read_simulation(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a simulation from its own file to a trajectory.

    Raises:
        ReadError: There are no messages.
        pydantic.ValidationError: A value has the wrong type.
    """
    return _trajectory(dict(record), source, {})


def _trajectory(simulation: JsonValue, source: Source, info: dict[str, JsonValue]) -> Trajectory:
    if not isinstance(simulation, dict):
        raise ReadError(f"expected an object, got {json_input.type_name(simulation)}")
    messages = simulation.get("messages")
    if not isinstance(messages, list):
        raise ReadError(f"messages: expected a list, got {json_input.type_name(messages)}")
    held = fields_of(message_turns([*_of_agent(messages)], usage=_usage))
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
            "task_id": str(task) if isinstance(task, int) else task,
            "agent": configured.get("implementation"),
            "model": configured.get("llm") or held["model"],
            "attempt": None if trial is None else str(trial),
            "source": source,
            "usage": None if cost is None else {"cost_usd": cost},
            "duration_seconds": seconds,
            "failure": _failure(reason),
            "passed": None if reward is None else reward >= 1,
            "metadata": {name: value for name, value in metadata.items() if value is not None},
        }
    )


def _of_agent(messages: list[JsonValue]) -> Iterator[JsonValue]:
    """The messages without the user's calls; results are marked as in other formats."""
    for message in messages:
        if not isinstance(message, dict):
            yield message
        elif message.get("role") == "user":
            yield {"role": "user", "content": message.get("content")}
        elif message.get("role") == "tool":
            if message.get("requestor") != "user":
                failed = message.get("error")
                mark = {"status": "error" if failed else "success"}
                yield {
                    "role": "tool",
                    "tool_call_id": message.get("id"),
                    "content": message.get("content"),
                    **(mark if isinstance(failed, bool) else {}),
                }
        else:
            yield message


def _usage(message: Mapping[str, Any]) -> Usage | None:
    """Tokens and cost of an answer."""
    usage, cost = message_usage(message), message.get("cost")
    if not isinstance(cost, (int, float)) or isinstance(cost, bool):
        return usage
    return (usage or Usage()).model_copy(update={"cost_usd": float(cost)})


def _reward(simulation: Mapping[str, JsonValue]) -> float | None:
    info = simulation.get("reward_info")
    reward = info.get("reward") if isinstance(info, dict) else None
    return float(reward) if isinstance(reward, (int, float)) else None


def _failure(reason: JsonValue) -> dict[str, JsonValue] | None:
    if not isinstance(reason, str) or reason in _ENDED_WELL:
        return None
    return {"reason": "budget_exhausted" if reason in _BUDGETS else reason, "message": reason}


_CARRIES = (
    *CARRIED_BY_MESSAGES,
    "attempt",
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
)

TAU2_SIMULATIONS = RecordFormat(
    name="tau2-simulations",
    description="simulations of tau2-bench",
    makes=Trajectory,
    carries=_CARRIES,
    origin="tau2-bench, a simulation in a file of its own",
    keys=frozenset({"termination_reason"}),
    recognises=_is_simulation,
    read=_read_simulation,
)
