from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from trajmeter.bench import Request, Timing
from trajmeter.cli import ExitCode, main
from trajmeter.kernels import _select
from trajmeter.scoring.reading_options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def asked(rust: object, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What was to be scored; nothing is timed."""
    assert rust
    asked: list[Request] = []
    timing = Timing(name="union", work="spans", rust_seconds=0.001, python_seconds=0.05)

    def time_files(request: Request, *, on_progress: Callable[[str], None]) -> tuple[Timing, ...]:
        asked.append(request)
        on_progress("timing trajmeter score [red]\x1b")
        return (timing.model_copy(update={"name": "preds.jsonl"}),)

    monkeypatch.setattr("trajmeter.bench.time_kernels", lambda **_: (timing,))
    monkeypatch.setattr("trajmeter.bench.time_files", time_files)
    return asked


def test_it_prints_tables_and_a_chart(
    asked: list[Request], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench"]) == ExitCode.OK
    out, err = capsys.readouterr()
    assert (asked[0].files, asked[0].metrics) == ([], [])
    assert err == "trajmeter: timing trajmeter score [red]\\x1b\n"
    for part in ("Kernels, one call", "from file to file", "1 ms", "50 ms", "50x", "logarithmic"):
        assert part in out
    assert max(map(len, out.splitlines())) <= 100


def test_it_prints_one_document(asked: list[Request], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--format", "json"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["kernels"][0]["ratio"] == 50.0
    assert document["files"][0]["name"] == "preds.jsonl"
    assert asked


def test_options_are_those_of_score(asked: list[Request], tmp_path: Path) -> None:
    file, gold = tmp_path / "preds.jsonl", tmp_path / "gold.jsonl"
    file.touch()
    gold.touch()
    words = ["bench", str(file), "-t", str(gold), "-s", str(tmp_path), "-m", "turns, tools"]
    words += ["--map", "turns=steps,task.question=text", "--input-format", "trajectory-records"]
    assert main([*words, "-p", "ptcrunner"]) == ExitCode.OK
    (request,) = asked
    assert (request.files, request.tasks, request.snapshots) == ([file], [gold], tmp_path)
    assert request.metrics == ["turns", "tools"]
    assert request.reading == ReadingOptions(
        "trajectory-records", {"turns": "steps", "task.question": "text"}, ("ptcrunner",)
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "turn"], "unknown metric 'turn'; did you mean 'turns'?"),
        (["-p", "ptcruner"], "unknown profile 'ptcruner'; did you mean 'ptcrunner'?"),
        (["-m", "tools", "-p", "ptcrunner"], "which was not requested; requested: tools"),
        (["--input-format", "inspct"], "unknown format 'inspct'; did you mean 'inspect-"),
        (["--map", "turns"], "--map 'turns': expected FIELD=COLUMN"),
        (["--map", "truns=steps"], "map: trajectories have no field 'truns'"),
        (["--map", "task.ident=name"], "map: tasks have no field 'ident'"),
    ],
)
def test_a_mistake_is_an_error_before_anything_is_timed(
    asked: list[Request], capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["bench", *words]) == 2
    assert message in capsys.readouterr().err
    assert asked == []


def test_options_for_files_do_not_apply_to_generated_attempts(
    asked: list[Request], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--map", "turns=steps"]) == 0
    assert "--input-format and --map are for files" in capsys.readouterr().err
    assert asked


def test_without_the_extension_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("load", "_import_rust"):  # which remember nothing
        monkeypatch.setattr(_select, name, getattr(_select, name).__wrapped__)
    monkeypatch.setattr("trajmeter.kernels.load", _select.load)
    monkeypatch.setitem(sys.modules, "trajmeter.kernels._rust", None)
    assert main(["bench"]) == ExitCode.USAGE
    assert "there is nothing to compare" in (err := capsys.readouterr().err)
    assert "rustup.rs" in err
