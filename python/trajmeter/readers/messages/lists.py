"""Files of messages: one list, one list per line, or lists in a column with other fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import holds_only_lists
from trajmeter.readers._files.entries import entries
from trajmeter.readers._logs.sessions import STRANGERS
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, LinesApart, RecordFormat
from trajmeter.readers.messages.attempts import Attempts
from trajmeter.readers.messages.claims import evidence_in
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, NAMES, fields_of, name_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.readers.redaction import redacted
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._files.ranges import LineRange
    from trajmeter.readers._recognition.formats import Piece
    from trajmeter.records import ReadProblem, Source

__all__ = ["MESSAGE_LISTS", "MESSAGE_RECORDS"]

_LISTS = ("messages", "trajectory", "conversation", "conversations", "history")
"""Keys under which records store their messages."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "task_id": ("task_id", "instance_id", "id"),
    **NAMES,
    "final_patch": ("model_patch", "final_patch", "generated_patch"),
}
_PASSED = ("passed", "resolved")
_STATUS = "exit_status"


def _recognises_list(_: Path, head: bytes) -> Evidence | None:
    values = beginning(head)
    lists = [value for value in values[: STRANGERS + 1] if isinstance(value, list)]
    if not lists:
        return evidence_in(values)
    # In a list of lists, the first is examined.
    firsts = (each[0] if each and isinstance(each[0], list) else each for each in lists)
    return next((found for first in firsts if (found := evidence_in(first))), None)


def _records(
    path: Path,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None = None,
) -> Iterator[Trajectory]:
    """The attempts of a file: one per list, or one for all messages outside lists."""
    attempts = Attempts(path, columns)
    yield from attempts.of(entries(path, may_be_own=False), report)
    yield from attempts.rest(report)


def _pieces(path: Path, _: JsonReader, columns: Collection[str]) -> Iterator[Piece] | None:
    from trajmeter.readers.messages.columns import pieces_of  # imports all columns

    return pieces_of(path, columns, Attempts(path, columns))


def _records_of_lines(
    path: Path,
    lines: LineRange,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None,
) -> Iterator[Trajectory]:
    attempts = Attempts(path, columns)
    yield from attempts.of(entries(path, within=lines), report)
    yield from attempts.rest(report)


def _pieces_of_lines(path: Path, lines: LineRange, columns: Collection[str]) -> Iterator[Piece]:
    from trajmeter.readers.messages.columns import pieces_of_lines  # imports all columns

    return pieces_of_lines(path, lines, columns, Attempts(path, columns))


def _recognises_record(record: Mapping[str, JsonValue]) -> Evidence | None:
    key = _key_of_list(record)
    return None if key is None else Evidence.LIKELY


def _key_of_list(record: Mapping[str, JsonValue]) -> str | None:
    for key in _LISTS:
        value = record.get(key)
        if isinstance(value, str) and value.startswith("[{"):
            value = _parsed(value)
        if isinstance(value, list) and evidence_in(value):
            return key
    return None


def _parsed(text: str) -> JsonValue:
    try:
        return json_input.parse(text.encode())
    except ReadError:
        return None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a record with a list of messages to a trajectory."""
    key = _key_of_list(record) or ""
    messages = record[key]
    if isinstance(messages, str):
        messages = _parsed(messages)
    rest: dict[str, JsonValue] = {
        name: value for name, value in record.items() if name != key and value is not None
    }
    fields: dict[str, Any] = {}
    for field, names in _FIELDS.items():
        name = next((name for name in names if isinstance(rest.get(name), (str, int))), None)
        if name is not None:
            fields[field] = str(rest.pop(name))
    name = next((name for name in _PASSED if rest.get(name) in (0, 1)), None)
    if name is not None:
        fields["passed"] = bool(rest.pop(name))
    metadata = {_STATUS: rest.pop(_STATUS)} if isinstance(rest.get(_STATUS), str) else {}
    held = message_turns(messages if isinstance(messages, list) else ())
    return Trajectory(
        **{
            "task_id": name_of(source),
            "source": source,
            **fields_of(held),
            **fields,
            "metadata": metadata,
            "extra": redacted(rest),
        }
    )


MESSAGE_LISTS = FileFormat(
    name="message-lists",
    description="lists of messages",
    makes=Trajectory,
    carries=CARRIED_BY_MESSAGES,
    origin=(
        "OpenAI (chat and Responses), Anthropic, LangChain 1.4, pydantic-ai 2.68, Inspect, "
        "the session items of openai-agents 0.24"
    ),
    recognises=_recognises_list,
    records=_records,
    part=_records,
    pieces=_pieces,
    lines=LinesApart(holds_only_lists, _records_of_lines, _pieces_of_lines),
)

MESSAGE_RECORDS = RecordFormat(
    name="message-records",
    description="records with a list of messages",
    makes=Trajectory,
    carries=(
        *CARRIED_BY_MESSAGES,
        "agent",
        "attempt",
        "final_patch",
        "passed",
        "metadata",
        "extra",
    ),
    origin="data sets, fine-tuning files, the state of LangGraph 1.2",
    keys=frozenset(_LISTS),
    recognises=_recognises_record,
    read=_read,
)
