"""Output files are written completely, or left as they were."""

from __future__ import annotations

import errno
import gc
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.metrics.fakes import AnswerMetric
from trajmeter.errors import ConfigurationError
from trajmeter.metrics import RowLayout, score_trajectories
from trajmeter.records import Task, Trajectory
from trajmeter.writers import OutputWatch, check_output, open_table
from trajmeter.writers.arrow import arrow_schema, rows_batch
from trajmeter.writers.atomic import replacing
from trajmeter.writers.files import check_is_no_input

if TYPE_CHECKING:
    from collections.abc import Iterator


TASK = Task(id="one", expected_answer="a b")


@pytest.fixture
def layout() -> RowLayout:
    return RowLayout([AnswerMetric()])


@pytest.fixture(scope="module")
def many_rows() -> list[list[object]]:
    """The values of 500 rows."""
    attempts = [Trajectory(task_id=f"{n}" * 40, final_output=str(n)) for n in range(500)]
    layout = RowLayout([AnswerMetric()])
    scored = score_trajectories(attempts, metrics=[AnswerMetric()], tasks=[TASK])
    return [layout.values(each) for each in scored]


@pytest.fixture
def values(layout: RowLayout) -> list[object]:
    attempt = Trajectory(task_id="one", final_output="a")
    (scored,) = score_trajectories([attempt], metrics=[AnswerMetric()], tasks=[TASK])
    return layout.values(scored)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".JSONL"])
def test_a_file_appears_when_it_is_complete(
    tmp_path: Path, layout: RowLayout, values: list[object], suffix: str
) -> None:
    target = tmp_path / f"out{suffix}"
    with open_table(target, layout) as table:
        table.write(values)
        assert not target.exists()
    assert target.stat().st_size > 0
    assert list(tmp_path.iterdir()) == [target]


def test_the_folder_of_a_file_is_created_when_it_is_written(
    tmp_path: Path, layout: RowLayout, values: list[object]
) -> None:
    target = tmp_path / "no" / "such" / "out.jsonl"
    check_output(target)
    assert list(tmp_path.iterdir()) == []
    with open_table(target, layout) as table:
        table.write(values)
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_run_that_ends_early_leaves_the_earlier_file(
    tmp_path: Path,
    layout: RowLayout,
    values: list[object],
    suffix: str,
    failure: type[BaseException],
) -> None:
    target = tmp_path / f"out{suffix}"
    target.write_text("earlier")

    def interrupted() -> None:
        with open_table(target, layout) as table:
            table.write(values)
            raise failure

    with pytest.raises(failure):
        interrupted()
    gc.collect()  # a writer that is left open would complain, which fails the test
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link(tmp_path: Path, layout: RowLayout, values: list[object]) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "out.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    with open_table(link, layout) as table:
        table.write(values)
    assert link.is_symlink()
    assert len(target.read_bytes().splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(
    tmp_path: Path, layout: RowLayout, values: list[object]
) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_table(pipe, layout) as table:
        table.write(values)
    assert json.loads(os.read(reading, 100_000))["task_id"] == "one"
    os.close(reading)
    assert pipe.is_fifo()


@contextmanager
def _room(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("by_batch", [True, False])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("room", [0, 3, 9_000])
def test_a_full_disk_names_the_file_and_keeps_the_old_content(
    tmp_path: Path,
    layout: RowLayout,
    many_rows: list[list[object]],
    suffix: str,
    room: int,
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_batch: bool,
) -> None:
    monkeypatch.setattr("trajmeter.writers.parquet._ROW_GROUP", 100)
    target = tmp_path / f"out{suffix}"
    target.write_text("earlier")
    batch = rows_batch(layout, many_rows, arrow_schema(layout))

    def write() -> None:
        with _room(room), open_table(target, layout) as table:
            if by_batch:
                table.write_batch(batch)
            else:
                for row in many_rows:
                    table.write(row)

    with pytest.raises(ConfigurationError, match=rf"out{suffix}: cannot be written: File too larg"):
        write()
    gc.collect()  # a writer that is left open would complain
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_file_that_fails_at_its_end_is_named(
    tmp_path: Path,
    layout: RowLayout,
    values: list[object],
    suffix: str,
    failing: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(failing, fail)
    target = tmp_path / f"out{suffix}"
    with (
        pytest.raises(ConfigurationError, match=rf"out{suffix}: cannot be written: No space left"),
        open_table(target, layout) as table,
    ):
        table.write(values)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_that_is_full_is_named(
    tmp_path: Path, layout: RowLayout, values: list[object]
) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to("/dev/full")
    with (
        pytest.raises(ConfigurationError, match=r"link\.jsonl: cannot be written: No space left"),
        open_table(link, layout) as table,
    ):
        table.write(values)


def test_errors_unrelated_to_the_file_are_raised_unchanged(
    tmp_path: Path, layout: RowLayout
) -> None:
    with (
        pytest.raises(FileNotFoundError, match="absent"),
        open_table(tmp_path / "out.jsonl", layout),
    ):
        (tmp_path / "absent").read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", r"out\.xlsx: expected a file that ends in \.csv, \.jsonl"),
        ("out", r"ends in \.csv, \.jsonl, \.parquet"),
        ("a.csv/more/out.csv", r"a\.csv is a file, expected a folder"),
        ("folder.csv", r"folder\.csv is a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_beforehand(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "a.csv").touch()
    with pytest.raises(ConfigurationError, match=message):
        check_output(tmp_path / name)


def test_a_file_without_permission_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # the suite may run as root
    with pytest.raises(ConfigurationError, match="no permission to write"):
        check_output(tmp_path / "out.csv")


def test_a_file_name_with_a_bracket_is_not_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "runs[1].jsonl"
    file.touch()
    with pytest.raises(ConfigurationError, match=r"runs\[1\]\.jsonl is an input; write"):
        check_is_no_input(file, [file])


def test_a_file_that_another_program_writes_meanwhile_is_noticed(tmp_path: Path) -> None:
    target = tmp_path / "rows.jsonl"
    watch = OutputWatch(target)
    assert watch.message() is None
    target.write_text("{}\n")
    assert watch.message() == (
        f"{target}: another program wrote it meanwhile; these results replace its own"
    )
    again = OutputWatch(target)
    assert again.message() is None
    with replacing(target) as stream:
        stream.write(b"{}\n")
    assert again.message() is not None
    removed = OutputWatch(target)
    target.unlink()
    assert removed.message() is None
    assert OutputWatch(tmp_path).message() is None
