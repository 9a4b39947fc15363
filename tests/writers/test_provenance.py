"""Where a file comes from: commands without secrets, inputs with their digests."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from trajmeter.writers.provenance import (
    InputDigests,
    InputFile,
    Provenance,
    command_line,
    input_file,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["score", "a.jsonl"], ["score", "a.jsonl"]),
        (["--judge-api-key", "abc", "x"], ["--judge-api-key", "***", "x"]),
        (["--TOKEN=abc"], ["--TOKEN=***"]),
        (["--password", "--verbose"], ["--password", "--verbose"]),
        (["https://me:pw@host/v1?key=1#f"], ["https://***@host/v1?***#f"]),
        (["--judge-base-url=https://me@host/v1"], ["--judge-base-url=https://***@host/v1"]),
        (["s3://bucket/runs.jsonl"], ["s3://bucket/runs.jsonl"]),
        (["sk-proj-0123456789abcdef", "ask-anyone"], ["***", "ask-anyone"]),
        (["ghp_0123456789abcdef0123"], ["***"]),
        (["hf_0123456789abcdef0123", "hf://a/b"], ["***", "hf://a/b"]),
        (["http://[broken"], ["***"]),
    ],
)
def test_a_command_line_keeps_no_secret(given: list[str], shown: list[str]) -> None:
    assert command_line(["/usr/bin/trajmeter", *given]) == ("trajmeter", *shown)


def test_bytes_of_names_that_are_not_utf8_are_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = os.fsdecode(b"b\xfe.jsonl")
    monkeypatch.setattr("sys.argv", ["trajmeter", "score", odd])
    found = Provenance.now([input_file(tmp_path / odd)])
    assert found.command[-1] == r"b\xfe.jsonl"
    assert found.inputs[0].path == str(tmp_path / r"b\xfe.jsonl")
    assert Provenance.model_validate_json(found.to_json()) == found


def test_no_command_line() -> None:
    assert command_line([]) == ()


def test_of_a_large_file_the_ends_are_digested(tmp_path: Path) -> None:
    size = 16 << 20
    (tmp_path / "whole").write_bytes(b"")
    os.truncate(tmp_path / "whole", size)
    whole = input_file(tmp_path / "whole")
    assert (whole.sha256, whole.ends_sha256) == (hashlib.sha256(bytes(size)).hexdigest(), None)
    with (tmp_path / "large").open("wb") as file:
        file.write(b"first")
        file.seek(size)
        file.write(b"last")
    large = input_file(tmp_path / "large")
    mib = 1 << 20
    ends = b"first" + bytes(mib - 5) + bytes(mib - 4) + b"last"
    assert (large.bytes, large.sha256) == (size + 4, None)
    assert large.ends_sha256 == hashlib.sha256(ends).hexdigest()


def test_a_file_and_a_folder_have_size_and_digest(tmp_path: Path) -> None:
    (tmp_path / "logs" / "more").mkdir(parents=True)
    for name, content in {"b.json": b"two", "more/a.json": b"three"}.items():
        (tmp_path / "logs" / name).write_bytes(content)
    file = input_file(tmp_path / "logs" / "b.json")
    digest = hashlib.sha256(b"two").hexdigest()
    assert (file.bytes, file.sha256, file.files) == (3, digest, None)
    folder = input_file(tmp_path / "logs")
    other = hashlib.sha256(b"three").hexdigest()
    listed = f"b.json\0{digest}\nmore/a.json\0{other}\n"
    assert (folder.bytes, folder.files) == (8, 2)
    assert folder.sha256 == hashlib.sha256(listed.encode()).hexdigest()
    (tmp_path / "logs" / "b.json").rename(tmp_path / "logs" / "c.json")
    assert input_file(tmp_path / "logs").sha256 != folder.sha256


def test_of_a_large_folder_the_ends_of_files_are_digested(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.json").write_bytes(b"small")
    with (folder / "b.json").open("wb") as file:
        file.write(b"first")
        file.seek(16 << 20)
        file.write(b"last")
    (folder / "gone").symlink_to(folder / "nothing")
    found = input_file(folder)
    assert (found.sha256, found.bytes, found.files) == (None, (16 << 20) + 9, 2)
    ends = b"first" + bytes(4096 - 5) + bytes(4096 - 4) + b"last"
    listed = (
        f"a.json\0{5}\0{hashlib.sha256(b'small').hexdigest()}\n"
        f"b.json\0{(16 << 20) + 4}\0{hashlib.sha256(ends).hexdigest()}\n"
    )
    assert found.ends_sha256 == hashlib.sha256(listed.encode()).hexdigest()
    with (folder / "b.json").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"T")
    assert input_file(folder).ends_sha256 != found.ends_sha256


@pytest.mark.parametrize("odd", [b"\xc3\xa4.json", b"a\xfe.json"])
def test_both_backends_digest_a_folder_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: bytes
) -> None:
    """Folders, links and names that sort otherwise by components, or that are not UTF-8."""
    monkeypatch.setattr("trajmeter.writers.provenance._LARGE_BYTES", 4)
    for name in ("a", "a/b", "a-", "empty", "ä"):
        (tmp_path / name).mkdir()
    for name in ("a/b/c.json", "a/b.json", "a-/z", "a.json", "ä/x", "Z", os.fsdecode(odd)):
        (tmp_path / name).write_bytes(name.encode(errors="surrogateescape") * 3_000)
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    (tmp_path / "folder").symlink_to(tmp_path / "a")
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    found = input_file(tmp_path)
    assert (found.files, found.sha256) == (8, None)
    monkeypatch.setattr("trajmeter.writers.provenance.backend", lambda: "python")
    assert input_file(tmp_path) == found
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    unread = InputFile(path=str(tmp_path))
    assert input_file(tmp_path) == unread
    monkeypatch.undo()
    monkeypatch.setattr("trajmeter.writers.provenance._LARGE_BYTES", 4)
    assert input_file(tmp_path) == unread


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = InputDigests([tmp_path / "pipe", tmp_path / "nothing"]).result()
    assert found == (
        InputFile(path=str(tmp_path / "pipe")),
        InputFile(path=str(tmp_path / "nothing")),
    )
