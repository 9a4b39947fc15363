"""``trajmeter merge``: merge the shards of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._option_values import names_in
from trajmeter.cli._paths import present
from trajmeter.cli._process import ExitCode, print_message
from trajmeter.reports.cells import counted

__all__ = ["merge"]


def merge(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDERS",
            show_default=False,
            callback=lambda paths: [*map(present, paths)],
            help="Output folders of the shards of one run; a folder they shared is named once.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default=False,
            file_okay=False,
            help="Folder to complete: one of these, or a new one to copy the parts to.",
        ),
    ],
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Also check parts against the recorded SHA-256."),
    ] = False,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="A,B",
            show_default=False,
            help="Your own metrics of the run (file.py@name), as they were scored or where the "
            "same file is now. Python files that the folders name are not run otherwise. May be "
            "repeated.",
        ),
    ] = None,
) -> ExitCode:
    """Check that shards contain every unit of a run once, and write its summary and manifest.

    If shards share a folder, the last one to finish does this itself.

    **Examples**

        trajmeter merge scores/ -o scores/
        trajmeter merge shard-1/ shard-2/ -o scores/ --verify
    """
    prepare_libraries()
    from trajmeter.scoring.runs.merge import merge as merge_folders

    done = merge_folders(folders, output=output, verify=verify, metrics=names_in(metrics or ()))
    print_message(
        f"trajmeter: {counted(done.rows, 'row')} in {counted(len(done.parts), 'part')} "
        f"in {done.output}" + (f"; {done.problems:,} unreadable" if done.problems else "")
    )
    return ExitCode.UNREADABLE_INPUT if done.problems else ExitCode.OK
