from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.bench import Request, files, time_files
from trajmeter.errors import ConfigurationError
from trajmeter.readers import read_trajectories
from trajmeter.records import Task, ToolCall, Trajectory, Turn
from trajmeter.scoring.reading_options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPT = Trajectory(task_id="a", turns=(Turn(success=True, tool_calls=(ToolCall(name="ls"),)),))


@pytest.fixture
def attempts(tmp_path: Path) -> Path:
    file = tmp_path / "attempts.jsonl"
    file.write_text(f"{ATTEMPT.model_dump_json()}\n" * 3)
    return file


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """The backend and the arguments of every command, none of which is run."""
    calls: list[tuple[str, list[str]]] = []

    def fake(words: list[str], *, env: dict[str, str], **_options: Any) -> Any:
        file = Path(words[4])
        calls.append((env["TRAJMETER_BACKEND"], words[4:]))
        overall = {"attempts": sum(1 for _ in read_trajectories(file, on_problem=lambda _: None))}
        out = json.dumps({"overall": overall}).encode()
        return subprocess.CompletedProcess(words, 0, out, b"")

    monkeypatch.setattr(subprocess, "run", fake)
    return calls


def _time(**request: Any) -> Any:
    return time_files(Request(**request), on_progress=lambda _: None)


@pytest.mark.usefixtures("rust")
def test_the_command_is_timed_from_file_to_file(
    attempts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_SHORT_SECONDS", 0.0)
    (timing,) = _time(files=[attempts])
    assert timing.name == str(attempts)
    assert timing.work == "turns of 3 attempts"
    assert timing.ratio == timing.python_seconds / timing.rust_seconds


@pytest.mark.usefixtures("rust")
def test_the_command_imports_nothing_from_the_current_folder(
    attempts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_SHORT_SECONDS", 0.0)
    (attempts.parent / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(attempts.parent)
    (timing,) = _time(files=[attempts])
    assert timing.work == "turns of 3 attempts"


def test_both_backends_run_twice_if_they_are_quick(
    attempts: Path, run: list[tuple[str, list[str]]]
) -> None:
    gold, store = attempts.with_name("gold.jsonl"), attempts.with_name("snapshots")
    _time(files=[attempts], metrics=["turns", "tools"], tasks=[gold], snapshots=store)
    assert [backend for backend, _ in run] == ["rust", "rust", "python", "python"]
    for _, (file, *options) in run:
        assert file == str(attempts)
        given = dict(zip(options[::2], options[1::2], strict=True))
        assert given["--metrics"] == "turns,tools"
        assert (given["--tasks"], given["--snapshots"]) == (str(gold), str(store))


def test_columns_are_named_as_for_the_command(
    tmp_path: Path, run: list[tuple[str, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_SHORT_SECONDS", 0.0)
    file = tmp_path / "rows.jsonl"
    call = {"name": "ls"}
    row = {"name": "a", "steps": [{"success": True, "tool_calls": [call]}], "wanted": [call]}
    file.write_text(f"{json.dumps(row)}\n")
    mapping = {"task_id": "name", "turns": "steps"}
    of_task = {"task.expected_tool_calls": "wanted"}
    reading = ReadingOptions("trajectory-records", {**mapping, **of_task}, ("ptcrunner",))
    (timing,) = _time(files=[file], reading=reading)
    assert timing.work.startswith("tools, turns of ")
    words = run[0][1]
    assert [words[i + 1] for i, word in enumerate(words) if word == "--map"] == [
        "task_id=name",
        "turns=steps",
        "task.expected_tool_calls=wanted",
    ]
    assert words[words.index("--input-format") + 1] == "trajectory-records"
    assert words[words.index("--profile") + 1] == "ptcrunner"


@pytest.mark.usefixtures("rust")
def test_mapped_columns_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_SHORT_SECONDS", 0.0)
    file = tmp_path / "rows.jsonl"
    file.write_text('{"name": "a", "steps": [{"success": true}]}\n' * 2)
    reading = ReadingOptions(mapping={"task_id": "name", "turns": "steps"}, profiles=("ptcrunner",))
    (timing,) = _time(files=[file], reading=reading)
    assert timing.work == "turns of 2 attempts"


def test_profiles_of_other_metrics_are_left_out(
    attempts: Path, run: list[tuple[str, list[str]]]
) -> None:
    reading = ReadingOptions(profiles=("fc-eval", "ptcrunner"))
    (timing,) = _time(files=[attempts], reading=reading)
    assert timing.work == "turns of 3 attempts"
    words = run[0][1]
    assert [words[i + 1] for i, word in enumerate(words) if word == "--profile"] == ["ptcrunner"]


def test_without_files_generated_attempts_are_scored(run: list[tuple[str, list[str]]]) -> None:
    (timing,) = _time()
    assert (timing.name, timing.work) == ("generated.jsonl", "turns of 1,000 attempts")
    assert not Path(run[0][1][0]).exists()


def test_metrics_are_those_that_find_what_they_need(
    attempts: Path, run: list[tuple[str, list[str]]]
) -> None:
    tasks = attempts.with_name("tasks.jsonl")
    task = Task(id="a", expected_tool_calls=(ToolCall(name="ls"),))
    tasks.write_text(task.model_dump_json() + "\n")
    (timing,) = _time(files=[attempts], tasks=[tasks])
    assert timing.work == "tools, turns of 3 attempts"
    assert run


def test_a_file_that_no_metric_scores_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text('{"task_id": "a", "final_output": "b"}\n')
    with pytest.raises(ConfigurationError, match=r"empty\.jsonl: no metric scores .* --tasks"):
        _time(files=[file])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"uid": 1, "log": []}', "expected a trajectory, got an object"),
        ("[]", "it contains no att"),
    ],
)
def test_a_file_without_a_readable_attempt_is_refused(
    tmp_path: Path, content: str, told: str
) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=rf"odd\.jsonl: .*{told}"):
        _time(files=[file])


def _write_parquet(file: Path) -> None:
    parquet.write_table(pa.table({"task_id": ["a"] * 5_000, "passed": [True] * 5_000}), file)


def _write_lines(file: Path) -> None:
    file.write_text('{"task_id": "a", "passed": true}\n' * 5_000)


@pytest.mark.parametrize(
    ("name", "write", "rows"), [("a.jsonl", _write_lines, 3), ("a.parquet", _write_parquet, 1_000)]
)
def test_of_a_large_file_the_beginning_is_scored(
    tmp_path: Path,
    name: str,
    write: Callable[[Path], None],
    rows: int,
    run: list[tuple[str, list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "_MOST_BYTES", 80)
    write(tmp_path / name)
    (timing,) = _time(files=[tmp_path / name], metrics=["turns"])
    assert timing.work == f"turns of the first {rows:,} attempts"
    assert run


def test_a_command_that_takes_too_long_has_no_time(
    attempts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(words: list[str], *, timeout: float, **_options: Any) -> Any:
        raise subprocess.TimeoutExpired(words, timeout)

    monkeypatch.setattr(subprocess, "run", stop)
    (timing,) = _time(files=[attempts], metrics=["turns"])
    assert (timing.rust_seconds, timing.python_seconds, timing.ratio) == (None, None, None)


@pytest.mark.usefixtures("rust")
def test_a_command_that_fails_is_an_error(attempts: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"attempts\.jsonl failed: .*unknown metric"):
        _time(files=[attempts], metrics=["nonesuch"])
