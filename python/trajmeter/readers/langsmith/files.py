"""Files of LangSmith's runs: JSON lines, or a list, of single runs or of roots with all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from trajmeter.readers._logs.sessions import events, first_objects, known_only
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.langsmith.feedback import is_feedback, scores_of
from trajmeter.readers.langsmith.runs import flattened, metadata_of, run_of, trace_of
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.opentelemetry.runs import CARRIED_BY_RUNS, attempt_of_runs, with_scores
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from trajmeter.readers._logs.sessions import Event

__all__ = ["LANGSMITH_RUNS"]

_Traces: TypeAlias = "dict[str, dict[str, Mapping[str, Any]]]"
"""Runs by the id of their trace, and by their own id."""

_LINKS = ("trace_id", "dotted_order", "parent_run_id", "child_runs")
_CONTENTS = ("inputs", "outputs", "start_time")


def _is_run(value: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(value, dict) or not isinstance(value.get("run_type"), str):
        return False
    return any(key in value for key in _CONTENTS)


def _page(value: Mapping[str, Any]) -> Sequence[Any]:
    """The runs of a page of the API; the value itself if it is none."""
    runs = value.get("runs")
    return runs if isinstance(runs, list) and not _is_run(value) else [value]


def _recognises(_: Path, head: bytes) -> Evidence | None:
    # A broken line may have no key.
    values = [each for value in first_objects(head) for each in _page(value) if each]
    runs = [each for each in values if _is_run(each)]
    if not runs or 2 * len(runs) < sum(not is_feedback(each) for each in values):
        return None
    are_linked = any(key in each for each in runs for key in _LINKS)
    # A long run may be cut off before its links.
    return Evidence.CERTAIN if are_linked else Evidence.LIKELY


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace; runs may come in any order."""
    traces: _Traces = {}
    feedback: dict[str, list[Mapping[str, Any]]] = {}
    for event in events(path, report):
        for value in _page(event.value):
            if _is_run(value):
                _add_runs(value, event, traces)
            elif is_feedback(value):
                feedback.setdefault(str(value["run_id"]), []).append(value)
            else:
                event.problem("expected a run: an object with run_type and inputs")
    found = False
    for trace, runs in traces.items():
        attempt = _attempt(trace, runs.values(), Source(file=str(path), record=trace))
        if attempt is not None:
            found = True
            root = runs.get(trace, {})  # the trace has its id
            yield with_scores(attempt, scores_of(root, feedback.get(trace, ())))
    if traces and not found:
        report(ReadProblem(file=str(path), message="no run is of a model or of a tool"))


def _add_runs(value: Mapping[str, Any], event: Event, traces: _Traces) -> None:
    """Add a run, and those nested in it, to their traces."""
    for run in flattened(value):
        trace = trace_of(run)
        if trace is None:
            event.problem("a run with neither id nor trace_id")
            continue
        runs = traces.setdefault(trace, {})
        key = identity_of(run.get("id")) or f"run {len(runs)}"
        runs[key] = {**runs.get(key, {}), **known_only(**run)}


def _attempt(trace: str, runs: Iterable[Mapping[str, Any]], source: Source) -> Trajectory | None:
    # Runs that began at the same time are ordered by this alone.
    ordered = sorted(runs, key=lambda run: str(run.get("dotted_order", "")))
    root_first = sorted(ordered, key=lambda run: run.get("parent_run_id") is not None)
    named = [identity_of(metadata_of(run).get("task_id")) for run in root_first]
    named += [identity_of(run.get("reference_example_id")) for run in root_first]
    task = next((each for each in named if each is not None), None)
    return attempt_of_runs([run_of(run, trace) for run in ordered], source, task)


LANGSMITH_RUNS = FileFormat(
    name="langsmith-runs",
    description="runs of LangSmith",
    makes=Trajectory,
    carries=(*CARRIED_BY_RUNS, "passed"),
    origin="langsmith 0.15.1, each run of client.list_runs() as a line, "
    "with the runs of langchain-core 1.8.3, wrap_openai and wrap_anthropic",
    recognises=_recognises,
    records=_records,
)
