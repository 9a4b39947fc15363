"""What is imported before a command begins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.main import get_command

from trajmeter.cli import _application, _main, _terminal
from trajmeter.cli._libraries import MEMORY_POOL
from trajmeter.cli._option_values import read_late
from trajmeter.cli._units import EngineName
from trajmeter.kernels import backend

if TYPE_CHECKING:
    from pathlib import Path


_INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "trajmeter.cli._process":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from trajmeter.cli import program
program()
"""


def test_an_interrupt_while_modules_are_imported_is_reported_in_one_line() -> None:
    call = [sys.executable, "-c", _INTERRUPTED]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "trajmeter: interrupted\n")


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (["score", "preds.jsonl"], {"score"}),
        (["-h", "price", "score"], {"price"}),
        (["scores"], set(_application.COMMANDS)),
        ([], set(_application.COMMANDS)),
        (["--version"], set()),
    ],
)
def test_no_other_command_is_imported(words: list[str], commands: set[str]) -> None:
    app = _application.application(words)
    named = [each.callback.__name__ for each in app.registered_commands if each.callback]
    groups = [each.typer_instance for each in app.registered_groups if each.typer_instance]
    assert {*named, *(group.info.name for group in groups)} == (commands)


def test_the_version_is_printed_without_what_computes() -> None:
    program = "import sys; from trajmeter.cli import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8"
    )
    printed, modules = done.stdout.splitlines()
    assert printed == f"trajmeter {version('trajmeter')} ({backend()} kernels)"
    assert {"numpy", "pydantic", "pyarrow"} & set(modules.split()) == set()


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
    late |= {"trajmeter.records.result_file", "trajmeter.snapshots._open"}
    late |= {"trajmeter.readers.shell_views", "trajmeter.snapshots._repositories"}
    late |= {"scipy", "trajmeter.summaries.summarizing", "trajmeter.statistics.intervals"}
    assert late & set(done.stderr.split()) == set()


_BUILDING = {"importlib.metadata", "typer._adapters", "pydantic.plugin._loader"}
_NO_MODEL = _BUILDING if backend() == "rust" else set()
"""What pydantic imports where it builds the first model; the Python backend scores models."""


_ROW = (
    '{"task_id": "one", "agent": "crab", "benchmark": "b", "agent_nop": 2.0, "oracle_nop": 4.0}\n'
)
_OF_TABLES = {"pyarrow.compute", "pyarrow.fs", "ssl", "trajmeter.conforming.casting"}
"""What tables are read and compared with, and nothing else."""
_OF_OTHERS = {"concurrent.futures", "trajmeter.kernels._context"} if backend() == "rust" else set()
"""What turn analysis does not need, unless the Python backend computes it from records."""
_GOLD = '{"instance_id": "one", "gold_context": []}\n'


@pytest.mark.parametrize(
    ("words", "late"),
    [
        (["preds.jsonl", "-m", "turns"], _OF_TABLES | _OF_OTHERS),
        (["preds.jsonl", "-m", "context", "-t", "gold.jsonl"], _OF_TABLES),
        (["preds.jsonl", "-m", "context"], _OF_TABLES),  # without tasks
        (["preds.jsonl", "-m", "rules"], set()),
        (["rows.jsonl", "-m", "speedup"], set()),
    ],
)
def test_a_metric_is_scored_without_what_units_and_other_metrics_need(
    folder: Path, words: list[str], late: set[str]
) -> None:
    (folder / "gold.jsonl").write_text(_GOLD)
    (folder / "rows.jsonl").write_text(_ROW)
    words = ["score", *words, "-o", "scores.parquet"]
    program = (
        "import sys; from trajmeter.cli import main; "
        f"code = main({words}); print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, cwd=folder, text=True
    )
    units = {
        "trajmeter.scoring.runs.run",
        "trajmeter.scoring.runs.unit",
        "trajmeter.snapshots._git",
    }
    units |= {"trajmeter.readers.pieces", "trajmeter.writers.text", "trajmeter.metrics.custom"}
    assert (late | units | _NO_MODEL) & set(done.stderr.split()) == set()


@pytest.mark.parametrize(
    "words", [["-m", "turns"], ["-m", "context", "-t", "gold.jsonl", "-s", "snapshots.jsonl"]]
)
def test_files_are_read_while_numpy_is_imported(folder: Path, words: list[str]) -> None:
    (folder / "gold.jsonl").write_text(_GOLD)
    (folder / "snapshots.jsonl").write_text('{"repo": "a/b", "commit": "c", "files": {}}\n')
    program = (
        "import sys; from trajmeter.cli import main; from trajmeter.readers import batches; "
        "make = batches.ReadAhead; batches.ReadAhead = "
        "lambda items: [print('numpy' in sys.modules), make(items)][1]; "
        f"main(['score', 'preds.jsonl', '-f', 'json', *{words}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, cwd=folder, text=True
    )
    assert done.stdout.splitlines()[0] == "False"


_DECOY = "import sys; print('pandas was imported', file=sys.stderr); raise ImportError"


_IN_RUST = [
    ["score", "preds.jsonl", "-m", "context", "-t", "gold.jsonl"],
    ["score", "preds.jsonl", "-m", "turns"],
    ["convert", "preds.jsonl", "-o", "more.parquet"],
    ["score", "rows.parquet", "-m", "speedup", "-o", "speedups.parquet"],
    ["convert", "rows.parquet", "-o", "more.parquet"],
]
"""Commands whose input the Python backend reads as records, whose values pyarrow looks at."""
_OF_PYARROW = {"pyarrow.compute", "numpy.ma"}
"""What pyarrow imports for a method of an array, and where it is given an array of numpy's."""


@pytest.mark.parametrize(
    "words",
    [
        *(_IN_RUST if backend() == "rust" else []),
        ["score", "own.parquet", "-m", "turns"],
        ["convert", "own.parquet", "-o", "more.parquet"],
        ["summarize", "scores.parquet"],
        ["compare", "scores.parquet", "scores.parquet"],
    ],
    ids=" ".join,
)
def test_pyarrow_imports_no_more_than_is_needed(folder: Path, words: list[str]) -> None:
    """It imports pandas, where it is installed, wherever it meets an object."""
    (folder / "gold.jsonl").write_text(_GOLD)
    rows = pa.Table.from_pylist([json.loads(_ROW), {**json.loads(_ROW), "agent": "nop"}])
    parquet.write_table(rows, folder / "rows.parquet")
    for made in (
        ["convert", "preds.jsonl", "-o", "own.parquet"],
        ["score", "preds.jsonl", "-m", "turns", "-o", "scores.parquet"],
    ):
        assert _main.main(made) == 0
    (folder / "pandas.py").write_text(_DECOY)
    program = (
        "import sys; from trajmeter.cli import main; "
        f"code = main({words}); print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        capture_output=True,
        check=False,
        cwd=folder,
        encoding="utf-8",
    )
    assert "pandas was imported" not in done.stderr
    assert "Traceback" not in done.stderr
    imported = set(done.stderr.split())
    needed = {"numpy.ma"} if "scipy.special" in imported else set()
    assert _OF_PYARROW & imported == needed


def test_help_is_shown_without_importing_what_commands_compute_with() -> None:
    program = (
        "import sys; from trajmeter.cli import main; "
        "main(['score', '--help']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert {"numpy", "trajmeter.kernels", "trajmeter.records"} & set(done.stderr.split()) == set()


def _ended(before: str, after: str) -> subprocess.CompletedProcess[str]:
    """The end of a program that registers something before and while the command runs."""
    program = f"""
import atexit, os, sys, threading
from trajmeter.cli import _main

class Last:
    def __del__(self, write=os.write):  # the module's own names may be gone by then
        write(1, b"taken apart")

kept = Last()

def main():
    {after}
    sys.stdout.write("buffered ")
    return 4

{before}
_main.main = main
_main.program()
"""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, text=True, env=buffered
    )


def test_what_waits_for_the_end_runs_and_nothing_is_taken_apart() -> None:
    done = _ended("", "atexit.register(sys.stdout.write, 'registered ')")
    # What threads and handlers print at the end is not data.
    assert (done.returncode, done.stdout, done.stderr) == (4, "", "buffered registered ")


def test_a_tool_that_waited_before_the_command_began_is_not_passed_over() -> None:
    done = _ended("atexit.register(os.write, 2, b'measured')", "pass")
    # That end may take apart what is left, as free-threaded CPython does.
    assert (done.returncode, done.stderr.removesuffix("taken apart")) == (4, "measuredbuffered ")


def test_the_end_waits_for_threads() -> None:
    late = "threading.Timer(0.2, os.write, (2, b'late ')).start()"
    done = _ended("", late)
    assert (done.returncode, done.stderr) == (4, "late buffered ")


@pytest.mark.parametrize("command", ["score", "view"])
def test_only_options_that_pydantic_has_to_read_are_read_by_it(folder: Path, command: str) -> None:
    program = (
        "import sys; from trajmeter.cli import _application; from typer.main import get_command; "
        f"app = get_command(_application.application(['{command}'])); "
        f"context = app.commands['{command}'].make_context('{command}', ['preds.jsonl']); "
        "print(context.params, 'pydantic' in sys.modules, sep='\\n')"
    )
    pytest.importorskip("typer._adapters", reason="this typer reads options at once")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, cwd=folder, text=True
    )
    params, needs_pydantic = done.stdout.splitlines()
    assert "PosixPath('preds.jsonl')" in params or "WindowsPath('preds.jsonl')" in params
    assert needs_pydantic == "False"


WORDS = {
    "texts and paths": ["-m", "turns,tools", "-m", "context", "-o", "a.parquet", "-o", "a.html"],
    "an absent path": ["-s", "nowhere.jsonl", "-t", "gold.jsonl", "-t", "nowhere.jsonl"],
    "an absent folder": ["--repos", "nowhere"],
    "a file for a folder": ["--repos", "gold.jsonl"],
    "a folder": ["--repos", "."],
    "choices": ["-f", "json", "--engine", "local"],
    "no choice": ["-f", "jsno"],
    "numbers": ["--min-tasks", "3", "--threads", "2"],
    "no number": ["--min-tasks", "three"],
    "a number out of range": ["--min-tasks", "0"],
    "flags": ["--quantiles", "--no-cache"],
    "no value": ["-m"],
}


@pytest.mark.parametrize("name", WORDS)
def test_options_have_the_values_that_typer_reads(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder.is_dir()
    words = ["preds.jsonl", *WORDS[name]]
    ours = _parameters(words)
    monkeypatch.setattr(_terminal, "read_late", lambda _: None)
    assert _parameters(words) == ours


def test_a_default_is_left_to_a_typer_that_reads_it_without_pydantic() -> None:
    """Which has to be handed the text of a choice, not the choice."""
    default = EngineName.LOCAL
    parameter = SimpleNamespace(required=False, default=default, callback=None)
    parameter.process_value = lambda _, value: value.value
    read_late(parameter)
    assert parameter.process_value(None, default) == "local"


def _parameters(words: list[str]) -> dict[str, Any] | str:
    """What a command is called with, or what is wrong with the words."""
    command = get_command(_application.application(["score"])).commands["score"]  # type: ignore[attr-defined]
    try:
        values: dict[str, Any] = command.make_context("score", [*words]).params
    except Exception as error:  # noqa: BLE001 - typer's errors have moved between versions
        return f"{type(error).__name__}: {error}"
    # Without a value typer gives an empty tuple or nothing, which commands take for the same.
    return {key: value or None for key, value in values.items()}


@pytest.mark.parametrize(("chosen", "used"), [(None, "system"), ("mimalloc", "mimalloc")])
def test_arrow_allocates_from_the_system_unless_another_pool_is_chosen(
    folder: Path, chosen: str | None, used: str
) -> None:
    (folder / "pool.py").write_text(
        "import pyarrow as pa\nimport trajmeter\n\n\n"
        "@trajmeter.metric\ndef pool(task, trajectory):\n"
        "    print(pa.default_memory_pool().backend_name)\n    return 1\n",
        encoding="utf-8",
    )
    program = "from trajmeter.cli._main import program; program()"
    others = {name: value for name, value in os.environ.items() if name != MEMORY_POOL}
    done = subprocess.run(
        [sys.executable, "-c", program, "score", "preds.jsonl", "-m", "pool.py@pool"],
        capture_output=True,
        check=True,
        cwd=folder,
        encoding="utf-8",
        env=others if chosen is None else {**others, MEMORY_POOL: chosen},
    )
    assert done.stdout.split()[0] == used
