"""Result files of a framework comparison, this package's own and those of older harnesses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.records import FrameworkEvaluation

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_finite", "read_evaluation"]


def read_evaluation(file: str | Path) -> FrameworkEvaluation:
    """Read one result file; unknown keys are passed over, absent ones are ``None``.

    NaN and infinite numbers, which some writers of JSON let through, are refused: no mean may hold
    them, and nothing tells what they were.

    Raises:
        ReadError: The file cannot be read; the message names file, field and value.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise ReadError(f"{file}: cannot be read: {error.strerror or error}") from error
    try:
        evaluation = FrameworkEvaluation.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{file}: {place}" if place else f"{file}"
        shown = repr(first["input"])[:80]
        raise ReadError(f"{where}: {first['msg']}, got {shown}") from error
    check_finite(evaluation, at=str(file))
    return evaluation


def check_finite(evaluation: FrameworkEvaluation, *, at: str) -> None:
    """Refuse a result with a NaN or an infinite number.

    Raises:
        ReadError: There is one; the message begins with ``at`` and names the field.
    """
    for place, number in _not_finite(evaluation.model_dump(), ""):
        raise ReadError(f"{at}: {place}: expected a finite number, got {number}")


def _not_finite(value: object, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _not_finite(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from _not_finite(item, f"{place}.{position}")
