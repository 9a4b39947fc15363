"""What ends a run, and what it leaves."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import shutil
import subprocess
from threading import Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.scoring.attempts import SIZES, contents, score_units, write_attempts
from trajmeter.errors import ConfigurationError
from trajmeter.records import ReadProblem, Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.plan import PlanSizes
from trajmeter.writers import atomic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_attempts(tmp_path / "runs.jsonl")


def _full_after(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let the disk be full after so many bytes."""
    left = [size]

    class Limited(io.FileIO):
        def write(self, content: Any, /) -> int:
            left[0] -= len(content)
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(content)

    class Output(atomic._Output, Limited):  # noqa: SLF001 - what names the errors of a file
        pass

    monkeypatch.setattr(atomic, "_Output", Output)


@pytest.mark.parametrize("workers", [1])
@pytest.mark.parametrize("size", [100, 30_000, 200_000])
def test_a_full_disk_ends_the_run_and_finished_parts_stay(
    size: int, workers: int, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_units(runs, tmp_path / "whole")
    expected = contents(tmp_path / "whole")
    assert sum(map(len, expected.values())) > 200_000
    output = tmp_path / "scores"
    with monkeypatch.context() as patch:
        _full_after(patch, size)
        named = (
            r"No space left on device \(the file needs at least [\d,]+ bytes, and [\d,]+ are free\)"
        )
        with pytest.raises(ConfigurationError, match=named):
            score_units(runs, output, workers=workers)
    assert not [*output.rglob("*.part")]
    kept = contents(output)
    assert kept.items() <= expected.items()
    done = score_units(runs, output)
    assert done.resumed == len(kept)
    assert contents(output) == expected


def test_a_disk_that_is_full_while_attempts_are_sorted_by_task_is_named(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"metrics": ("speedup",), "sizes": PlanSizes(share_bytes=9_000)}
    score_units(runs, tmp_path / "whole", **options)
    output = tmp_path / "scores"
    with monkeypatch.context() as patch:
        _full_after(patch, 20_000)
        with pytest.raises(
            ConfigurationError, match=r"00000\d\.arrow: cannot be written: No space"
        ):
            score_units(runs, output, **options)
    assert not [*output.rglob("*.part")]
    assert not [*(output / "rows").iterdir()]
    assert score_units(runs, output, **options).is_complete
    assert contents(output) == contents(tmp_path / "whole")


@pytest.mark.parametrize("number", [errno.EDQUOT, errno.EROFS, errno.EIO])
def test_a_failure_to_rename_is_named_and_finished_parts_stay(
    number: int, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path as AnyPath

    replace = AnyPath.replace

    def refuse(path: Path, target: Any) -> Path:
        if "part-000002" in str(target):
            raise OSError(number, os.strerror(number))
        return replace(path, target)

    monkeypatch.setattr(AnyPath, "replace", refuse)
    message = rf"part-000002\.parquet: cannot be written: {os.strerror(number)}"
    with pytest.raises(ConfigurationError, match=message):
        score_units(runs, tmp_path / "scores")
    assert len([*(tmp_path / "scores" / "rows").iterdir()]) == 2
    monkeypatch.undo()
    resumed = score_units(runs, tmp_path / "scores")
    assert (resumed.resumed, resumed.is_complete) == (2, True)


def test_an_earlier_part_is_not_taken_for_that_of_a_later_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, output = tmp_path / "runs.parquet", tmp_path / "scores"

    def write(count: int) -> None:
        rows = pa.table({"task_id": ["a", "b"], "turn_count": [1, count]})
        parquet.write_table(rows, file, use_dictionary=False, write_statistics=False)

    write(2)
    score_units(file, output)
    size = file.stat().st_size
    write(8)  # with the footer of before, so that only the time differs
    os.utime(file, ns=(1, 1))
    assert file.stat().st_size == size
    with monkeypatch.context() as patch:
        replace = atomic._replace

        def fail(beside: Path, target: Path) -> None:
            if target.name.startswith("part-"):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            replace(beside, target)

        patch.setattr(atomic, "_replace", fail)
        with pytest.raises(ConfigurationError, match="cannot be written"):
            score_units(file, output)
    done = score_units(file, output)
    assert done.resumed == 0
    assert done.summary.overall.figures["turns.run.turn_count"].macro == 4.5
    assert parquet.read_table(output / "rows")["turns.run.turn_count"].to_pylist() == [1, 8]


def test_an_interrupt_while_threads_start_ends_those_that_run(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Thread] = []

    class Interrupted(Thread):
        def start(self) -> None:
            made.append(self)
            if len(made) > 1:
                raise KeyboardInterrupt
            super().start()

    monkeypatch.setattr("trajmeter.scoring.runs.engines.processes.Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        score_units(runs, tmp_path / "scores", workers=2)
    assert [thread.is_alive() for thread in made] == [False, False]


def test_a_worker_that_cannot_write_ends_the_run(runs: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores"
    done = score_units(runs, output)
    part = done.parts[3]
    part.unlink()
    part.mkdir()  # cannot be replaced by a file
    (part / "x").touch()
    (output / "manifest.json").unlink()
    with pytest.raises(ConfigurationError, match=r"part-000003\.parquet"):
        score_units(runs, output, workers=2)
    shutil.rmtree(part)
    assert score_units(runs, output, workers=2).is_complete


def test_a_broken_page_costs_its_row_group(tmp_path: Path) -> None:
    attempts = [Trajectory(task_id=f"t{number}", attempt="x" * 50) for number in range(90)]
    table = pa.Table.from_batches([trajectory_batch(attempts)])
    file = tmp_path / "runs.parquet"
    parquet.write_table(table, file, row_group_size=10, write_page_checksum=True)
    about = parquet.read_metadata(file).row_group(4).column(0)
    content = bytearray(file.read_bytes())
    content[about.data_page_offset + 40] ^= 0xFF
    file.write_bytes(content)
    problems: list[ReadProblem] = []
    done = score_units(file, tmp_path / "scores", problems=problems)
    assert done.rows == 80
    assert ["row group 4 cannot be read, rows [40] to [49]" in str(each) for each in problems] == [
        True
    ]
    assert score_units(file, tmp_path / "scores").problems == 1


@pytest.mark.parametrize("cut", [True, False])
def test_a_column_of_a_wrong_type_is_refused_before_anything_is_scored(
    cut: bool, runs: Path, tmp_path: Path
) -> None:
    file = tmp_path / "runs.parquet"
    rows = SIZES.piece_rows + 1 if cut else 2
    parquet.write_table(pa.table({"task_id": ["t"] * rows, "passed": [[1]] * rows}), file)
    expected = rf"^{re.escape(str(file))}: column passed is list<.*>, expected bool: "
    with pytest.raises(ConfigurationError, match=expected):
        score_units([runs, file], tmp_path / "scores")
    assert not (tmp_path / "scores").exists()


def test_results_beside_attempts_in_a_folder_do_not_end_the_run(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(runs, folder / "runs.jsonl")
    parquet.write_table(
        pa.table({"task_id": ["t"], "source": ["runs.jsonl:1"]}), folder / "s.parquet"
    )
    done = score_units(folder, tmp_path / "scores")
    assert (done.rows, done.problems) == (score_units(runs, tmp_path / "alone").rows, 1)


def test_a_table_of_another_format_may_have_columns_of_any_type(tmp_path: Path) -> None:
    file = tmp_path / "runs.parquet"
    table = {"instance_id": ["a"], "model_patch": ["diff"], "passed": [[1]]}
    parquet.write_table(pa.table(table), file)
    assert score_units(file, tmp_path / "scores").rows == 1


def test_cut_off_files_are_read_as_far_as_they_go(runs: Path, tmp_path: Path) -> None:
    compressed = tmp_path / "more.jsonl.gz"
    compressed.write_bytes(gzip.compress(runs.read_bytes())[:-1_000])
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    problems: list[ReadProblem] = []
    done = score_units([runs, compressed, broken], tmp_path / "scores", problems=problems)
    assert 200 <= done.rows < 400
    found = sorted({each.file.rpartition("/")[2]: each.message for each in problems}.items())
    assert [name for name, _ in found] == ["broken.parquet", "more.jsonl.gz"]
    assert done.is_complete


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a tmpfs cannot be mounted here: {error}")
    yield place
    unmount = ["umount", str(place)]
    subprocess.run(unmount, check=True)


def test_a_disk_that_is_full_from_the_start_is_named(small_disk: Path, runs: Path) -> None:
    (small_disk / "other").write_bytes(bytes(256 << 10))
    lock = small_disk / "scores" / "state" / "lock-1-of-1"
    message = f"^{re.escape(str(lock))}: cannot be written: No space left on device$"
    with pytest.raises(ConfigurationError, match=message):
        score_units(runs, small_disk / "scores")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_disk_that_is_full_is_named_and_the_run_resumes_with_more_room(
    workers: int, small_disk: Path, tmp_path: Path
) -> None:
    runs = write_attempts(tmp_path / "many.jsonl", 1_000)
    output = small_disk / "scores"
    with pytest.raises(ConfigurationError) as raised:
        score_units(runs, output, workers=workers)
    found = re.search(
        r"No space left on device \(the file needs at least ([\d,]+) bytes, and ([\d,]+) are free",
        str(raised.value),
    )
    assert found
    assert str(raised.value).startswith(str(output))
    assert int(found[2].replace(",", "")) < 256 << 10
    assert not [*output.rglob("*.part")]
    kept = len([*(output / "rows").iterdir()])
    assert kept > 0
    more = ["mount", "-o", "remount,size=64m", str(small_disk)]
    subprocess.run(more, check=True, capture_output=True)
    done = score_units(runs, output, workers=workers)
    assert (done.resumed, done.rows, done.is_complete) == (kept, 1_000, True)
    score_units(runs, tmp_path / "here")
    assert contents(output) == contents(tmp_path / "here")
