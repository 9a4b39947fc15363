"""Files that ContextBench's modified SWE-agent writes next to a trajectory.

``<id>.checkpoints.jsonl`` has a line for each call of a tool that shows files, and lines with the
context that the agent declares; ``<id>.context.json`` summarises what a run viewed and edited. The
file name gives the task.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._files.content import content_name
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._logs.values import as_list
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers.contextbench.views import bounded, views_of
from trajmeter.readers.swe_agent.declared import declared_views, path_in_repository
from trajmeter.readers.swe_agent.run import failure_of
from trajmeter.readers.swe_agent.turns import turns_with
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.readers.contextbench.views import NewView

__all__ = ["CHECKPOINTS", "CONTEXT"]

_CHECKPOINTS = ".checkpoints.jsonl"
_CONTEXT = ".context.json"
_AGENT = "swe-agent"
_VIEW = re.compile(
    r"str_replace_editor view\s+(?P<path>\S+)"
    r"(?:\s+--view_range\s+(?P<first>\d+)\s+(?P<last>\d+))?"
)


def _recognises_checkpoints(path: Path, head: bytes) -> Evidence | None:
    lines = [line for line in beginning(head) if isinstance(line, dict)]
    if len(lines) > 1 and not head.rstrip().endswith(b"}"):
        del lines[-1]  # it is cut off
    calls = [line for line in lines if line.keys() >= {"tool", "action", "step"}]
    contexts = [line for line in lines if line.get("type") == "patch_context"]
    if 2 * (len(calls) + len(contexts)) <= len(lines):
        return None
    return Evidence.CERTAIN if path.name.endswith(_CHECKPOINTS) else Evidence.LIKELY


def _checkpoints(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The run in a checkpoints file."""
    calls, contexts = _lines(path, report)
    # The file does not contain the end of the run, so its last line is not the last step.
    turns, leaks = turns_with([*calls, {}], "/testbed")
    declared = next((views for text in reversed(contexts) if (views := declared_views(text))), None)
    yield _trajectory(path, turns=turns[:-1], final_views=declared, leaks=leaks)


def _checkpoints_as_contextbench(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[Trajectory]:
    """The run with views as ContextBench counts them: ranges requested from the editor."""
    calls, contexts = _lines(path, report)
    steps = [views for call in calls if (views := _requested_view(call)) is not None]
    declared = next((text for text in reversed(contexts) if text), None)
    final = declared_views(declared) if declared is not None else steps[-1] if steps else []
    yield _trajectory(path, turns=[{"views": views} for views in steps], final_views=final)


def _requested_view(call: Mapping[str, Any]) -> list[NewView] | None:
    """The views of the first ``view`` in an action, wherever that is, if it names two lines."""
    match = _VIEW.search(str(call.get("action") or ""))
    if match is None or match["last"] is None:
        return None
    first, last = (bounded(int(match[edge][:20])) for edge in ("first", "last"))
    path = path_in_repository(match["path"])
    return views_of([path], {path: [{"start": first, "end": last}]}) if first and last else None


def _lines(
    path: Path, report: Callable[[ReadProblem], None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The calls in a file, and the contexts it declares."""
    calls: list[dict[str, Any]] = []
    contexts: list[str] = []
    for source, value in entries(path):
        if isinstance(value, ReadError):
            report(problem_at(source, str(value)))
        elif isinstance(value, dict) and value.get("type") == "patch_context":
            contexts.append(str(value.get("patch_context") or ""))
        elif isinstance(value, dict) and isinstance(value.get("action"), str):
            observation = value.get("observation")
            text = observation if isinstance(observation, str) else None
            calls.append({**value, "observation": text, "response": None, "execution_time": None})
        else:
            message = "expected a call with an action, or a patch context"
            report(problem_at(source, message))
    return calls, contexts


def _trajectory(path: Path, **fields: object) -> Trajectory:
    return made_trajectory(
        {
            "task_id": content_name(path).removesuffix(_CHECKPOINTS),
            "agent": _AGENT,
            "source": Source(file=str(path)),
            **fields,
        }
    )


def _recognises_context(record: Mapping[str, JsonValue]) -> Evidence | None:
    is_summary = record.keys() >= {"viewed_files", "file_line_ranges"}
    return Evidence.CERTAIN if is_summary else None


def _read_context(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    return _summary(record, source)


def _read_context_as_contextbench(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """The summary as ContextBench reads it.

    Files with ranges and edited lines count as viewed, and a missing line is the first.
    """
    return _summary(record, source, is_any=True)


def _summary(
    record: Mapping[str, JsonValue], source: Source, *, is_any: bool = False
) -> Trajectory:
    files, ranges = record.get("viewed_files"), record.get("file_line_ranges")
    if not isinstance(files, list) or not isinstance(ranges, dict):
        raise ReadError("viewed_files: expected a list, and file_line_ranges an object")
    spans: dict[str, Any] = {}
    for path, found in ranges.items():
        spans.setdefault(path_in_repository(path), []).extend(
            {edge: bounded(each.get(edge, 1 if is_any else None)) for edge in ("start", "end")}
            for each in as_list(found)
            if isinstance(each, dict) and (is_any or each.get("type") != "edit")
        )
    named = [path_in_repository(path) for path in files if isinstance(path, str)]
    if is_any:
        named = [*dict.fromkeys((*named, *spans))]
    info = record.get("info")
    info = info if isinstance(info, dict) else {}
    status = info.get("exit_status")
    status = status if isinstance(status, str) else None
    return made_trajectory(
        {
            "task_id": content_name(Path(source.file)).removesuffix(_CONTEXT),
            "agent": _AGENT,
            "source": source,
            "final_views": views_of(named, spans),
            "final_patch": info.get("submission"),
            "final_output": info.get("submission"),
            "failure": failure_of(status),
            "metadata": {} if status is None else {"exit_status": status},
        }
    )


CHECKPOINTS = FileFormat(
    name="swe-agent-checkpoints",
    description="checkpoints of SWE-agent",
    makes=Trajectory,
    carries=(
        "agent",
        "turns.number",
        "turns.program",
        "turns.tool_calls.name",
        "turns.tool_calls.arguments",
        "turns.tool_calls.result",
        "turns.views",
        "final_views",
        "leaks",
    ),
    origin="SWE-agent, as ContextBench runs it",
    recognises=_recognises_checkpoints,
    records=_checkpoints,
    profile_records={"contextbench": _checkpoints_as_contextbench},
)
CONTEXT = RecordFormat(
    name="swe-agent-context",
    description="summaries of the files that SWE-agent viewed",
    makes=Trajectory,
    carries=(
        "agent",
        "final_views",
        "final_patch",
        "final_output",
        "failure",
        "unusable",
        "metadata",
    ),
    origin="SWE-agent, as ContextBench runs it",
    keys=frozenset({"viewed_files", "file_line_ranges"}),
    recognises=_recognises_context,
    read=_read_context,
    profile_reads={"contextbench": _read_context_as_contextbench},
)
