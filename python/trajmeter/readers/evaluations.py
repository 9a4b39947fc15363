"""Result files of a framework comparison, this package's own and those of older harnesses."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from trajmeter.errors import ReadError
from trajmeter.records import FrameworkEvaluation

__all__ = ["read_evaluation"]


def read_evaluation(file: str | Path) -> FrameworkEvaluation:
    """Read one result file; unknown keys are passed over, absent ones are ``None``.

    Raises:
        ReadError: The file cannot be read; the message names file, field and value.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise ReadError(f"{file}: cannot be read: {error.strerror or error}") from error
    try:
        return FrameworkEvaluation.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{file}: {place}" if place else f"{file}"
        shown = repr(first["input"])[:80]
        raise ReadError(f"{where}: {first['msg']}, got {shown}") from error
