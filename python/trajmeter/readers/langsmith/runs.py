"""One run of LangSmith: of a model, a tool, or a part of the program around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_mapping, as_text, epoch_seconds
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.messages.usage import count, langchain_usage, made_usage
from trajmeter.readers.opentelemetry.runs import CHAT, OTHER, TOOL, Run, recorded_cost

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trajmeter.records import Usage

__all__ = ["flattened", "metadata_of", "run_of", "trace_of"]

_OPERATIONS = {"llm": CHAT, "tool": TOOL}
_MODELS = ("model", "model_name")


def flattened(run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A run and the runs nested in it, each with the ids of its trace and its parent."""
    waiting = [run]
    while waiting:
        outer = waiting.pop()
        yield outer
        trace = trace_of(outer)
        inner = outer.get("child_runs")
        for each in reversed(inner) if isinstance(inner, list) else ():
            if isinstance(each, dict):
                links = {"parent_run_id": outer.get("id"), "trace_id": trace}
                known = {key: value for key, value in each.items() if value is not None}
                waiting.append({**links, **known})


def trace_of(run: Mapping[str, Any]) -> str | None:
    """Id of the trace that a run belongs to, which is the id of the trace's root."""
    return identity_of(run.get("trace_id")) or identity_of(run.get("id"))


def metadata_of(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a run."""
    return as_mapping(as_mapping(run.get("extra")).get("metadata"))


def run_of(run: Mapping[str, Any], trace: str) -> Run:
    """The parts of a run that are read; of its settings, only the model's name."""
    extra, metadata = as_mapping(run.get("extra")), metadata_of(run)
    settings = as_mapping(extra.get("invocation_params"))
    models = (metadata.get("ls_model_name"), *(settings.get(each) for each in _MODELS))
    return Run(
        trace=trace,
        id=identity_of(run.get("id")),
        parent=identity_of(run.get("parent_run_id")),
        operation=_OPERATIONS.get(str(run.get("run_type")), OTHER),
        name=as_text(run.get("name")),
        start=epoch_seconds(run.get("start_time")),
        end=epoch_seconds(run.get("end_time")),
        is_error=as_text(run.get("error")) is not None or run.get("status") == "error",
        error=as_text(run.get("error")),
        input=run.get("inputs"),
        output=run.get("outputs"),
        model=next((model for each in models if (model := as_text(each))), None),
        usage=_usage(run, metadata),
        cost=recorded_cost(run.get("total_cost")),
        agent=as_text(metadata.get("lc_agent_name")),
        call_id=identity_of(extra.get("tool_call_id")),
    )


def _usage(run: Mapping[str, Any], metadata: Mapping[str, Any]) -> Usage | None:
    """Usage as the wrapper of a client recorded it, or as LangSmith counted it.

    LangSmith writes 0 for what was not recorded.
    """
    recorded = metadata.get("usage_metadata")
    if isinstance(recorded, dict) and (usage := langchain_usage(recorded)):
        return usage
    prompt, completion = count(run.get("prompt_tokens")), count(run.get("completion_tokens"))
    total = count(run.get("total_tokens"))
    if not (prompt or completion or total):
        return None
    read = as_mapping(run.get("prompt_token_details"))
    return made_usage(
        prompt,
        completion,
        cached=count(read.get("cache_read")),
        written=count(read.get("cache_creation")),
        reasoning=count(as_mapping(run.get("completion_token_details")).get("reasoning")),
        total=total,
    )
