"""Runs of fc-eval: a folder of tasks, trials and agents, each with its ``results.json``.

::

    <run>/fc.lock · run_metadata.json · results.json
    <run>/<task>/<trial>/results.json                      the merged result, or that of one agent
    <run>/<task>/<trial>.agent-<number>-<agent>/           one agent's own
        results.json · agent-logs/*.json · sessions/*.cast

A trial is named ``<task>.<i>-of-<n>.<run>``. Agents' own results are read if they exist, otherwise
the merged one. The folder of a task, trial or agent can be read separately, and so can each
``results.json``; in a folder of runs, every run is read.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.fceval.config import RUN_FILES, Agent, agents_of_run, is_run, read_object
from trajmeter.readers.fceval.folders import (
    AGENT_FOLDER,
    RESULTS,
    TRIAL_FOLDER,
    Place,
    folders_in,
    runs_in,
    trial_of,
    with_folder_name,
)
from trajmeter.readers.fceval.logs import read_logs
from trajmeter.readers.fceval.results import agent_of_result, is_trial, read_agent, read_merged
from trajmeter.readers.fceval.turns import turns_in
from trajmeter.records import ReadProblem, Source, Trajectory
from trajmeter.records.measurements import UNKNOWN_MODEL, normalise_model

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

__all__ = ["RUNS"]

_OF_TRIAL, _METRICS = b'"trial_name"', b'"parser_extra_metrics"'
_ENDS = (b'"failure_mode"', b'"is_resolved"')
_HEAD = 1 << 16
_OF_LOGS = frozenset({"turns", "leaks"})


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether it is the folder of a run or of runs, or a results file."""
    if path.is_dir():
        own = [path] if (path / RESULTS).is_file() else []
        is_part = any(map(_is_part, chain(own, folders_in(path))))
        is_known = is_part or bool(runs_in(path))
    else:
        is_known = head.lstrip()[:1] == b"{" and _is_result(head)
    return Evidence.CERTAIN if is_known else None


def _is_result(head: bytes) -> bool:
    """Whether the beginning of a results file names a trial and how it ended, or measurements."""
    # Other formats name a trial too, such as Harbor's configurations and results.
    return _METRICS in head or (_OF_TRIAL in head and any(mark in head for mark in _ENDS))


def _is_part(folder: Path) -> bool:
    """Whether a folder is of a run, a trial or an agent; many programs write a results.json."""
    name = folder.name
    if AGENT_FOLDER.fullmatch(name) or TRIAL_FOLDER.fullmatch(name) or is_run(folder):
        return True
    try:
        with open_content(folder / RESULTS) as file:
            head = file.read(_HEAD)
    except (OSError, ReadError):  # reported when it is read
        return True
    return _is_result(head)


def _read(
    path: Path, report: Callable[[ReadProblem], None], columns: Collection[str] = _OF_LOGS
) -> Iterator[Trajectory]:
    """Read every agent's attempts, trial by trial, in the order the agents were configured.

    Args:
        path: Folder or file.
        report: Called with every file that is skipped because it cannot be read.
        columns: Fields to fill; recordings are long, so turns are read only if requested.
    """
    path = with_folder_name(path)
    has_turns = any(column.partition(".")[0] in _OF_LOGS for column in columns)
    if not path.is_dir():
        return _Run(path.parent, report, has_turns=has_turns).read_file(path)
    return chain.from_iterable(
        _Run(folder, report, has_turns=has_turns).read_folder(folder)
        for folder in runs_in(path) or [path]
    )


class _Run:
    """A run, and the agents with which it was configured."""

    def __init__(
        self, folder: Path, report: Callable[[ReadProblem], None], *, has_turns: bool
    ) -> None:
        self._report = report
        self._has_turns = has_turns
        self._agents = agents_of_run(folder, report)

    def read_folder(self, path: Path) -> Iterator[Trajectory]:
        trials: dict[tuple[Path, str], list[Path]] = {}
        for folder in folders_in(path):
            trials.setdefault(trial_of(folder), []).append(folder)
        for (where, name), folders in trials.items():
            yield from self._read_trial(Place.of(where, name, where.resolve().name), folders)
        if (path / RESULTS).is_file() and trial_of(path) not in trials:
            yield from self.read_file(path / RESULTS, {name for _, name in trials})

    def read_file(self, path: Path, known: AbstractSet[str] = frozenset()) -> Iterator[Trajectory]:
        """Read a results file, except trials already read."""
        result = read_object(path, self._report)
        if result is None:
            return
        results = result.get("results")
        if isinstance(results, list):
            yield from self._read_run(path, results, known)
        elif not known:
            where, name = trial_of(path.parent)
            yield from self._read_result(Place.of(where, name, where.resolve().name), path, result)

    def _read_trial(self, place: Place, folders: Sequence[Path]) -> Iterator[Trajectory]:
        """Read a trial: its agents' own results, otherwise the merged one."""
        numbered = sorted(
            (int(match["number"]), folder)
            for folder in folders
            if (match := AGENT_FOLDER.fullmatch(folder.name))
        )
        attempts: list[Trajectory] = []
        for folder in [folder for _, folder in numbered] or folders:
            result = read_object(folder / RESULTS, self._report)
            if result is not None:
                attempts += self._read_result(place, folder / RESULTS, result)
        shared = Counter((attempt.agent, attempt.model) for attempt in attempts)
        for attempt in attempts:
            is_shared = shared[attempt.agent, attempt.model] > 1
            yield _named_by_instance(attempt) if is_shared else attempt

    def _read_run(
        self, path: Path, results: Sequence[object], known: AbstractSet[str]
    ) -> Iterator[Trajectory]:
        """Read the results of a whole run, except trials already read."""
        for position, result in enumerate(results):
            if not isinstance(result, dict) or not is_trial(result):
                message = "expected the result of a trial"
                record = f"results[{position}]"
                self._report(ReadProblem(file=str(path), record=record, message=message))
            elif result["trial_name"] not in known:
                name = str(result["trial_name"])
                yield from self._read_result(Place.of(path.parent, name, name), path, result)

    def _read_result(
        self, place: Place, path: Path, result: Mapping[str, Any]
    ) -> Iterator[Trajectory]:
        """Read the attempts of one result: several if merged, otherwise one."""
        if not is_trial(result):
            message = "expected the result of a trial, with 'trial_name' and 'failure_mode'"
            self._report(ReadProblem(file=str(path), message=message))
            return
        source = Source(file=str(path))
        match = AGENT_FOLDER.fullmatch(path.parent.name)
        if match is None:
            merged = list(
                read_merged(
                    result,
                    source,
                    trial=place.trial,
                    attempt=place.attempt,
                    task_id=place.task_id,
                )
            )
            if merged:
                yield from merged
                return
        turns, problems = turns_in(path.parent) if self._has_turns else (None, ())
        yield read_agent(
            result,
            source,
            agent=self._agent(result, match),
            trial=place.trial,
            attempt=place.attempt,
            task_id=place.task_id,
            logs=read_logs(path.parent),
            turns=turns,
            unusable={"turns": "; ".join(problems)} if problems else {},
        )

    def _agent(self, result: Mapping[str, Any], match: re.Match[str] | None) -> Agent | None:
        """The agent of a result: as configured, else as named by the result or its folder."""
        if match is not None and int(match["number"]) in self._agents:
            return self._agents[int(match["number"])]
        said = agent_of_result(result)
        if said is None and match is None and len(self._agents) == 1:
            return next(iter(self._agents.values()))
        if said is None:
            return Agent(match["agent"], UNKNOWN_MODEL) if match else None
        same = [
            agent
            for agent in self._agents.values()
            if (agent.name, agent.model) == (said.name, normalise_model(said.model))
        ]
        return same[0] if same else said


def _named_by_instance(attempt: Trajectory) -> Trajectory:
    """Name the attempt so that it differs from other agents with its name and model."""
    folder = Path(attempt.source.file).parent.name if attempt.source else ""
    match = AGENT_FOLDER.fullmatch(folder)
    if match is None:
        return attempt
    instance = f"agent-{match['number']}-{match['agent']}"
    name = f"{attempt.attempt}.{instance}" if attempt.attempt else instance
    return attempt.model_copy(update={"attempt": name, "instance": instance})


RUNS = FileFormat(
    name="fc-eval-runs",
    description="runs of fc-eval",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        "trial",
        "instance",
        "usage.input_tokens",
        "usage.output_tokens",
        "usage.cost_usd",
        "failure",
        "passed",
        "measurements",
        "pytest_summary",
        "snapshot_summary",
        "run_log",
        "turns.number",
        "turns.program",
        "turns.text",
        "turns.tool_calls",
        "turns.views",
        "turns.extra",
        "duration_seconds",
        "unusable",
        "metadata",
    ),
    origin="fc-eval, and terminal-bench",
    recognises=_recognises,
    records=_read,
    part=_read,
    folder_files=RUN_FILES,
)
