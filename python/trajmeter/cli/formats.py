"""``trajmeter formats``: list the formats of logs and tasks."""

from __future__ import annotations

from typing import Annotated

import typer

from trajmeter.cli._lists import ListFormat, print_list
from trajmeter.cli._process import ExitCode

__all__ = ["formats"]


def formats(
    output_format: Annotated[
        ListFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ListFormat.TABLE,
) -> ExitCode:
    """List the supported formats, the fields each carries, and the program that writes it.

    A format carries the listed record fields and everything below them; all other fields are
    missing from whatever is read. Formats are detected from content; --input-format of other
    commands takes one of these names.

    **Example**

        trajmeter formats --format json
    """
    from trajmeter.readers import formats as all_formats
    from trajmeter.records import Task

    print_list(
        [
            {
                "format": known.name,
                "makes": "tasks" if known.makes is Task else "trajectories",
                "from": known.origin,
                "carries": known.carries,
            }
            for known in all_formats()
        ],
        output_format,
    )
    return ExitCode.OK
