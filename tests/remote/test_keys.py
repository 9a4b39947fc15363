"""What a store tells of a remote file makes a run another one, or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from pyarrow import parquet

from tests.remote.stores import memory_folder, put
from tests.scoring.attempts import score_units
from trajmeter.records import Trajectory
from trajmeter.remote import path_of
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LINE = b'{"task_id": "a"}\n'


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Key of a run over a remote file of which the store tells a few things."""
    place = memory_folder()
    from fsspec.implementations.memory import (  # type: ignore[import-untyped]  # it has no types
        MemoryFileSystem,
    )

    info = MemoryFileSystem.info
    reported: dict[str, Any] = {}

    def tell(system: object, path: str, **options: object) -> dict[str, Any]:
        about = info(system, path, **options)
        return {**{name: about[name] for name in ("name", "size", "type")}, **reported}

    monkeypatch.setattr(MemoryFileSystem, "info", tell)

    def key(content: bytes, **about: object) -> str:
        reported.clear()
        reported.update(about)
        put(place, {"runs": content})
        output = tmp_path / f"out {len([*tmp_path.iterdir()])}"
        done = score_units(path_of(f"{place}/runs"), output)
        assert done.rows == 1
        found: str = json.loads((output / "state" / "plan.json").read_text())["run_key"]
        return found

    return key


def _parquet() -> bytes:
    stream = pa.BufferOutputStream()
    table = pa.Table.from_batches([trajectory_batch([Trajectory(task_id="a")])])
    parquet.write_table(table, stream)
    return bytes(stream.getvalue())


@pytest.mark.parametrize("content", [_LINE, _parquet()], ids=["lines", "parquet"])
@pytest.mark.parametrize("name", ["ETag", "etag", "version_id", "mtime", "LastModified"])
def test_another_version_or_time_changes_the_key(
    name: str, content: bytes, key: Callable[..., str]
) -> None:
    before = key(content, **{name: 1_000.0 if name == "mtime" else "first"})
    assert key(content, **{name: 1_000.0 if name == "mtime" else "first"}) == before
    assert key(content, **{name: 2_000.0 if name == "mtime" else "second"}) != before


def test_another_size_changes_the_key(key: Callable[..., str]) -> None:
    assert key(_LINE + b" \n", ETag="e") != key(_LINE, ETag="e")


def test_the_time_does_not_where_there_is_a_version(key: Callable[..., str]) -> None:
    before = key(_LINE, ETag="e", mtime=1_000.0)
    assert key(_LINE, ETag="e", mtime=2_000.0) == before
    assert key(_LINE, version_id="e", mtime=1_000.0) != before
