"""Renames the attributes of MLflow's spans to those of the conventions.

MLflow writes each attribute as JSON text. It records streamed answers of OpenAI's chat API without
their calls, which only the events of the stream hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_mapping, as_text
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.messages.usage import count, made_usage
from trajmeter.readers.opentelemetry.answers import (
    Answer,
    answer_of,
    sent_messages,
    with_cost,
)
from trajmeter.readers.opentelemetry.openinference import Described
from trajmeter.readers.opentelemetry.tool_runs import FINAL, final_text, tool_run
from trajmeter.readers.opentelemetry.values import TASK_ID, parsed
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Usage

__all__ = ["KIND", "TRACE", "described_by_mlflow"]

KIND = "mlflow.spanType"
"""What a span is: of a model, a tool, an agent, or another part of the program."""
TRACE = "mlflow.traceRequestId"
"""Id of the trace."""

_OPERATIONS = {
    "CHAT_MODEL": "chat",
    "LLM": "chat",
    "TOOL": "execute_tool",
    "AGENT": "invoke_agent",
}
_OTHER = "task"
_INPUT, _OUTPUT = "mlflow.spanInputs", "mlflow.spanOutputs"
_AROUND_AGENTS = "mlflow.openai.agent_run_root"
"""Marks what surrounds the agents of openai-agents, which is not an agent itself."""
_NAMES = ("name", "agent_name")
"""Names of the agents of pydantic-ai and smolagents, whose spans are named after their methods."""
_CHUNK = "mlflow.chunk.value"
_CALLED = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


def described_by_mlflow(
    attributes: Mapping[str, JsonValue],
    events: Iterable[Mapping[str, JsonValue]],
    name: str,
    *,
    is_root: bool,
) -> Described | None:
    """Describe a span by the conventions; ``None`` if it is not MLflow's.

    Args:
        attributes: Its attributes.
        events: Attributes of each of its events.
        name: Its name.
        is_root: Whether it is the root of its trace.
    """
    if KIND not in attributes:
        return None

    def got(key: str) -> JsonValue:
        return parsed(attributes.get(key))

    operation = _OPERATIONS.get(str(got(KIND)), _OTHER)
    has_failed = False
    usage = None
    own: dict[str, JsonValue] = {}
    if operation == "chat":
        answer = _whole(answer_of(got(_OUTPUT)), events)
        own = answer.attributes()
        own["gen_ai.request.model"] = as_text(got("mlflow.llm.model")) or as_text(got("model"))
        own["gen_ai.input.messages"] = sent_messages(got(_INPUT))
        cost = finite(as_mapping(got("mlflow.llm.cost")).get("total_cost"))
        usage = answer.usage or _usage(as_mapping(got("mlflow.chat.tokenUsage")))
        usage = with_cost(usage, cost)
    elif operation == "execute_tool":
        identity = identity_of(got("tool_call_id"))
        run = tool_run(name, _arguments(got(_INPUT)), _returned(got(_OUTPUT)), identity)
        own, has_failed = run.attributes, run.has_failed
    elif operation == "invoke_agent" and got(_AROUND_AGENTS) is not True:
        names = (as_text(got(key)) for key in _NAMES)
        own["gen_ai.agent.name"] = next((each for each in names if each), name)
    elif is_root:
        operation = "invoke_workflow"
        own["gen_ai.workflow.name"] = name
    else:
        operation = _OTHER
    if is_root and operation.startswith("invoke_"):
        own[FINAL] = final_text(_returned(got(_OUTPUT)))
    return Described(
        operation,
        {key: each for key, each in own.items() if each is not None},
        has_failed,
        identity_of(got(TASK_ID)) or identity_of(got("task_id")),
        usage,
    )


def _usage(counts: Mapping[str, Any]) -> Usage | None:
    """Usage as MLflow counted it: the input includes cached tokens."""
    return made_usage(
        count(counts.get("input_tokens")),
        count(counts.get("output_tokens")),
        cached=count(counts.get("cache_read_input_tokens")),
        written=count(counts.get("cache_creation_input_tokens")),
        total=count(counts.get("total_tokens")),
    )


def _arguments(given: JsonValue) -> JsonValue:
    """What a tool was given; smolagents passes no positional arguments."""
    if isinstance(given, dict) and "kwargs" in given and given.keys() <= _CALLED:
        return {"args": [], **given}
    return given


def _returned(output: JsonValue) -> JsonValue:
    """What a function returned; values of smolagents are in an object."""
    if isinstance(output, dict) and output.keys() == {"_value"}:
        return output["_value"]
    return output


def _whole(answer: Answer, events: Iterable[Mapping[str, JsonValue]]) -> Answer:
    """An answer with the calls of its stream, if it has none of its own."""
    if any(isinstance(each, dict) and each.get("type") == "tool_call" for each in answer.parts):
        return answer
    calls: dict[str, dict[str, JsonValue]] = {}
    arguments: dict[str, list[str]] = {}
    reason = answer.finish_reason
    for event in events:
        chunk = as_mapping(parsed(event.get(_CHUNK)))
        for choice in map(as_mapping, as_list(chunk.get("choices"))[:1]):
            reason = as_text(choice.get("finish_reason")) or reason
            for each in map(as_mapping, as_list(as_mapping(choice.get("delta")).get("tool_calls"))):
                index = str(each.get("index"))
                call = calls.setdefault(index, {})
                function = as_mapping(each.get("function"))
                for key, text in (("id", each.get("id")), ("name", function.get("name"))):
                    if isinstance(text, str) and text:
                        call[key] = text
                pieces = arguments.setdefault(index, [])
                pieces.append(as_text(function.get("arguments")) or "")
    if not calls:
        return answer
    parts: list[JsonValue] = [*answer.parts]
    for index, call in calls.items():
        parts.append({"type": "tool_call", **call, "arguments": "".join(arguments[index])})
    return answer._replace(parts=parts, finish_reason=reason)
