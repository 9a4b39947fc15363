"""Files, local or remote, in the forms that pyarrow takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter.remote.paths import RemotePath

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyarrow import NativeFile

__all__ = ["arrow_file", "arrow_source", "is_named_in_utf8"]


def is_named_in_utf8(file: str | Path) -> bool:
    """Whether a file name is valid text; the few others are shown with escapes."""
    name = str(file)
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def arrow_source(path: Path) -> Iterator[Path | NativeFile]:
    """A file in the form that pyarrow functions take: a path, or an open file.

    Remote files, and files whose names are not valid text, which pyarrow rejects, are opened.

    Raises:
        OSError: It cannot be opened.
    """
    if not isinstance(path, RemotePath) and is_named_in_utf8(path):
        yield path
        return
    with path.open("rb") as file:
        yield arrow_file(file)


def arrow_file(file: BinaryIO) -> Any:  # noqa: ANN401 - as pyarrow takes it
    """A file in the form that pyarrow reads best: remote files with its own ranges."""
    return getattr(getattr(file, "raw", None), "native", file)
