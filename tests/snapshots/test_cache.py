"""The cache of entries on disk: what spoils it is made again."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from trajmeter.snapshots._cache import EntryCache, default_cache_folder


def database(folder: Path) -> Path:
    (file,) = folder.glob("*.sqlite")
    return file


def test_entries_stay(tmp_path: Path) -> None:
    cache = EntryCache(tmp_path / "a" / "b")
    assert cache.read(["x"]) == {}
    cache.write([("x", b"one"), ("y", b"\0\xff"), ("x", b"two")])
    for other in (cache, EntryCache(tmp_path / "a" / "b"), pickle.loads(pickle.dumps(cache))):  # noqa: S301
        assert other.read(["x", "y", "z"]) == {"x": b"two", "y": b"\0\xff"}
    assert (tmp_path / "a" / "b").stat().st_mode & 0o077 == 0


def test_entries_that_come_one_by_one_are_written_together(tmp_path: Path) -> None:
    cache, other = EntryCache(tmp_path), EntryCache(tmp_path)
    assert cache.read(["x", "y"]) == {}
    cache.write_later([("x", b"one")])
    cache.write_later([("y", b"two")])
    assert cache.read(["y", "x", "z"]) == {"x": b"one", "y": b"two"}
    assert other.read(["x", "y"]) == {}
    cache.flush()
    assert other.read(["x", "y"]) == {"x": b"one", "y": b"two"} == cache.read(["x", "y"])
    for number in range(70):
        cache.write_later([(str(number), b"n")])
    assert len(other.read([str(number) for number in range(70)])) == 64
    assert len(cache.read([str(number) for number in range(70)])) == 70
    del cache
    assert len(other.read([str(number) for number in range(70)])) == 70


def test_pending_entries_are_written_when_the_process_ends(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from trajmeter.snapshots._cache import EntryCache; "
        "cache = EntryCache(Path(sys.argv[1])); cache.read(['x']); cache.write_later([('x', b'1')])"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "cache")], check=True)
    assert EntryCache(tmp_path / "cache").read(["x"]) == {"x": b"1"}


def test_a_folder_that_was_removed_meanwhile_stays_away(tmp_path: Path) -> None:
    cache = EntryCache(tmp_path / "cache")
    cache.read(["x"])
    cache.write_later([("x", b"one")])
    shutil.rmtree(tmp_path / "cache")
    del cache
    assert not (tmp_path / "cache").exists()
    nowhere = EntryCache(None)
    nowhere.write_later([("x", b"one")])
    nowhere.flush()
    assert nowhere.read(["x"]) == {}


def test_more_keys_than_a_query_takes(tmp_path: Path) -> None:
    cache = EntryCache(tmp_path)
    entries = {str(n): b"%d" % n for n in range(1_300)}
    cache.write(entries.items())
    assert cache.read([*entries, "absent"]) == entries


def test_a_damaged_entry_is_not_used(tmp_path: Path) -> None:
    cache = EntryCache(tmp_path)
    cache.write([("x", b"one"), ("y", b"two")])
    with sqlite3.connect(database(tmp_path)) as connection:
        connection.execute("UPDATE entries SET entry = x'00' WHERE key = 'x'")
    connection.close()
    assert cache.read(["x", "y"]) == {"y": b"two"}
    cache.write([("x", b"one")])
    assert cache.read(["x", "y"]) == {"x": b"one", "y": b"two"}


@pytest.mark.parametrize("content", [b"rubbish" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_database_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    EntryCache(tmp_path).write([("x", b"one")])
    database(tmp_path).write_bytes(content)
    cache = EntryCache(tmp_path)
    assert cache.read(["x"]) == {}
    cache.write([("x", b"two")])
    assert EntryCache(tmp_path).read(["x"]) == {"x": b"two"}


def test_a_database_cut_short_is_begun_anew(tmp_path: Path) -> None:
    EntryCache(tmp_path).write([(str(n), bytes(100)) for n in range(1000)])
    place = database(tmp_path)
    os.truncate(place, place.stat().st_size // 2)
    cache = EntryCache(tmp_path)
    for _ in range(2):  # what is left may still be read; what is lost is found out at some time
        cache.read([str(n) for n in range(1000)])
        cache.write([("x", b"two")])
    assert cache.read(["x"]) == {"x": b"two"}


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = EntryCache(tmp_path / "file" / "folder")
    cache.write([("x", b"one")])
    assert cache.read(["x"]) == {}


def test_no_folder_keeps_nothing() -> None:
    cache = EntryCache(None)
    cache.write([("x", b"one")])
    assert cache.read(["x"]) == {}


def test_a_database_in_use_is_waited_for_no_longer_than_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.snapshots._cache._WAIT_SECONDS", 0.05)
    EntryCache(tmp_path).write([("x", b"one")])
    other = sqlite3.connect(database(tmp_path), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache = EntryCache(tmp_path)
    assert cache.read(["x"]) == {}
    cache.write([("y", b"two")])
    other.execute("COMMIT")
    other.close()
    assert cache.read(["x"]) == {}  # nobody waits twice
    assert EntryCache(tmp_path).read(["x", "y"]) == {"x": b"one"}


_WRITER = """
import sys
from pathlib import Path
from trajmeter.snapshots import _cache
_cache._WAIT_SECONDS = 300  # entries of a writer that waits longer are lost
cache = _cache.EntryCache(Path(sys.argv[1]))
for n in range(100):
    cache.write([(f"{sys.argv[2]} {n}", b"%d" % n), ("shared", b"same")])
"""


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path / "cache")]
    writers = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    expected = {f"{name} {n}": b"%d" % n for name in "abc" for n in range(100)}
    found = EntryCache(tmp_path / "cache").read([*expected, "shared"])
    assert found == {**expected, "shared": b"same"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have places of their own")
def test_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "trajmeter"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / ".cache" / "trajmeter"

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert default_cache_folder() is None
