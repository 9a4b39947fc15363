"""Logs with values of the wrong type: these are skipped and reported, the rest is read."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from trajmeter import json_input
from trajmeter.records import Trajectory
from trajmeter.validation_errors import describe_detail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

__all__ = ["made_trajectory", "without_faults"]

_ValueT = TypeVar("_ValueT")

_INDISPENSABLE = frozenset({"task_id", "turns", "source"})
"""Fields without which little of an attempt is left."""


def without_faults(
    adapter: TypeAdapter[_ValueT], record: Mapping[str, Any]
) -> tuple[_ValueT, dict[str, str]]:
    """Replace values of the wrong type in a record by null or an empty object.

    Args:
        adapter: Type of the record.
        record: The record.

    Returns:
        The record, and the error of each replaced value by its place.

    Raises:
        pydantic.ValidationError: A required value has the wrong type.
    """
    try:
        return adapter.validate_python(record), {}
    except ValidationError as error:
        details = error.errors(include_url=False)
        mended = deepcopy(record)
        for detail in details:
            _mend(mended, detail)
        try:
            return adapter.validate_python(mended), _reasons_by_place(details)
        except ValidationError:
            raise error from None


def made_trajectory(fields: Mapping[str, Any]) -> Trajectory:
    """Make a trajectory from fields, dropping those of the wrong type.

    Raises:
        pydantic.ValidationError: The task's id or the turns are wrong.
    """
    try:
        return Trajectory.model_validate(fields)
    except ValidationError as error:
        details = error.errors(include_url=False)
        wrong = {str(detail["loc"][0]) for detail in details if detail["loc"]}
        if not wrong or wrong & _INDISPENSABLE:
            raise
        kept = {name: value for name, value in fields.items() if name not in wrong}
        kept["unusable"] = {**fields.get("unusable", {}), **_reasons_by_place(details)}
        return Trajectory.model_validate(kept)


def _mend(record: Any, detail: ErrorDetails) -> None:  # noqa: ANN401 - an object or a list
    *path, last = detail["loc"] or ("",)
    with suppress(LookupError, TypeError):  # validation then rejects the record again
        for key in path:
            record = record[key]
        record[last] = {} if detail["type"] == "dict_type" else None


def _reasons_by_place(details: list[ErrorDetails]) -> dict[str, str]:
    """Describe errors by location; values are not shown, as configurations may contain secrets."""
    reasons = {}
    for detail in details:
        place, _, reason = describe_detail(detail).partition(": ")
        expected, _, _ = reason.partition(", got ")
        reasons[place] = f"{expected}, got {json_input.type_name(detail['input'])}"
    return reasons
