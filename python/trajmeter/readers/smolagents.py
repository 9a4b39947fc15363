"""Smolagents runs and memories: steps, each with an answer of the model and its outcome.

A step stores the output of all its calls in one text. With several calls it is unclear which output
belongs to which, so they have no results, and their views are those they requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.readers._files.entries import values_in
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.sessions import STRANGERS
from trajmeter.readers._logs.values import as_list, as_object, as_text, first_object
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers.messages.calls import call_of
from trajmeter.readers.messages.drafts import Draft, finished
from trajmeter.readers.messages.fields import name_of
from trajmeter.readers.messages.shapes import content_text
from trajmeter.readers.messages.usage import count, made_usage, openai_usage
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.records import Failure, ReadProblem, Source, Trajectory
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.records import Turn, Usage

__all__ = ["SMOLAGENTS_MEMORIES", "SMOLAGENTS_RUNS"]

_MAX_STEPS = ("max_steps_error", "AgentMaxStepsError")
_NO_ANSWER = "AgentGenerationError"
_UNANSWERED = "no_answer"
_FINAL = "final_answer"
_OUTCOMES = (
    "model_output",
    "model_output_message",
    "tool_calls",
    "error",
    "observations",
    "action_output",
    "token_usage",
)
"""Keys of a step, one of which has a value if the model answered."""
_REASONS = {
    "AgentParsingError": "parse_error",
    "AgentToolCallError": "parse_error",
    "AgentMaxStepsError": "max_turns_exceeded",
}
_CARRIES = (
    "model",
    "turns.number",
    "turns.text",
    "turns.program",
    "turns.success",
    "turns.error",
    "turns.tool_calls.name",
    "turns.tool_calls.arguments",
    "turns.tool_calls.id",
    "turns.tool_calls.result",
    "turns.tool_calls.success",
    "turns.tool_calls.error",
    "turns.views",
    "turns.usage",
    "turns.duration_seconds",
    "final_output",
    "failure",
    "leaks",
    "metadata",
)


def _is_step(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    is_plan = "plan" in value and ("timing" in value or "model_output_message" in value)
    is_answer = is_plan or _number(value) is not None
    return is_answer or "system_prompt" in value or {"task", "task_images"} <= value.keys()


def _number(step: Mapping[str, JsonValue]) -> JsonValue:
    """The number of a step that acts, under its older key too."""
    older = step.get("step") if "model_output" in step else None
    return step.get("step_number", older)


def _recognises_run(record: Mapping[str, JsonValue]) -> Evidence | None:
    steps = record.get("steps")
    if not isinstance(steps, list) or not _is_step(first_object(steps)):
        return None
    return Evidence.CERTAIN if "state" in record and "output" in record else None


def _read_run(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory."""
    state = as_text(record.get("state"))
    usage, timing = as_object(record.get("token_usage")), as_object(record.get("timing"))
    fields = _fields(as_list(record.get("steps")))
    return Trajectory(
        **{
            **fields,
            "task_id": name_of(source),
            "source": source,
            "final_output": _text(record.get("output")) or fields["final_output"],
            "usage": None if usage is None else _counted(usage),
            "duration_seconds": None if timing is None else finite(timing.get("duration")),
            "failure": fields["failure"]
            or (Failure(reason="max_turns_exceeded") if state in _MAX_STEPS else None),
            "metadata": {} if state is None else {"exit_status": state},
        }
    )


def _recognises_memory(_: Path, head: bytes) -> Evidence | None:
    return Evidence.CERTAIN if any(map(_is_memory, beginning(head)[: STRANGERS + 1])) else None


def _is_memory(steps: JsonValue) -> bool:
    return isinstance(steps, list) and len(steps) > 0 and all(map(_is_step, steps[:2]))


def _memory(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    others: list[tuple[Source, JsonValue]] = []
    for source, value in values_in(path, report):
        if isinstance(value, list):  # a line for each memory
            yield _remembered(value, source)
        else:
            others.append((source, value))
    if any(_is_step(value) for _, value in others):
        yield _remembered([value for _, value in others], Source(file=str(path)))
        return
    for source, value in others:
        message = f"expected steps or a list of them, got {json_input.type_name(value)}"
        report(problem_at(source, message))


def _remembered(steps: Sequence[JsonValue], source: Source) -> Trajectory:
    return Trajectory(**{**_fields(steps), "task_id": name_of(source), "source": source})


def _fields(steps: Sequence[JsonValue]) -> dict[str, Any]:
    """The trajectory fields derived from the steps."""
    held_steps = [step for step in steps if isinstance(step, dict)]
    answers = [step for step in held_steps if _has_answer(step)]
    held = finished([_draft(*each) for each in enumerate(answers)], views=TOOL_VIEWS)
    turns = tuple(map(_turn, held.turns, answers))
    last = answers[-1] if answers else {}
    error = as_object(last.get("error")) or {}
    message = as_text(error.get("message"))
    is_over = error.get("type") in _MAX_STEPS
    is_failed = is_over or error.get("type") == _NO_ANSWER
    reason = "max_turns_exceeded" if is_over else _NO_ANSWER
    if not is_over and is_too_long(message):
        reason = "budget_exhausted"
    return {
        "model": next((model for step in answers if (model := _model(step))), None),
        "turns": turns,
        "final_output": _text(last.get("action_output")) if is_over else _final_output(last),
        "leaks": held.leaks,
        "failure": Failure(reason=reason, message=message)
        if is_failed
        else _unanswered(held_steps),
    }


def _unanswered(steps: Sequence[Mapping[str, Any]]) -> Failure | None:
    """The failure of a run whose last request got no answer; smolagents stores no error of it."""
    last = steps[-1] if steps else {}
    is_unanswered = _number(last) is not None and not _has_answer(last)
    return Failure(reason=_UNANSWERED) if is_unanswered else None


def _final_output(step: Mapping[str, Any]) -> str | None:
    """The final answer, if a step gives it; not all agents mark it.

    An agent that calls a tool with its answer keeps only what the tool returned.
    """
    made = [
        as_object((as_object(each) or {}).get("function"))
        for each in as_list(step.get("tool_calls"))
    ]
    called = any(each.get("name") == _FINAL for each in made if each)
    # Code gives it too, and before 1.19 no mark says so.
    in_code = any(f"{_FINAL}(" in str(each.get("arguments")) for each in made if each)
    is_final = step.get("is_final_answer", in_code)
    if not called and not is_final:
        return None
    answer = step.get("action_output")
    return _text(step.get("observations") if answer is None and called else answer)


def _has_answer(step: Mapping[str, Any]) -> bool:
    """Whether the model answered; a step whose request failed records nothing."""
    is_numbered = _number(step) is not None and any(step.get(key) for key in _OUTCOMES)
    return is_numbered or "plan" in step


def _draft(index: int, step: Mapping[str, Any]) -> Draft:
    draft = Draft(index)
    message = as_object(step.get("model_output_message")) or {}
    text = content_text(step.get("model_output")) or content_text(message.get("content"))
    if text is None and not message:
        text = as_text(step.get("plan")) or _text(step.get("action_output"))
    draft.texts += [] if text is None else [text]
    # A step whose calls failed lists none of them.
    called = as_list(step.get("tool_calls")) or as_list(message.get("tool_calls"))
    draft.calls += [call for each in called if (call := call_of(each))]
    raw = as_object((as_object(message.get("raw")) or {}).get("usage"))
    usage = as_object(step.get("token_usage"))
    draft.usage = openai_usage(raw) if raw is not None else _counted(usage or {})
    if len(draft.calls) == 1:
        error = as_object(step.get("error"))
        (call,) = draft.calls
        observed = step.get("observations")
        call["result"] = observed if isinstance(observed, str) else None
        if error is not None and error.get("type") not in _MAX_STEPS:
            call["success"], call["error"] = False, as_text(error.get("message"))
        elif call["result"] is not None:
            call["success"] = True
    return draft


def _turn(turn: Turn, step: Mapping[str, Any]) -> Turn:
    """A turn with the data of its step."""
    error = as_object(step.get("error"))
    update: dict[str, Any] = {
        "number": count(_number(step)),
        "duration_seconds": finite((as_object(step.get("timing")) or step).get("duration")),
    }
    if code := as_text(step.get("code_action")):
        update["program"] = code
    if error is not None and error.get("type") not in _MAX_STEPS:
        kind = str(error.get("type"))
        failure = Failure(reason=_REASONS.get(kind, kind), message=as_text(error.get("message")))
        update |= {"success": False, "error": failure}
    elif len(turn.tool_calls) > 1 and step.get("observations") is not None:
        shown = [TOOL_VIEWS.views_of(call) for call in turn.tool_calls]
        update["views"] = tuple(view for each in shown if each for view in each.views) or None
    return turn.model_copy(update=update)


def _counted(usage: Mapping[str, Any]) -> Usage | None:
    names = ("input_tokens", "output_tokens", "total_tokens")
    given, made, total = (count(usage.get(name)) for name in names)
    return made_usage(given, made, total=total)


def _model(step: Mapping[str, Any]) -> str | None:
    message = as_object(step.get("model_output_message")) or {}
    return as_text((as_object(message.get("raw")) or {}).get("model"))


def _text(value: JsonValue) -> str | None:
    return None if value is None else value if isinstance(value, str) else str(value)


SMOLAGENTS_RUNS = RecordFormat(
    name="smolagents-runs",
    description="runs of smolagents",
    makes=Trajectory,
    carries=(*_CARRIES, "usage", "duration_seconds"),
    origin="smolagents 1.26.0, the result of run(return_full_result=True)",
    keys=frozenset({"steps"}),
    recognises=_recognises_run,
    read=_read_run,
)

SMOLAGENTS_MEMORIES = FileFormat(
    name="smolagents-memories",
    description="memories of smolagents",
    makes=Trajectory,
    carries=_CARRIES,
    origin="smolagents 1.26.0, memory.get_full_steps()",
    recognises=_recognises_memory,
    records=_memory,
)
