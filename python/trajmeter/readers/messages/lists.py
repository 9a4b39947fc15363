"""Files of messages: one list, one list per line, or lists in a column beside other fields."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.containers import entries, holds_only_lists, values_of
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat, LinesApart, RecordFormat
from trajmeter.readers.messages.turns import MessageTurns, message_turns
from trajmeter.readers.redaction import redacted
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.records import ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._files.containers import Entry
    from trajmeter.readers._files.ranges import LineRange
    from trajmeter.readers._recognition.formats import Piece
    from trajmeter.readers.tool_views import ToolViews

__all__ = [
    "CARRIED_BY_MESSAGES",
    "MESSAGE_LISTS",
    "MESSAGE_RECORDS",
    "Attempts",
    "fields_of",
    "is_message",
    "name_of",
    "views_for",
]

CARRIED_BY_MESSAGES = (
    "model",
    "turns.agent",
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
    "transcript",
    "final_output",
    "dropped_calls",
    "unusable",
    "leaks",
)
"""Fields that a list of messages can provide."""

_ROLES = frozenset(
    {"assistant", "developer", "function", "model", "system", "tool", "user", "ai", "human"}
)
_CONTENTS = ("content", "parts", "tool_calls", "function_call")
_LANGCHAIN = frozenset({"ai", "chat", "function", "human", "remove", "system", "tool"})
_FEW = 5
"""Number of values at the start of a list, most of which must be messages."""

_SUFFIXES = (".gz", ".zst", ".jsonl", ".json")

_LISTS = ("messages", "trajectory", "conversation", "conversations", "history")
"""Keys under which records store their messages."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "task_id": ("task_id", "instance_id", "id"),
    "agent": ("agent", "agent_name"),
    "model": ("model", "model_name", "model_name_or_path"),
    "attempt": ("attempt", "trajectory_id", "run_id"),
    "final_patch": ("model_patch", "final_patch", "generated_patch"),
}
_PASSED = ("passed", "resolved")
_STATUS = "exit_status"


def is_message(value: object) -> bool:
    """Whether a value has the shape of a message, or of an OpenAI Responses item."""
    return isinstance(value, dict) and _is_message(value)


def _is_message(value: Mapping[str, object]) -> bool:
    match value:
        case {"role": str(role)}:
            return role in _ROLES and any(key in value for key in _CONTENTS)
        case {"lc": 1, "kwargs": dict()} | {"kind": "request" | "response", "parts": list()}:
            return True
        case {"type": "reasoning", "summary": list()}:
            return True
        case {"type": str(kind)} if kind in _LANGCHAIN:
            return isinstance(value.get("data"), dict) or "content" in value
        case {"type": str(kind)}:
            is_item = kind.endswith(("_call", "_call_output"))
            return is_item and ("call_id" in value or "id" in value)
    return False


def _evidence(values: Sequence[object]) -> Evidence | None:
    """Evidence from the first messages; other values among them may indicate another format."""
    first = values[:_FEW]
    messages = sum(map(is_message, first))
    if 2 * messages <= len(first):
        return None
    return Evidence.LIKELY if messages == len(first) else Evidence.POSSIBLE


def _recognises_list(_: Path, head: bytes) -> Evidence | None:
    values = beginning(head)
    if values and isinstance(values[0], list):
        first = values[0]
        if first and isinstance(first[0], list):  # a list of lists
            first = first[0]
        return _evidence(first)
    return _evidence(values)


def _records(
    path: Path,
    report: Callable[[ReadProblem], None],
    columns: Collection[str] | None = None,
) -> Iterator[Trajectory]:
    """The attempts of a file: one per list, or one for all messages outside lists."""
    attempts = Attempts(path, columns)
    yield from attempts.of(entries(path, may_be_own=False), report)
    yield from attempts.rest()


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
    yield from attempts.rest()


def _pieces_of_lines(path: Path, lines: LineRange, columns: Collection[str]) -> Iterator[Piece]:
    from trajmeter.readers.messages.columns import pieces_of_lines  # imports all columns

    return pieces_of_lines(path, lines, columns, Attempts(path, columns))


class Attempts:
    """Makes attempts from the values of a file.

    Args:
        path: The file.
        columns: Trajectory columns to fill; all by default.
    """

    def __init__(self, path: Path, columns: Collection[str] | None = None) -> None:
        self._path = path
        self._views = views_for(columns)
        self._messages: list[JsonValue] = []

    def of(
        self, found: Iterable[Entry], report: Callable[[ReadProblem], None]
    ) -> Iterator[Trajectory]:
        """Make an attempt from each list, and report what cannot be read."""
        for source, value in values_of(found, report):
            if isinstance(value, list):
                yield _attempt(value, source, self._views)
            else:
                self._messages.append(value)

    def rest(self) -> Iterator[Trajectory]:
        """Make one attempt from all messages outside lists."""
        if self._messages:
            yield _attempt(self._messages, Source(file=str(self._path)), self._views)


def _attempt(messages: list[JsonValue], source: Source, views: ToolViews | None) -> Trajectory:
    fields = fields_of(message_turns(messages, views=views))
    return Trajectory(task_id=name_of(source), source=source, **fields)


def fields_of(held: MessageTurns) -> dict[str, Any]:
    """The trajectory fields derived from a list of messages."""
    return {
        "model": held.model,
        "turns": held.turns,
        "final_output": held.final_output,
        "transcript": held.transcript,
        "dropped_calls": held.dropped_calls,
        "unusable": held.unusable,
        "leaks": held.leaks,
    }


def views_for(columns: Collection[str] | None) -> ToolViews | None:
    """A viewer of calls if these columns need it; all columns if ``None``."""
    if columns is None or any(
        name in ("turns", "leaks") or name.startswith(("turns.views", "leaks.")) for name in columns
    ):
        return TOOL_VIEWS
    return None


def name_of(source: Source) -> str:
    """File name without suffixes, for attempts that name no task."""
    name = Path(source.file).name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix) or name
    return name


def _recognises_record(record: Mapping[str, JsonValue]) -> Evidence | None:
    key = _key_of_list(record)
    return None if key is None else Evidence.LIKELY


def _key_of_list(record: Mapping[str, JsonValue]) -> str | None:
    for key in _LISTS:
        value = record.get(key)
        if isinstance(value, str) and value.startswith("[{"):
            value = _parsed(value)
        if isinstance(value, list) and _evidence(value):
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
