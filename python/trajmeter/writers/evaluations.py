"""Result files of a framework comparison: one JSON document per run, and one for their average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.writers.files import replacing

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from trajmeter.records import FrameworkEvaluation

__all__ = ["STAMP", "evaluation_file_name", "evaluation_stem", "write_evaluation", "write_text"]

STAMP = "%Y%m%d_%H%M%S"
"""Form of the time in the names of result files."""


def evaluation_file_name(
    framework: str, scenario: str, *, at: datetime, run: int | None = None
) -> str:
    """Name of a result file.

    Args:
        framework: Name of the framework.
        scenario: Name of the scenario.
        at: When the run began, in UTC.
        run: Number of the run from 1, where there are several; ``None`` for the only one and for
            the average.

    Returns:
        ``<framework>_<scenario>_<YYYYMMDD_HHMMSS>[_runN].json``.

    Example:
        >>> from datetime import datetime
        >>> evaluation_file_name("Pydantic AI", "rag_qa", at=datetime(2026, 2, 9, 17, 43), run=2)
        'pydantic_ai_rag_qa_20260209_174300_run2.json'
    """
    suffix = "" if run is None else f"_run{run}"
    return f"{evaluation_stem(framework, scenario)}_{at:{STAMP}}{suffix}.json"


def evaluation_stem(framework: str, scenario: str) -> str:
    """What the names of all result files of a framework and a scenario begin with."""
    return f"{_safe('_'.join(framework.lower().split()))}_{_safe(scenario)}"


def write_evaluation(evaluation: FrameworkEvaluation, file: Path) -> None:
    """Write one result file, in one piece or not at all.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    write_text(evaluation.model_dump_json(indent=2) + "\n", file)


def write_text(text: str, file: Path) -> None:
    """Write a text file as UTF-8, in one piece or not at all; its folder is made.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    try:
        with replacing(file) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be written: {error}") from error


def _safe(name: str) -> str:
    """A name without what would lead into another folder."""
    return "".join("-" if character in '/\\:*?"<>|\0' else character for character in name)
