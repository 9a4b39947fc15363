"""Tasks of ContextBench and SWE-bench: repository and commit, gold context and gold patch.

The gold context is under ``gold_context``, as a list or as JSON text, or under ``init_ctx`` (the
initial ranges) and ``add_ctx`` (ranges added later), or, if both are empty, under ``gold_ctx``.
Each item is ``{"file": …, "start_line": …, "end_line": …}``, with inclusive lines that default to
1. The text of the lines is dropped.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from pydantic import Field, TypeAdapter, with_config
from typing_extensions import NotRequired, TypedDict

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.records import GoldRange, GoldRole, Task
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["GOLD"]

_LEAST, _GREATEST = -(2**63), 2**63 - 1

_Line: TypeAlias = Annotated[int, Field(ge=_LEAST, le=_GREATEST)]


class _Item(TypedDict):
    file: str
    start_line: NotRequired[_Line | None]
    end_line: NotRequired[_Line | None]


_Items: TypeAlias = list[_Item] | None
_Text: TypeAlias = str | None


@with_config({"extra": "allow"})
class _Gold(TypedDict):
    instance_id: NotRequired[_Text]
    inst_id: NotRequired[_Text]
    original_inst_id: NotRequired[_Text]
    repo: NotRequired[_Text]
    repo_url: NotRequired[_Text]
    base_commit: NotRequired[_Text]
    commit: NotRequired[_Text]
    language: NotRequired[_Text]
    problem_statement: NotRequired[_Text]
    patch: NotRequired[_Text]
    gold_context: NotRequired[_Items]
    init_ctx: NotRequired[_Items]
    add_ctx: NotRequired[_Items]
    gold_ctx: NotRequired[_Items]


@cache
def _gold_records() -> TypeAdapter[_Gold]:
    return TypeAdapter(_Gold)


# A URL in addition to a name stays in ``extra``.
_KEYS = frozenset(_Gold.__annotations__) - {"repo_url"}
_IDS = ("instance_id", "inst_id", "original_inst_id")
_CONTEXTS = ("gold_context", "init_ctx", "add_ctx", "gold_ctx")
_CONTENT_KEYS = frozenset((*_CONTEXTS, "base_commit", "patch"))
_TEXTS = tuple(name for name in _Gold.__annotations__ if name not in _CONTEXTS)
_TEXT_TYPES = (str, type(None))


@cache
def _task_defaults() -> dict[str, Any]:
    return default_fields(Task, id="")


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    """Whether it is a task with gold context, or with only a gold patch."""
    return None if "model_patch" in record else Evidence.CERTAIN


def _read(record: Mapping[str, JsonValue], source: Source) -> Task:
    """Convert a gold record to a task; its other ids become aliases.

    The gold ranges are ``None`` if no context is recorded, and ``()`` if it is empty.

    Raises:
        ReadError: It has no id, or its context is text that is not valid JSON.
        pydantic.ValidationError: A value has the wrong type.
    """
    gold = _checked({**record, **_parsed_contexts(record)})
    ids = dict.fromkeys(
        name
        for name in (gold.get("instance_id"), gold.get("inst_id"), gold.get("original_inst_id"))
        if name
    )
    if not ids:
        raise ReadError(f"no id: expected one of {', '.join(_IDS)}")
    task_id, *aliases = ids
    values = {
        **_task_defaults(),
        "id": task_id,
        "aliases": tuple(aliases),
        "question": gold.get("problem_statement"),
        "repo": gold.get("repo") or gold.get("repo_url"),
        "commit": gold.get("base_commit") or gold.get("commit"),
        "language": gold.get("language"),
        "gold_ranges": _ranges(gold),
        "gold_patch": gold.get("patch"),
        "source": source,
        "metadata": {},
        "extra": _extra(gold),
    }
    return frozen(Task, values)


def _checked(gold: dict[str, JsonValue]) -> _Gold:
    """Check the types of a record's values; only unusual records are validated with pydantic.

    Building pydantic's validator takes longer than reading a file of tasks.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    texts, contexts = map(gold.get, _TEXTS), map(gold.get, _CONTEXTS)
    if all(type(text) in _TEXT_TYPES for text in texts) and all(map(_is_plain, contexts)):
        return cast("_Gold", gold)
    return _gold_records().validate_python(gold)


def _is_plain(context: JsonValue) -> bool:
    """Whether a context is certain to be valid as it is."""
    if context is None:
        return True
    return isinstance(context, list) and all(
        isinstance(item, dict)
        and type(item.get("file")) is str
        and _is_plain_line(item.get("start_line"))
        and _is_plain_line(item.get("end_line"))
        for item in context
    )


def _is_plain_line(line: JsonValue) -> bool:
    return line is None or (type(line) is int and _LEAST <= line <= _GREATEST)


def _extra(gold: _Gold) -> dict[str, Any]:
    """The values of a record that are not otherwise used; a URL comes first."""
    rest: dict[str, Any] = {key: value for key, value in gold.items() if key not in _KEYS}
    return {"repo_url": rest["repo_url"], **rest} if "repo_url" in rest else rest


def _parsed_contexts(record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The contexts recorded as JSON text, parsed; empty text means none."""
    parsed: dict[str, JsonValue] = {}
    for key in _CONTEXTS:
        text = record.get(key)
        if not isinstance(text, str):
            continue
        try:
            parsed[key] = json_input.parse(text.encode()) if text.strip() else None
        except ReadError as error:
            raise ReadError(
                f"{key}: expected a list of ranges, or one as JSON text: {error}"
            ) from error
    return parsed


def _ranges(gold: _Gold) -> tuple[GoldRange, ...] | None:
    context = gold.get("gold_context")
    initial, added = gold.get("init_ctx"), gold.get("add_ctx")
    if context is not None:
        initial, added = context, None
    elif not initial and not added and gold.get("gold_ctx") is not None:
        initial, added = gold.get("gold_ctx"), None
    if initial is None and added is None:
        return None
    return (
        *(_range(item, GoldRole.INITIAL) for item in initial or ()),
        *(_range(item, GoldRole.ADDITIONAL) for item in added or ()),
    )


def _range(item: _Item, role: GoldRole) -> GoldRange:
    first, last = item.get("start_line"), item.get("end_line")
    values = {
        "path": item["file"],
        "first_line": 1 if first is None else first,
        "last_line": 1 if last is None else last,
        "role": role,
    }
    return frozen(GoldRange, values)


GOLD = RecordFormat(
    name="contextbench-gold",
    description="ContextBench gold",
    makes=Task,
    carries=(
        "aliases",
        "question",
        "repo",
        "commit",
        "language",
        "gold_ranges",
        "gold_patch",
        "extra",
    ),
    origin="ContextBench; tasks of SWE-bench",
    keys=_CONTENT_KEYS,
    recognises=_recognises,
    read=_read,
)
