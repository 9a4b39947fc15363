"""What is imported before a command begins."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trajmeter.cli import _main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (["score", "preds.jsonl"], {"score"}),
        (["-h", "price", "score"], {"price"}),
        (["scores"], set(_main.COMMANDS)),
        ([], set(_main.COMMANDS)),
    ],
)
def test_no_other_command_is_imported(words: list[str], commands: set[str]) -> None:
    app = _main.application(words)
    named = [each.callback.__name__ for each in app.registered_commands if each.callback]
    groups = [each.typer_instance for each in app.registered_groups if each.typer_instance]
    assert {*named, *(group.info.name for group in groups)} == (commands)


@pytest.mark.parametrize("shown", ["json", "table"])
def test_scoring_needs_nothing_that_only_terminals_and_other_commands_need(
    folder: Path, shown: str
) -> None:
    program = (
        "import sys; from trajmeter.cli import main; "
        f"code = main(['score', 'preds.jsonl', '-m', 'turns', '-f', '{shown}']); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        capture_output=True,
        check=True,
        cwd=folder,
        encoding="utf-8",
    )
    late = {"rich.console", "trajmeter.judges", "trajmeter.frameworks", "trajmeter.metrics.rules"}
    late |= {"trajmeter.readers.shell_views", "trajmeter.snapshots._repositories"}
    late |= {"scipy", "trajmeter.summaries.summarizing", "trajmeter.statistics.intervals"}
    assert late & set(done.stderr.split()) == set()


def test_help_is_shown_without_importing_what_commands_compute_with() -> None:
    program = (
        "import sys; from trajmeter.cli import main; "
        "main(['score', '--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert {"numpy", "trajmeter.kernels", "trajmeter.records"} & set(done.stderr.split()) == set()
