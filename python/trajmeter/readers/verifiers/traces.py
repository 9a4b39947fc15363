"""Traces of verifiers: a graph of messages, whose model-made nodes are turns.

A trace may fork, for example where an agent starts others or its context is compacted. All branches
are read in node order; each turn names its agent if one started others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_object, as_text, seconds_between
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, fields_of, name_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.messages.usage import verifiers_usage
from trajmeter.readers.redaction import redacted
from trajmeter.records import Failure, Trajectory
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Turn

__all__ = ["VERIFIERS_TRACES", "failure_of", "identity_of", "trajectory_of"]

_BUDGETS = {
    "max_turns": "max_turns_exceeded",
    "max_input_tokens": "budget_exhausted",
    "max_output_tokens": "budget_exhausted",
    "max_total_tokens": "budget_exhausted",
    "compaction_failed": "budget_exhausted",
}


_STARTED = "subagent_call"
_SAME_AGENT = frozenset({"compaction", "continuation"})
"""Links to the node from which an agent continued, in addition to the node with the preceding
tokens."""


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    nodes = record.get("nodes")
    are_nodes = isinstance(nodes, list) and all(
        isinstance(node, dict) and "message" in node for node in nodes[:3]
    )
    is_trace = are_nodes and isinstance(record.get("task"), dict)
    if not is_trace:
        return None
    return Evidence.DECLARED if "verifiers" in record else Evidence.CERTAIN


def trajectory_of(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a trace to a trajectory."""
    nodes = [as_object(node) or {} for node in as_list(record.get("nodes"))]
    calls = [as_object(call) or {} for call in as_list(record.get("calls"))]
    # A node not made by a model was inserted as context, and is not a turn.
    read = [
        index
        for index in _reading_order(nodes)
        if nodes[index].get("sampled") or _role(nodes[index]) != "assistant"
    ]
    messages = [nodes[index].get("message") for index in read]
    held = message_turns(messages, places=read, usage=lambda _: None)
    by_node = {node: call for call in calls if isinstance(node := call.get("node"), int)}
    task, agent = as_object(record.get("task")) or {}, as_object(record.get("agent")) or {}
    agents = _agents(nodes, as_text(agent.get("name")))
    turns = tuple(
        _timed(turn, by_node.get(place, {}), agents[place])
        for turn, place in zip(held.turns, held.starts, strict=True)
    )
    identity = identity_of(task)
    condition = as_text(record.get("stop_condition"))
    return Trajectory(
        **{
            **fields_of(held),
            "turns": turns,
            # A sub-agent may answer last.
            "final_output": as_text(record.get("root_reply")) or held.final_output,
            "task_id": name_of(source) if identity is None else str(identity),
            "agent": as_text(agent.get("name")),
            "model": _first(call.get("model") for call in calls)
            or as_text((as_object(agent.get("config")) or {}).get("model")),
            "attempt": as_text(record.get("id")),
            "source": source,
            "duration_seconds": _span((as_object(record.get("timing")) or {}).get("agent")),
            "failure": failure_of(record),
            "metadata": {
                "exit_status": condition,
                "rewards": record.get("rewards"),
                "metrics": record.get("metrics"),
                "info": redacted(record.get("info")),
            },
        }
    )


def identity_of(task: Mapping[str, Any]) -> object:
    """What identifies a task; its key is its hash unless the task set defines another."""
    data = as_object(task.get("data")) or {}
    key, digest = task.get("key"), task.get("hash")
    own = key if key != digest else None
    return next((each for each in (own, data.get("id")) if each not in (None, "")), digest)


def _role(node: Mapping[str, Any]) -> object:
    return (as_object(node.get("message")) or {}).get("role")


def _reading_order(nodes: Sequence[Mapping[str, Any]]) -> list[int]:
    """Node order, except that results directly follow the answers of their own branches.

    Parallel branches may use the same call id.
    """
    answers: list[int] = []
    for index, node in enumerate(nodes):
        parent, answer = node.get("parent"), index
        if _role(node) == "tool" and type(parent) is int and 0 <= parent < index:
            answer = answers[parent]
        answers.append(answer if _role(nodes[answer]) == "assistant" else index)
    return sorted(range(len(nodes)), key=answers.__getitem__)


def _agents(nodes: Sequence[Mapping[str, Any]], name: str | None) -> list[str | None]:
    """The agent of each node: started agents are numbered; ``None`` if none was started."""
    own: list[int] = []
    started = 0
    for index, node in enumerate(nodes):
        links = [as_object(link) or {} for link in as_list(node.get("semantic_parents"))]
        before = [link.get("node") for link in links if as_text(link.get("type")) in _SAME_AGENT]
        number = max(
            (
                own[at]
                for at in (node.get("parent"), *before)
                if type(at) is int and 0 <= at < index
            ),
            default=0,
        )
        if not number and any(link.get("type") == _STARTED for link in links):
            started += 1
            number = started
        own.append(number)
    if not started:
        return [None] * len(nodes)
    main = name or "agent"
    return [f"{main}/{number}" if number else main for number in own]


def _timed(turn: Turn, call: Mapping[str, Any], agent: str | None) -> Turn:
    """A turn with its agent, and the usage, time and error of the call that made it."""
    usage, error = as_object(call.get("usage")), as_object(call.get("error"))
    failed = turn.error
    if failed is None and error is not None:
        failed = Failure(reason=as_text(error.get("type")), message=as_text(error.get("message")))
    return turn.model_copy(
        update={
            "agent": agent,
            "error": failed,
            "usage": None if usage is None else verifiers_usage(usage),
            "duration_seconds": _span(call.get("time")),
        }
    )


def _span(time: JsonValue) -> float | None:
    about = as_object(time) or {}
    end = finite(about.get("end"))
    return seconds_between(finite(about.get("start")), end) if end else None


def failure_of(record: Mapping[str, JsonValue]) -> Failure | None:
    """Why a trace, or an episode as a whole, failed; ``None`` if it did not."""
    condition = as_text(record.get("stop_condition"))
    if condition in _BUDGETS:
        return Failure(reason=_BUDGETS[condition], message=condition)
    errors = [as_object(error) or {} for error in as_list(record.get("errors"))]
    if errors and not record.get("ok"):
        last = errors[-1]
        kind = "timeout" if record.get("is_timeout") else as_text(last.get("type"))
        return Failure(reason=kind, message=as_text(last.get("message")))
    if record.get("is_timeout"):
        return Failure(reason="timeout", message=condition)
    calls = [as_object(call) or {} for call in as_list(record.get("calls"))]
    answered = [call.get("finish_reason") for call in calls if call.get("error") is None]
    is_cut = answered[-1:] == ["length"]
    return Failure(reason="budget_exhausted", message="length") if is_cut else None


def _first(values: Iterable[object]) -> str | None:
    return next((value for value in values if isinstance(value, str)), None)


VERIFIERS_TRACES = RecordFormat(
    name="verifiers-traces",
    description="traces of verifiers",
    makes=Trajectory,
    carries=(
        *CARRIED_BY_MESSAGES,
        "agent",
        "attempt",
        "turns.duration_seconds",
        "duration_seconds",
        "failure",
        "metadata",
    ),
    origin="verifiers 0.4.0",
    keys=frozenset({"nodes"}),
    recognises=_recognises,
    read=trajectory_of,
)
