"""Paths of remote files: what they are called, what they hold, and what they never show."""

from __future__ import annotations

import gzip
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from tests.remote.stores import Bucket, held, memory_folder, put
from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.remote import RemotePath, adopt_options, is_remote, known_options, path_of
from trajmeter.remote.filesystems import Uri, os_errors
from trajmeter.writers.provenance import command_line


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("s3://bucket/a/b.jsonl", "s3://bucket/a/b.jsonl"),
        ("S3://bucket/a/", "s3://bucket/a"),
        ("s3:/bucket/a", "s3://bucket/a"),  # as Path has it
        ("s3://me:topsecret@bucket/a?region=x", "s3://bucket/a"),
        ("https://host/a.jsonl?token=topsecret", "https://host/a.jsonl"),
        ("https://host/b.jsonl?topsecret", "https://host/b.jsonl"),
        ("s3://bucket/why?/a?.jsonl", "s3://bucket/why?/a?.jsonl"),
        ("s3://bucket/why?/year=1/a", "s3://bucket/why?/year=1/a"),
        ("s3://other/why?/a?region=x&topsecret", "s3://other/why?/a"),
    ],
)
def test_names_have_neither_options_nor_credentials(given: str, name: str) -> None:
    path = path_of(given)
    assert isinstance(path, RemotePath)
    assert str(path) == name
    assert path == path_of(Path(name)) == pickle.loads(pickle.dumps(path))  # noqa: S301 - our own
    assert "topsecret" not in repr(path)
    assert is_remote(path / "c")
    assert str(path.parent / "c") == f"{name.rpartition('/')[0]}/c"


@pytest.mark.parametrize("given", ["a/b", "C:/a", "c:\\a", "/a", "-", "a:b", "a://b"])
def test_other_paths_stay_what_they_are(given: str) -> None:
    assert not is_remote(path_of(given))


def test_a_file_that_exists_is_no_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if sys.platform != "win32":
        (tmp_path / "s3:").mkdir()
        (tmp_path / "s3:" / "a").write_text("here")
        assert path_of("s3:/a").read_text() == "here"
    (tmp_path / "a b").write_text("here")
    assert path_of((tmp_path / "a b").as_uri()).read_text() == "here"


def test_two_sets_of_options_for_one_place_are_refused() -> None:
    path_of("s3://two-sets/a?region=x")
    path_of("s3://two-sets/b?region=x")
    with pytest.raises(ConfigurationError, match="s3://two-sets is given with two sets") as raised:
        path_of("s3://two-sets/a?region=topsecret")
    assert "topsecret" not in str(raised.value)


def test_options_reach_other_processes() -> None:
    path_of("s3://elsewhere/a?region=x")
    options = pickle.loads(pickle.dumps(known_options()))  # noqa: S301 - our own
    adopt_options(options)
    assert known_options() == options


@pytest.mark.parametrize(
    "uri", ["s3://me:topsecret@wrong/a?bogus=topsecret", "nope://wrong/a?key=topsecret"]
)
def test_messages_show_no_secrets(uri: str) -> None:
    # Without fsspec, the message says what to install.
    with pytest.raises((OSError, ExtraMissingError), match="wrong") as raised:
        path_of(uri).stat()
    assert "topsecret" not in f"{raised.value} {raised.value.__cause__}"


@pytest.mark.parametrize("uri", ["s3://me:top/secret@bucket/a", "https://me:top/secret@host/a"])
def test_credentials_with_a_slash_are_refused_and_not_shown(uri: str) -> None:
    with pytest.raises(ConfigurationError, match="write it as %2F") as raised:
        path_of(uri)
    assert "secret" not in str(raised.value)
    assert (
        command_line(["trajmeter", "score", uri])[-1]
        == f"{uri.partition(':')[0]}://***@" + (uri.rpartition("@")[2])
    )


@pytest.mark.parametrize("name", ["s3://bucket/a:b@c", "hdfs://host:8020/a@b", "hf://datasets/a@b"])
def test_a_name_may_hold_what_credentials_do(name: str) -> None:
    assert str(path_of(name)) == name
    assert command_line(["trajmeter", name])[-1] == name


def test_a_traceback_shows_no_address_of_a_missing_file() -> None:
    address = "https://host/a?token=topsecret"
    with pytest.raises(FileNotFoundError) as raised, os_errors(Uri("https", "host/a")):
        raise FileNotFoundError(address)
    shown = traceback.format_exception(raised.type, raised.value, None)
    assert "topsecret" not in "".join(shown)
    assert "https://host/a" in shown[-1]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ExtraMissingError, match=r"memory://x.*pip install 'trajmeter\[hf\]'"):
        path_of("memory://x/a").stat()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"s3://x.*pip install 'trajmeter\[data\]'"):
        path_of("s3://x/a").stat()


def test_a_folder_in_memory() -> None:
    root = memory_folder()
    put(root, {"a.txt": b"one", "b/c.txt": b"three", "b/.hidden/d.txt": b"x", "b/e.json": b"{}"})
    folder = path_of(root)
    assert isinstance(folder, RemotePath)
    assert (folder.is_dir(), folder.is_file(), folder.exists()) == (True, False, True)
    _check_folder(folder)


def test_a_bucket(bucket: Bucket) -> None:
    files = {"a.txt": b"one", "b/c.txt": b"three", "b/.hidden/d.txt": b"x", "b/e.json": b"{}"}
    for name, content in files.items():
        bucket.put(f"runs/{name}", content)
    folder = path_of(bucket.uri("runs"))
    assert isinstance(folder, RemotePath)
    _check_folder(folder)
    before = (folder / "a.txt").identity()
    assert before is not None
    assert before.startswith("etag:")
    bucket.put("runs/a.txt", b"two")
    assert (folder / "a.txt").identity() != before


def _check_folder(folder: RemotePath) -> None:
    file = folder / "b" / "c.txt"
    assert file.read_bytes() == b"three"
    assert (file.stat().st_size, file.is_file(), file.is_dir()) == (5, True, False)
    assert not (folder / "none").exists()
    with pytest.raises(FileNotFoundError):
        (folder / "none").open("rb")
    assert [str(each.relative_to(folder)) for each, _ in folder.files()] == [
        "a.txt",
        "b/.hidden/d.txt",
        "b/c.txt",
        "b/e.json",
    ]
    assert [(each.name, is_folder) for each, is_folder in folder.scan()] == [
        ("a.txt", False),
        ("b", True),
    ]
    for pattern, names in {
        "**/*.txt": ["a.txt", "c.txt"],
        "*.txt": ["a.txt"],
        "b/[c-d].*": ["c.txt"],
        "**": ["a.txt", "c.txt", "e.json"],
        "*/.hidden/*": ["d.txt"],
        "b/*.parquet": [],
    }.items():
        assert [each.name for each in (folder / pattern).matches()] == names, pattern
    with file.open("rb") as opened:
        assert opened.read(2) == b"th"
        assert opened.seek(-2, 2) == 3
        assert opened.read() == b"ee"
        assert opened.seek(1) == 1
        assert opened.read(2) == b"hr"


def test_a_file_appears_when_everything_is_written_and_not_at_all_otherwise() -> None:
    root = memory_folder()
    path = path_of(f"{root}/a")
    assert isinstance(path, RemotePath)

    def fail() -> None:
        with path.replacing() as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert held(root) == {}
    with path.replacing() as file:
        file.write(b"whole")
    assert held(root) == {"a": b"whole"}
    path.unlink()
    path.unlink(missing_ok=True)
    assert held(root) == {}


def test_large_files_are_read_in_few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    root = memory_folder()
    content = bytes(range(256)) * (100 << 10)
    put(root, {"large": content, "packed": gzip.compress(content)})
    asked: list[int] = []
    with path_of(f"{root}/large").open("rb") as file:
        raw: Any = file.raw
        read = raw.native.read

        class Native:
            def __getattr__(self, name: str) -> object:
                return getattr(native, name)

            def read(self, size: int) -> bytes:
                asked.append(size)
                return read(size)  # type: ignore[no-any-return]

        native = raw.native
        monkeypatch.setattr(raw, "native", Native())
        found = b"".join(iter(lambda: file.read(100_000), b""))
    assert found == content
    assert asked[0] <= 1 << 18
    assert len(asked) < 12
