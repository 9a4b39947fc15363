"""Result files on the command line: read, with what cannot be read reported and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers.evaluations import read_evaluation
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trajmeter.cli._messages import Messages
    from trajmeter.records import FrameworkEvaluation

__all__ = ["read_results"]


def read_results(
    files: Sequence[Path], messages: Messages
) -> list[tuple[str, FrameworkEvaluation]]:
    """Name and content of every result file that can be read; files of one name by their paths.

    Raises:
        ReadError: None of them can.
    """
    results = []
    names = [file.name for file in files]
    for file in files:
        try:
            name = file.name if names.count(file.name) == 1 else str(file)
            results.append((name, read_evaluation(file)))
        except ReadError as error:
            message = str(error).removeprefix(f"{file}: ")
            messages.report_unreadable(ReadProblem(file=str(file), message=message))
    if not results:
        raise ReadError("none of the result files could be read")
    return results
