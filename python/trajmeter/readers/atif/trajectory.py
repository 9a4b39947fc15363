"""Trajectories in ATIF, the Agent Trajectory Interchange Format: one JSON object of steps.

Each step of the agent is a turn, with the results in its observation. Steps copied from an earlier
segment are skipped, as they are turns of that segment. Turns of sub-agents follow the turn that
refers to them. The numbers in the last ``final_metrics`` are totals, never added to those of
steps.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.json_input import type_name
from trajmeter.readers._logs.replies import TOKENS, TURNS, Reply, leaks_of, turns_of, usage_fields
from trajmeter.readers._logs.sessions import Clock, known_only, stem_of, usage_from
from trajmeter.readers._logs.shown import Viewer, texts_of
from trajmeter.readers._logs.values import as_list, as_mapping, as_object, as_text, epoch_seconds
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.atif.calls import calls_of
from trajmeter.readers.atif.sub_agents import SubAgentFiles
from trajmeter.records import Failure, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Source, Usage

__all__ = ["TRAJECTORIES", "read_segments"]

_VERSION = "ATIF-v"
_UNKNOWN = "unknown"
_DEEPEST = 50
_UNPARSED = "Previous response had parsing errors"
_CACHE_WRITES = ("cache_creation_input_tokens", "cache_write_input_tokens")
_REASONING = ("reasoning_output_tokens", "reasoning_tokens")


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    version = record.get("schema_version")
    is_atif = isinstance(version, str) and version.startswith(_VERSION)
    return Evidence.DECLARED if is_atif else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a record to a trajectory.

    Raises:
        ReadError: There are no steps.
    """
    return read_segments([record], source)


def read_segments(
    segments: Sequence[Mapping[str, Any]], source: Source, files: Sequence[Path] = ()
) -> Trajectory:
    """Read the segments of a run, in order, as one trajectory.

    Args:
        segments: The records.
        source: Position of the first segment.
        files: The file of each segment, in whose folder it may refer to those of sub-agents; if
            empty, such files are not read.

    Raises:
        ReadError: A segment has no steps.
    """
    first = segments[0]
    run = _Run()
    read = {file.resolve() for file in files}
    for segment, file in zip_longest(segments, files):
        run.files = None if file is None else SubAgentFiles(file.parent, read)
        run.add(segment, None)
    agent = as_object(first.get("agent")) or {}
    identity = as_text(first.get("session_id")) or as_text(first.get("trajectory_id"))
    texts = [reply.text for reply in run.replies if reply.text and reply.agent is None]
    return Trajectory(
        task_id=identity or stem_of(Path(source.file)),
        agent=as_text(agent.get("name")),
        model=_known_model(agent) or run.model,
        source=source,
        turns=turns_of(run.replies),
        leaks=leaks_of(run.replies),
        final_output=texts[-1] if texts else None,
        usage=_total(first, run) if len(segments) == 1 else None,
        duration_seconds=run.clock.passed,
        dropped_calls=run.dropped_calls,
        unusable=run.unusable,
        metadata=known_only(
            version=as_text(agent.get("version")),
            schema_version=as_text(first.get("schema_version")),
            started_at=run.started,
        ),
    )


def _known_model(named: Mapping[str, Any]) -> str | None:
    model = as_text(named.get("model_name"))
    return None if model == _UNKNOWN else model


class _Run:
    """The turns of a run, built segment by segment."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.unusable: dict[str, str] = {}
        self.dropped_calls = 0
        self.clock = Clock()
        self.model: str | None = None
        self.started: str | None = None
        self.files: SubAgentFiles | None = None
        """Files to which a trajectory may refer; ``None`` if they are not read."""
        self._depth = 0

    def add(self, record: Mapping[str, Any], agent: str | None) -> None:
        """Add the steps of a segment or sub-agent.

        Raises:
            ReadError: There are no steps.
        """
        steps, named = record.get("steps"), record.get("agent")
        if not isinstance(steps, list):
            raise ReadError(f"steps: expected a list, got {type_name(steps)}")
        if not isinstance(named, dict) and named is not None:
            self._refuse("agent", f"expected an object, got {type_name(named)}")
        described = as_object(as_mapping(named).get("extra")) or {}
        folders = as_list(described.get("cwds"))
        viewer = Viewer(as_text(described.get("cwd")) or as_text(folders[0] if folders else None))
        others = as_list(record.get("subagent_trajectories"))
        embedded = {str(other.get("trajectory_id")): other for other in others if as_object(other)}
        for at, step in enumerate(steps):
            if not isinstance(step, dict):
                self._refuse(f"steps[{at}]", f"expected an object, got {type_name(step)}")
                continue
            is_copied = step.get("is_copied_context") is True
            if not is_copied and not _has_made_up_times(step):
                self.clock.tick(epoch_seconds(step.get("timestamp")))
                self.started = self.started or as_text(step.get("timestamp"))
            if step.get("source") == "agent" and not is_copied:
                self._add_step(f"steps[{at}]", step, agent, viewer)
            for ref in _references(step):
                self._add_referred(ref, embedded)
        for other in embedded.values():
            self._add_embedded(other)

    def _add_referred(self, ref: Mapping[str, Any], embedded: dict[str, Any]) -> None:
        name, file = as_text(ref.get("trajectory_id")), as_text(ref.get("trajectory_path"))
        if name in embedded:
            self._add_embedded(embedded.pop(name))
        elif file is not None:
            self._add_file(file)

    def _add_embedded(self, record: Mapping[str, Any]) -> None:
        identity = record.get("trajectory_id")
        self._add_sub_agent(record, as_text(identity), f"subagent_trajectories[{identity}]")

    def _add_file(self, file: str) -> None:
        place = f"trajectory_path {file}"
        try:
            record = self._content_of(file)
        except ReadError as error:
            self._refuse(place, str(error))
            return
        if record is not None:
            self._add_sub_agent(record, as_text(record.get("trajectory_id")) or file, place)

    def _add_sub_agent(self, record: Mapping[str, Any], name: str | None, place: str) -> None:
        self._depth += 1
        try:
            self.add(record, _name_of(record) or name)
        except ReadError as error:
            self._refuse(place, str(error))
        finally:
            self._depth -= 1

    def _content_of(self, file: str) -> Mapping[str, Any] | None:
        if self.files is None:
            raise ReadError("files beside a trajectory are read only in a trial")
        if self._depth >= _DEEPEST:  # of embedded ones, each file has no more than JSON may nest
            raise ReadError(f"sub-agents are nested more than {_DEEPEST} deep")
        return self.files.take(file)

    def _add_step(
        self, place: str, step: Mapping[str, Any], agent: str | None, viewer: Viewer
    ) -> None:
        self.model = self.model or _known_model(step)
        about = as_object(step.get("extra")) or {}
        viewer.folder = as_text(about.get("cwd")) or viewer.folder
        calls = calls_of(step, viewer, lambda part, why: self._drop(f"{place}.{part}", why))
        metrics = as_object(step.get("metrics")) or {}
        self.replies.append(
            Reply(
                agent,
                texts=texts_of(step.get("message")),
                calls=calls,
                usage=self.usage(metrics, f"{place}.metrics"),
                error=None if calls else _parse_error(step),
            )
        )

    def usage(self, metrics: Mapping[str, Any], place: str, prefix: str = "") -> Usage | None:
        """Tokens and cost of a step or, with the prefix ``total_``, of the run."""
        extra = as_object(metrics.get("extra")) or {}
        details = as_object(extra.get("completion_tokens_details")) or {}
        reasoning = _first(extra | details, _REASONING, prefix)
        if reasoning is None:  # Claude Code also writes 0 for unknown values
            thinking = as_object(extra.get("output_tokens_details")) or {}
            reasoning = thinking.get("thinking_tokens") or None
        return usage_from(
            {
                "input_tokens": metrics.get(f"{prefix}prompt_tokens"),
                "output_tokens": metrics.get(f"{prefix}completion_tokens"),
                "cached_input_tokens": metrics.get(f"{prefix}cached_tokens"),
                "cache_write_tokens": _first(extra, _CACHE_WRITES, prefix),
                "reasoning_tokens": reasoning,
                "cost_usd": metrics.get(f"{prefix}cost_usd"),
            },
            lambda why: self._refuse(place, why),
        )

    def _drop(self, place: str, why: str) -> None:
        self.dropped_calls += 1
        self._refuse(place, why)

    def _refuse(self, place: str, why: str) -> None:
        self.unusable[place] = why


def _has_made_up_times(step: Mapping[str, Any]) -> bool:
    """Whether a step's time is that of its conversion from a log without times."""
    return step.get("model_name") == _UNKNOWN


def _first(values: Mapping[str, Any], names: Sequence[str], prefix: str) -> object:
    keys = [f"{start}{name}" for name in names for start in dict.fromkeys((prefix, ""))]
    return next((values[key] for key in keys if values.get(key) is not None), None)


def _parse_error(step: Mapping[str, Any]) -> Failure | None:
    """Terminus-2's observation of a reply that cannot be parsed."""
    results = as_list((as_object(step.get("observation")) or {}).get("results"))
    texts = [
        text for each in results if isinstance(each, dict) for text in texts_of(each.get("content"))
    ]
    unparsed = next((text for text in texts if text.startswith(_UNPARSED)), None)
    return None if unparsed is None else Failure(reason="parse_error", message=unparsed)


def _name_of(record: Mapping[str, Any]) -> str | None:
    return as_text((as_object(record.get("agent")) or {}).get("name"))


def _references(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    """References of a step's results to sub-agents."""
    observation = as_object(step.get("observation")) or {}
    results = [each for each in as_list(observation.get("results")) if isinstance(each, dict)]
    refs = [ref for each in results for ref in as_list(each.get("subagent_trajectory_ref"))]
    return [ref for ref in refs if isinstance(ref, dict)]


def _total(record: Mapping[str, Any], run: _Run) -> Usage | None:
    return run.usage(as_object(record.get("final_metrics")) or {}, "final_metrics", "total_")


TRAJECTORIES = RecordFormat(
    name="atif-trajectories",
    description="trajectories in ATIF",
    makes=Trajectory,
    keys=frozenset({"schema_version"}),
    carries=(
        "agent",
        "model",
        *TURNS,
        *usage_fields(
            "turns.usage",
            "usage",
            names=(*TOKENS, "cost_usd"),
        ),
        "turns.agent",
        "final_output",
        "duration_seconds",
        "dropped_calls",
        "unusable",
        "metadata",
    ),
    origin="ATIF 1.0 to 1.8, by harbor 0.24.0 and its converters",
    recognises=_recognises,
    read=_read,
)
