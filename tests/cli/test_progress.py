from __future__ import annotations

import io
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from rich.progress import Progress

from tests.cli.outputs import Terminal
from trajmeter.cli import _progress
from trajmeter.cli._process import print_message
from trajmeter.cli._progress import Places, sized_files, timed, tracked
from trajmeter.records import Source, Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa


def _on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Show stderr on a terminal until the end of the test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """A file of 4 lines, one of 6, and a folder, which has none."""
    sizes = {"a.jsonl": 4, "b.jsonl": 6}
    for name, lines in sizes.items():
        (tmp_path / name).write_text("{}\n" * lines)
    (tmp_path / "runs").mkdir()
    return [tmp_path / name for name in ("a.jsonl", "b.jsonl", "runs")]


def _batches(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    """Batches of two rows, and one of none."""
    for path, lines in zip(paths, (4, 6), strict=False):
        for line in range(1, lines + 1, 2):
            sources = [Source(file=str(path), line=line + more) for more in (0, 1)]
            yield trajectory_batch(Trajectory(task_id="t", source=each) for each in sources)
    yield trajectory_batch([])


def test_nothing_is_shown_where_nobody_looks(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)
    with tracked(_batches(paths), paths) as watched:
        assert sum(map(len, watched)) == 10
    assert stream.getvalue() == ""


@pytest.mark.parametrize("delay", [0.0, 60.0])
def test_the_time_of_long_work_is_shown(monkeypatch: pytest.MonkeyPatch, delay: float) -> None:
    terminal = _on_a_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", delay)
    shown, start = threading.Event(), Progress.start

    def show(progress: Progress) -> None:
        start(progress)
        shown.set()

    monkeypatch.setattr(Progress, "start", show)
    with timed("Reading [b]"):
        assert delay or shown.wait(60)
    assert ("Reading [b]" in terminal.getvalue()) is (not delay)


def test_nothing_is_shown_for_what_is_over_at_once(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _on_a_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "monotonic", lambda: 5.0)
    with tracked(_batches(paths), paths) as watched:
        assert sum(map(len, watched)) == 10
    assert terminal.getvalue() == ""


def test_progress_is_measured_by_the_bytes_of_all_files(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _on_a_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)
    monkeypatch.setattr(_progress, "_REFRESH_SECONDS", 0)
    updates: list[dict[str, object]] = []

    def noting(_progress: Progress, _task: int, **figures: object) -> None:
        updates.append(figures)

    monkeypatch.setattr(Progress, "update", noting)
    with tracked(_batches(paths), paths) as watched:
        assert sum(map(len, watched)) == 10
    total, *steps = updates
    assert total == {"total": 30}
    rates = [step.pop("rate") for step in steps]
    assert steps == [{"completed": 3 * line, "count": line} for line in range(2, 11, 2)]
    assert all(isinstance(rate, float) and rate > 0 for rate in rates)
    assert "trajectories" in terminal.getvalue()


def test_folders_and_patterns_are_measured_by_their_files(tmp_path: Path) -> None:
    for name, content in {"a/b.json": "12345", "a/c/d.jsonl": "1\n2\n3\n", "e.json": "1"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    for path in (tmp_path / "a", tmp_path / "*"):
        places = Places([path])
        assert places.total == (11 if path.name == "a" else 12)
        assert places.bytes_until(f"{tmp_path}/a/b.json", None) == 5
        assert places.bytes_until(f"{tmp_path}/a/c/d.jsonl", 2) == 9
        assert places.bytes_until(f"{tmp_path}/a/c/d.jsonl", 200) == 11
        assert places.bytes_until("elsewhere", 3) == 0
    assert Places([tmp_path / "absent"]).total == 0


def test_a_message_is_shown_beside_the_bar(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _on_a_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)
    with tracked(_batches(paths), paths) as watched:
        for count, _ in enumerate(watched):
            if count == 3:
                print_message("unreadable: [bold]a.jsonl:6")
    assert "unreadable: [bold]a.jsonl:6\n" in terminal.getvalue()


def test_a_bar_is_taken_away_when_scoring_fails(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _on_a_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)

    def failing() -> None:
        with tracked(_batches(paths), paths) as watched:
            for count, _ in enumerate(watched):
                if count == 3:
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert terminal.getvalue().count(hidden) == terminal.getvalue().count(shown) == 1
    assert sys.stderr is terminal


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path) -> None:
    for name, size in {"run[1].jsonl": 7, "run1.jsonl": 3}.items():
        (tmp_path / name).write_bytes(bytes(size))
    found = sized_files(tmp_path / "run[1].jsonl")
    assert [*found] == [(str(tmp_path / "run[1].jsonl"), 7)]
    assert [size for _, size in sized_files(tmp_path / "run[2-9].jsonl")] == []
