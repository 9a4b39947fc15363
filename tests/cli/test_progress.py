from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from rich.progress import Progress

from trajmeter.cli import _progress
from trajmeter.cli._progress import tracked
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """A file of 4 lines, one of 6, and a folder, which has none."""
    sizes = {"a.jsonl": 4, "b.jsonl": 6}
    for name, lines in sizes.items():
        (tmp_path / name).write_text("{}\n" * lines)
    (tmp_path / "runs").mkdir()
    return [tmp_path / name for name in ("a.jsonl", "b.jsonl", "runs")]


def _attempts(paths: list[Path]) -> Iterator[Trajectory]:
    for path, lines in zip(paths, (4, 6), strict=False):
        for line in range(1, lines + 1):
            yield Trajectory(task_id="t", source=Source(file=str(path), line=line))


def test_nothing_is_shown_where_nobody_looks(paths: list[Path]) -> None:
    stream = io.StringIO()
    with tracked(_attempts(paths), paths, Console(file=stream)) as watched:
        assert len(list(watched)) == 10
    assert stream.getvalue() == ""


def test_nothing_is_shown_for_what_is_over_at_once(paths: list[Path]) -> None:
    stream = io.StringIO()
    with tracked(_attempts(paths), paths, Console(file=stream, force_terminal=True)) as watched:
        assert len(list(watched)) == 10
    assert stream.getvalue() == ""


def test_progress_is_told_by_the_lines_of_all_files(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)
    monkeypatch.setattr(_progress, "_REFRESH_SECONDS", 0)
    told: list[dict[str, object]] = []

    def noting(_progress: Progress, _task: int, **figures: object) -> None:
        told.append(figures)

    monkeypatch.setattr(Progress, "update", noting)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=60)
    with tracked(_attempts(paths), paths, console) as watched:
        assert len(list(watched)) == 10
    total, *steps = told
    assert total == {"total": 10}
    assert steps == [{"completed": line, "count": line} for line in range(1, 11)]
    assert "trajectories" in stream.getvalue()


def test_a_bar_is_taken_away_when_scoring_fails(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress, "_DELAY_SECONDS", 0)
    console = Console(file=io.StringIO(), force_terminal=True)

    def failing() -> None:
        with tracked(_attempts(paths), paths, console) as watched:
            for count, _ in enumerate(watched):
                if count == 5:
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert console.show_cursor(show=True)
