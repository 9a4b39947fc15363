"""Records of Claude Code and Codex runs, as written by a fork of ContextBench.

A record (``*.claude-record.json``, ``*.codex-record.json``, ``records.jsonl``) states how a run
ended and which context the agent declares. Its turns are in a raw file (``raw_response_path``),
which is read with the record if it is below the record's folder, and separately otherwise.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._logs.sessions import Event, known_only, stem_of, usage_from
from trajmeter.readers._logs.values import (
    as_list,
    as_mapping,
    as_object,
    as_text,
    seconds_between,
)
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.claude_code.stream import read_events as claude_events
from trajmeter.readers.codex.exec_stream import read_events as codex_events
from trajmeter.readers.contextbench.views import Span, bounded, views_of
from trajmeter.records import Failure, Source, Trajectory
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import ReadProblem, Usage, View

__all__ = ["RAW_RESPONSES", "RECORDS"]

_RESPONSES = {"json": ("response", claude_events), "jsonl-events": ("events", codex_events)}
_DONE = ("completed", None)
_TIMEOUT = "timeout"
_USED = ("input_tokens", "output_tokens", "total_tokens")
_CLAUDE = "claude"


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    # A failed run has no final output.
    is_one = "instance_id" in record and (
        isinstance(record.get("final_output"), dict)
        or {"agent", "raw_response_path"} <= record.keys()
    )
    return Evidence.CERTAIN if is_one else None


def _is_raw(record: Mapping[str, JsonValue]) -> Evidence | None:
    key, _ = _RESPONSES.get(as_text(record.get("response_format")) or "", ("", None))
    return Evidence.CERTAIN if isinstance(record.get(key), list) else None


def _read(record: Mapping[str, Any], source: Source) -> Trajectory:
    """Convert a record, with its raw file if there is one, to a trajectory."""
    unusable: dict[str, str] = {}
    raw = _raw_of(record, source, unusable)
    declared = as_object(record.get("final_output")) or {}
    milliseconds = finite(record.get("duration_ms"))
    agent = as_text(record.get("agent"))
    turns = raw.turns if raw is not None else None
    used = _usage(record, agent, unusable)
    return Trajectory(
        task_id=as_text(record.get("instance_id"))
        or as_text(record.get("original_inst_id"))
        or stem_of(Path(source.file)),
        agent=agent,
        model=raw.model if raw is not None else None,
        source=source,
        turns=turns,
        leaks=raw.leaks if raw is not None else None,
        final_views=_views(declared),
        final_output=as_text(declared.get("final_answer")),
        final_patch=_text(record.get("model_patch")),
        usage=raw.usage if raw is not None and raw.usage is not None else used,
        duration_seconds=seconds_between(0.0, milliseconds / 1000) if milliseconds else None,
        failure=_failure(record),
        unusable=unusable | (raw.unusable if raw is not None else {}),
        metadata=known_only(
            exit_status=as_text(record.get("status")),
            exit_code=record.get("exit_code"),
            started_at=as_text(record.get("started_at")),
            finished_at=as_text(record.get("completed_at")),
            commit=as_text(record.get("commit")),
        ),
    )


def _read_raw(record: Mapping[str, Any], source: Source) -> Trajectory:
    """Convert a raw file to a trajectory.

    Raises:
        ReadError: None of its events can be read.
    """
    unusable: dict[str, str] = {}
    key, read = _RESPONSES[record["response_format"]]

    def report(problem: ReadProblem) -> None:
        unusable[problem.record or key] = problem.message

    def events() -> Iterator[Event]:
        for at, value in enumerate(as_list(record.get(key))):
            event = Event(Source(file=source.file, record=f"{key}[{at}]"), {}, report)
            if isinstance(value, dict):
                yield event._replace(value=value)
            else:
                event.problem(f"expected an object, got {json_input.type_name(value)}")

    attempts = list(read(events(), stem_of(Path(source.file))))
    if not attempts:
        raise ReadError(f"{key}: expected events, got none")
    attempt = attempts[0]
    final = as_text(record.get("final_message"))
    return attempt.model_copy(
        update={
            "source": source,
            "final_output": final or attempt.final_output,
            "unusable": unusable,
        }
    )


def _raw_of(
    record: Mapping[str, Any], source: Source, unusable: dict[str, str]
) -> Trajectory | None:
    """The content of a record's raw file; ``None`` if it is not below the record's folder."""
    named = PurePosixPath(as_text(record.get("raw_response_path")) or "")
    if not named.name or ".." in named.parts or named.is_absolute():
        return None
    file = Path(source.file).parent / named
    if not file.is_file():
        return None
    try:
        with open_content(file) as opened:
            value = json_input.parse(opened.read())
        if isinstance(value, dict) and _is_raw(value) is not None:
            return _read_raw(value, Source(file=str(file)))
        error: Exception = ReadError("expected a raw response of Claude or Codex")
    except (OSError, ReadError) as raised:
        error = raised
    unusable["raw_response_path"] = f"{file}: {error}"
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _views(declared: Mapping[str, Any]) -> tuple[View, ...] | None:
    """The context that the agent declares; ``None`` if the record has none."""
    files, spans, symbols = (
        declared.get(f"retrieved_context_{kind}") for kind in ("files", "spans", "symbols")
    )
    if files is None and spans is None and symbols is None:
        return None
    listed = [file for file in as_list(files) if isinstance(file, str)]
    ranges = {file: list(_ranges(each)) for file, each in _by_file(spans).items()}
    names = {
        file: [name for each in found if (name := _name(each)) is not None]
        for file, found in _by_file(symbols).items()
    }
    made = Trajectory.model_validate(
        {"task_id": "", "final_views": views_of(listed, ranges, names)}
    )
    return made.final_views


def _by_file(values: object) -> dict[str, list[Any]]:
    """Items by file; they may also be a list, each with its file."""
    found = {path: [*as_list(items)] for path, items in as_mapping(values).items()}
    for item in as_list(values):
        path = as_text(as_mapping(item).get("file"))
        if path is not None:
            found.setdefault(path, []).append(item)
    return found


def _name(value: object) -> str | None:
    return _text(as_mapping(value).get("name") if isinstance(value, dict) else value)


def _ranges(values: object) -> Iterator[Span]:
    for value in as_list(values):
        ends = value
        if isinstance(value, dict):
            ends = [value.get(edge, value.get(f"{edge}_line")) for edge in ("start", "end")]
        match ends:
            case [int(first), int(last)]:
                yield {"start": bounded(first), "end": bounded(last)}


def _usage(record: Mapping[str, Any], agent: str | None, unusable: dict[str, str]) -> Usage | None:
    """Tokens as recorded; Claude's input excludes cached tokens, so it is left out."""
    counts = as_object(record.get("token_usage")) or {}
    is_claude = (agent or "").lower().startswith(_CLAUDE)
    kept: Iterable[str] = ("output_tokens",) if is_claude else _USED

    def problem(message: str) -> None:
        unusable["token_usage"] = message

    return usage_from({key: counts.get(key) for key in kept}, problem, name="token_usage")


def _failure(record: Mapping[str, Any]) -> Failure | None:
    status = as_text(record.get("status"))
    if record.get("timeout") is True or status == _TIMEOUT:
        return Failure(reason="budget_exhausted", message=_TIMEOUT)
    if status in _DONE and record.get("ok") is not False:
        return None
    return Failure(reason=status or "failed")


_CARRIES = (
    "agent",
    "model",
    "turns",
    "leaks",
    "final_output",
    "usage",
    "duration_seconds",
    "failure",
    "unusable",
    "metadata",
)

RECORDS = RecordFormat(
    name="contextbench-fork-records",
    description="run records of a ContextBench fork",
    makes=Trajectory,
    keys=frozenset({"raw_response_path"}),
    carries=(*_CARRIES, "final_views", "final_patch"),
    origin="a fork of ContextBench that runs Claude Code and Codex",
    recognises=_recognises,
    read=_read,
)

RAW_RESPONSES = RecordFormat(
    name="contextbench-fork-responses",
    description="raw responses of a ContextBench fork",
    makes=Trajectory,
    keys=frozenset({"response_format"}),
    carries=_CARRIES,
    origin="a fork of ContextBench that runs Claude Code and Codex",
    recognises=_is_raw,
    read=_read_raw,
)
