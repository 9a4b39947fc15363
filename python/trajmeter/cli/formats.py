"""``trajmeter formats``: list the formats of logs and tasks."""

from __future__ import annotations

from typing import Annotated

import typer

from trajmeter.cli._process import ExitCode
from trajmeter.cli._terminal import ListFormat, print_list

__all__ = ["formats"]


def formats(
    output_format: Annotated[
        ListFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ListFormat.TABLE,
) -> ExitCode:
    """List the formats that are read, what each carries, and which program writes it.

    A format carries the fields of records that are listed, and whatever lies below them; the others
    are missing from everything that is read of it. Formats are detected from content;
    --input-format of other commands takes one of these names.

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
