"""OpenHands folders: SDK conversations, and model completions with one file each.

Neither contains a patch. A conversation names no task, so its id is used; the folder of completions
is named after theirs. The last completion contains all messages before its own.
"""

from __future__ import annotations

import json
import os
import re
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.escapes import whole_escapes
from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._logs.litellm import model_name
from trajmeter.readers._logs.values import as_list, as_mapping, as_text
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.messages import message_turns
from trajmeter.readers.messages.usage import openai_usage
from trajmeter.readers.openhands.attempt import (
    below,
    metric_fields,
    usage_by_reply,
)
from trajmeter.readers.openhands.contextbench import calls_show, fields_with_steps
from trajmeter.readers.openhands.sdk import CARRIED, failure_of, read_events
from trajmeter.readers.tool_views import tool_views
from trajmeter.records import ReadProblem, Source, Trajectory, Usage, View
from trajmeter.records.measurements import finite
from trajmeter.records.record import LARGEST_COUNT
from trajmeter.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.records import ToolCall

__all__ = ["COMPLETIONS", "CONVERSATION"]

_STATE = "base_state.json"
_EVENTS = "events"
_AGENT = "agent"
"""Name of the metrics of the agent's model, unless its settings name them."""
_SHELLS = ("terminal", "execute_bash")
_FAILED = "[An error occurred during execution.]"
"""The beginning of the result of a tool that failed."""
_ENDING = re.compile(
    r"(?:\n?\[(?:The command completed|Current working directory|Python interpreter"
    r"|Command finished with exit code)[^\n]*)*\Z"
)
_FOLDER = re.compile(r"\n\[Current working directory: (/[^\n]*)\]")
_COMPLETION = re.compile(r".+-[0-9]{10}\.[0-9]+(?:-[0-9a-f]{4})?\.json")
"""Model and time; the SDK appends the beginning of an id."""
_COMPLETIONS = "llm_completions"
"""Name of the folder with a folder of completions for each task."""
_TRIED = 3
"""Number of completions that are tried, as some may be cut off."""
_EXIT_CODE = re.compile(r"exit code (-?[0-9]{1,9})\.?\]\Z")


def _is_conversation(path: Path, _: bytes) -> Evidence | None:
    if not path.is_dir() or not (path / _STATE).is_file():
        return None
    return Evidence.CERTAIN if (path / _EVENTS).is_dir() else None


def _conversation(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the run in a conversation's folder."""
    state = as_mapping(_load(path / _STATE, report))
    files = sorted((path / _EVENTS).glob("event-*.json"))
    events = [event for file in files if (event := _load(file, report)) is not None]
    model = as_mapping(as_mapping(state.get("agent")).get("llm"))
    by_usage = as_mapping(as_mapping(state.get("stats")).get("usage_to_metrics"))
    name = as_text(model.get("usage_id")) or _AGENT
    metrics = as_mapping(by_usage.get(name) or by_usage.get(_AGENT))
    root = as_mapping(state.get("workspace")).get("working_dir")
    usages = usage_by_reply(metrics)
    fields = read_events(events, usages, root if isinstance(root, str) else None)
    status = state.get("execution_status")
    if isinstance(status, str):
        fields["metadata"] = {"exit_status": status}
        if fields["failure"] is None:
            fields["failure"] = failure_of(status, None)
    identity = state.get("id")
    yield made_trajectory(
        {
            **fields,
            **metric_fields(metrics, model),
            "task_id": identity if isinstance(identity, str) else path.name,
            "agent": "openhands",
            "source": Source(file=str(path)),
        }
    )


def _load(path: Path, report: Callable[[ReadProblem], None]) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(whole_escapes(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        report(ReadProblem(file=str(path), message=f"invalid JSON: {error}"))
        return None


def _is_completions(path: Path, _: bytes) -> Evidence | None:
    if not path.is_dir():
        return None
    found = path.iterdir() if is_remote(path) else os.scandir(path)  # there may be many files
    names = nsmallest(_TRIED, (each.name for each in found if each.name.endswith(".json")))
    record = next(filter(None, (_object_in(path / name) for name in names)), {})
    is_placed = path.parent.name == _COMPLETIONS or record.keys() >= {"response", "timestamp"}
    return Evidence.CERTAIN if is_placed and isinstance(record.get("messages"), list) else None


def _object_in(file: Path) -> Mapping[str, Any]:
    """The object in a file; empty if it cannot be read."""
    if not file.is_file():
        return {}
    try:
        return as_mapping(json.loads(whole_escapes(file.read_bytes())))
    except (OSError, ValueError, RecursionError):
        return {}


def _completions(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the run in a folder of completions."""
    loaded = [(file, _load(file, report)) for file in sorted(path.glob("*.json"))]
    found = [(_as_called(each), file) for file, each in loaded if isinstance(each, dict)]
    found = [each for each in found if isinstance(each[0].get("messages"), list)]
    if not found:
        raise ReadError(f"{path}: no completion has messages")
    found.sort(key=lambda each: _time(each[0]))
    answers = [_answer(completion) for completion, _ in found]
    last, _ = found[-1]
    messages = [*last["messages"], *([answers[-1]] if "response" in last else ())]
    usages = [_counts(completion) for completion, _ in found]
    shown = message_turns(
        messages,
        views=tool_views(dict.fromkeys(_SHELLS, _Shell())),
        usage=lambda _: None,
        failed=_has_failed,
    )
    turns = list(shown.turns)
    # If the list has as many answers as there are completions, each has its own. If the history was
    # shortened, the last list contains only its end.
    if has_all := len(turns) == len(usages):
        turns = [
            turn.model_copy(update={"usage": usage})
            for turn, usage in zip(turns, usages, strict=True)
        ]
    model = as_mapping(last.get("response")).get("model")
    yield Trajectory(
        task_id=path.name,
        agent="openhands",
        model=model_name(model) if isinstance(model, str) else None,
        source=Source(file=str(path)),
        turns=tuple(turns),
        usage=None if has_all else _sum(usages),
        final_output=shown.final_output,
        dropped_calls=shown.dropped_calls,
        unusable=shown.unusable,
        leaks=shown.leaks,
    )


def _completions_as_contextbench(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """Read the run with views as ContextBench counts them: what the last file by name requests."""
    (trajectory,) = _completions(path, report)
    last = as_mapping(_load(max(path.glob("*.json")), lambda _: None))
    shown = calls_show(as_list(last.get("messages")))
    fields = {name: getattr(trajectory, name) for name in trajectory.model_fields_set}
    steps = fields_with_steps(trajectory.turns or (), shown)
    yield made_trajectory({**fields, "leaks": None, **steps})


def _has_failed(call: ToolCall) -> bool | None:
    """Whether a result says that its call failed; others do not tell."""
    is_told = isinstance(call.result, str) and call.result.startswith(_FAILED)
    return True if is_told else None


def _as_called(completion: Mapping[str, Any]) -> Mapping[str, Any]:
    """A completion with its calls, if they were written as text for a model without tools."""
    messages, response = completion.get("fncall_messages"), completion.get("fncall_response")
    if not isinstance(messages, list) or not isinstance(response, dict):
        return completion
    counted = {**as_mapping(completion.get("response")), **response}
    return {**completion, "messages": messages, "response": counted}


def _sum(usages: Iterable[Usage | None]) -> Usage | None:
    """Total usage of all completions, without counts that any lacks and sums that are too large."""
    known = [usage or Usage() for usage in usages]
    totals: dict[str, Any] = {}
    for name in Usage.model_fields:
        counts = [getattr(usage, name) for usage in known]
        total: Any = None if None in counts else sum(counts)
        is_known = finite(total) is not None and total <= LARGEST_COUNT
        totals[name] = total if is_known else None
    usage = Usage.model_validate(totals)
    return None if usage == Usage() else usage


def _time(completion: Any) -> float:  # noqa: ANN401 - any JSON object
    return finite(completion.get("timestamp")) or 0.0


def _answer(completion: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON object
    choices = as_mapping(completion.get("response")).get("choices")
    first = as_mapping(choices[0]) if isinstance(choices, list) and choices else {}
    return {"role": "assistant", **as_mapping(first.get("message"))}


def _counts(completion: Any) -> Any:  # noqa: ANN401 - any JSON object
    usage = openai_usage(as_mapping(as_mapping(completion.get("response")).get("usage")))
    cost = completion.get("cost")
    return usage if usage is None else usage.model_copy(update={"cost_usd": finite(cost)})


class _Shell:
    """What commands show in a persistent shell."""

    def __init__(self) -> None:
        self._folder: str | None = None
        self._root: str | None = None

    def __call__(self, call: ToolCall) -> tuple[View, ...]:
        """Views of a command, from output that ends with its exit code and folder."""
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        command = arguments.get("command")
        if not isinstance(command, str) or not isinstance(call.result, str):
            return ()
        from trajmeter.readers.shell_views import shell_views  # not needed to recognise a format

        code = _EXIT_CODE.search(call.result)
        output = _ENDING.sub("", call.result, count=1)
        known = int(code[1]) if code is not None else None
        found = shell_views(
            command,
            output,
            exit_code=known,
            folder=self._folder,
            root=self._root,
            trimmed=True,
        )
        if moved := _FOLDER.search(call.result, len(output)):
            self._folder = moved[1]
            if self._root is None and "cd " not in command:
                self._root = self._folder
        return tuple(below(view, self._root) for view in found.views)


CONVERSATION = FileFormat(
    name="openhands-conversation",
    description="conversations of OpenHands' SDK",
    makes=Trajectory,
    carries=CARRIED,
    origin="OpenHands SDK 1",
    recognises=_is_conversation,
    records=_conversation,
    folder_files=frozenset({_STATE}),
)
COMPLETIONS = FileFormat(
    name="openhands-completions",
    description="folders of completions of OpenHands",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "turns.text",
        "turns.program",
        "turns.success",
        "turns.error",
        "turns.tool_calls",
        "turns.views",
        "turns.usage",
        "usage",
        "final_output",
        "leaks",
    ),
    origin="OpenHands 0 and SDK 1",
    recognises=_is_completions,
    records=_completions,
    profile_records={"contextbench": _completions_as_contextbench},
    folder_pattern=_COMPLETION,
    folder_parents=frozenset({_COMPLETIONS}),
)
