"""References that a host stores with an attempt: fields of its task."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import to_json

from trajmeter.errors import InputError, ReadError
from trajmeter.readers._references import REFERENCES, reference
from trajmeter.readers.messages import from_messages
from trajmeter.readers.own_records import TASKS
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.records import Source, Task, Trajectory
from trajmeter.system.forks import lock_for
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.scoring.scorer import Scorer

__all__ = ["References", "attempt_from", "plain"]

_KEPT = 1_000
"""Number of tasks to cache, so that each is prepared once for its attempts."""


class References:
    """Finds the task of an attempt: from the host's data, otherwise by its id.

    Args:
        scorer: Scores the attempts, and knows tasks by their ids.
        host: Name of the host, for messages.
    """

    def __init__(self, scorer: Scorer, host: str) -> None:
        self._scorer = scorer
        self._is_needed = any(
            field.startswith("Task.")
            for family in scorer.layout.families
            for field in family.metric.requires
        )
        self._host = host
        self._made: OrderedDict[bytes | str, Task] = OrderedDict()
        self._lock = lock_for(self)

    def __reduce__(self) -> tuple[type[References], tuple[Scorer, str]]:
        """Create it again after unpickling, without the cached tasks."""
        return References, (self._scorer, self._host)

    def task(
        self, task_id: str, carried: Mapping[str, Any] | None, *, question: str | None = None
    ) -> Task | None:
        """The task of an attempt; ``None`` if nothing is known about it.

        Args:
            task_id: Its id.
            carried: Data from the host; keys that are not references become the task's metadata.
            question: Question for a task that has none itself.

        Raises:
            ReadError: A reference has the wrong shape, and a metric needs a task.
        """
        try:
            task = self._found(task_id, carried)
        except ReadError:
            if self._is_needed:
                raise
            return None
        if task is None or question is None or task.question is not None:
            return task
        return task.model_copy(update={"question": question})

    def _found(self, task_id: str, carried: Mapping[str, Any] | None) -> Task | None:
        known = self._scorer.find_task(task_id)
        fields = {key: value for key, value in (carried or {}).items() if value is not None}
        if known is not None and not REFERENCES.intersection(fields):
            return known
        if not fields:
            return None
        key = _key(task_id, fields)
        with self._lock:
            task = self._made.get(key)
            if task is None:
                task = self._made[key] = self._make(task_id, fields, known)
                if len(self._made) > _KEPT:
                    self._made.popitem(last=False)
        return task

    def _make(self, task_id: str, fields: Mapping[str, Any], known: Task | None) -> Task:
        try:
            references = {
                key: _read(key, value) for key, value in fields.items() if key in REFERENCES
            }
        except ReadError as error:
            raise ReadError(f"{self._host}: {task_id!r}: {error}") from error
        rest = {key: value for key, value in fields.items() if key not in REFERENCES}
        try:
            task = TASKS.read({"id": task_id, **references}, Source(file=self._host))
        except ValidationError as error:
            raise ReadError(f"{self._host}: {task_id!r}: {describe_error(error)}") from error
        if not isinstance(task, Task):
            raise ReadError(f"{self._host}: {task_id!r} is not a task")
        if known is None:
            return task.model_copy(update={"metadata": rest})
        changes = {name: getattr(task, name) for name in references}
        return known.model_copy(update={**changes, "metadata": {**known.metadata, **rest}})


def _read(key: str, value: Any) -> JsonValue:  # noqa: ANN401 - any value from a host
    """A reference.

    Raises:
        ReadError: It is text that is not JSON, or contains itself.
    """
    try:
        return reference(key, plain(value))
    except RecursionError as error:
        raise ReadError(f"{key}: it contains itself, or is nested too deeply") from error


def _key(task_id: str, fields: Mapping[str, Any]) -> bytes | str:
    """A key that is equal for equal references."""
    try:
        return to_json([task_id, fields], fallback=repr)
    except ValueError:  # half a character, bytes that are not text, or a circular object
        return repr([task_id, fields])


def plain(value: Any) -> Any:  # noqa: ANN401 - any value from a host
    """A value as plain JSON, without classes of the host or its user."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields_of(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def attempt_from(
    given: Any,  # noqa: ANN401 - of several shapes
    task_id: str,
    *,
    views: ToolViews | None = TOOL_VIEWS,
) -> Trajectory:
    """An attempt as passed by hosts: a record, messages, or a mapping that contains them.

    Args:
        given: The attempt.
        task_id: Id of the task, if the references contain none.
        views: How to read what calls show; ``None`` if nothing is scored by it.

    Raises:
        InputError: It is anything else, or none of its messages can be read.
    """
    if isinstance(given, Trajectory):
        return given
    messages = given.get("messages") if isinstance(given, Mapping) else given
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise InputError(
            f"got a {type(given).__name__}, expected messages, a mapping with messages, or a "
            "Trajectory"
        )
    attempt = from_messages(messages, task_id=task_id, views=views)
    if not attempt.turns and attempt.unusable:  # no readable call means unknown, not none
        place, reason = next(iter(attempt.unusable.items()))
        raise InputError(f"none of the messages is an answer of a model: {place}: {reason}")
    return attempt
