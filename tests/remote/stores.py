"""Stores that tests read from and write to: an in-memory file system, and a fake S3 server."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = itertools.count()


def memory_folder() -> str:
    """Return the URI of a new in-memory folder."""
    pytest.importorskip("fsspec", reason="fsspec, which opens memory://, is not installed")
    return f"memory://{uuid4().hex}"


def put(uri: str, files: dict[str, bytes | Path]) -> None:
    """Write files below an in-memory URI."""
    import fsspec  # type: ignore[import-untyped]  # it has no types

    system = fsspec.filesystem("memory")
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.read_bytes()
        system.pipe(f"{uri.removeprefix('memory:/')}/{name}", data)


def held(uri: str) -> dict[str, bytes]:
    """Return the files below an in-memory URI."""
    import fsspec

    system = fsspec.filesystem("memory")
    root = uri.removeprefix("memory:/")
    return {name.removeprefix(f"{root}/"): system.cat(name) for name in system.find(root)}


class Bucket:
    """A bucket of a double of S3 on this machine.

    Args:
        port: Port of the double.
    """

    def __init__(self, port: int) -> None:
        from pyarrow.fs import S3FileSystem

        self.name = f"bucket{next(_numbers)}"
        self.port = port
        self.files = S3FileSystem(
            access_key="key",
            secret_key="topsecret",  # noqa: S106 - the double takes any
            endpoint_override=f"127.0.0.1:{port}",
            scheme="http",
            allow_bucket_creation=True,
        )
        self.files.create_dir(self.name)

    def uri(self, name: str) -> str:
        """URI of a file, with credentials and the place of the double."""
        options = f"endpoint_override=127.0.0.1%3A{self.port}&scheme=http"
        return f"s3://key:topsecret@{self.name}/{name}?{options}"

    def put(self, name: str, content: bytes) -> None:
        """Write a file."""
        with self.files.open_output_stream(f"{self.name}/{name}", compression=None) as stream:
            stream.write(content)

    def held(self, folder: str) -> dict[str, bytes]:
        """Files below a folder."""
        from pyarrow.fs import FileSelector, FileType

        selector = FileSelector(f"{self.name}/{folder}", recursive=True)
        found = self.files.get_file_info(selector)
        return {
            each.path.removeprefix(f"{self.name}/{folder}/"): self._content(each.path)
            for each in found
            if each.type == FileType.File
        }

    def _content(self, path: str) -> bytes:
        with self.files.open_input_stream(path, compression=None) as stream:
            return bytes(stream.read())


def s3_server() -> Iterator[Any]:
    """Run a fake S3 server; yield its port."""
    server = pytest.importorskip("moto.server", reason="moto, a double of S3, is not installed")
    pytest.importorskip("flask", reason="flask, which moto's server needs, is not installed")
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    yield running.get_host_and_port()[1]
    running.stop()
