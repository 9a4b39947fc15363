"""The files of a snapshot that Rust has read; Python objects are created on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.snapshots.snapshot import Definitions, FileSnapshot, ListedFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.kernels import TablesLike
    from trajmeter.kernels._rust import SnapshotFiles

__all__ = ["ReadFiles"]


class ReadFiles(ListedFiles):
    """Files by path; scoring many attempts needs their tables only.

    Args:
        held: The files, which are valid.
    """

    def __init__(self, held: SnapshotFiles) -> None:
        self._held = held
        self._places = {path: place for place, path in enumerate(held.paths())}
        self._files: dict[str, FileSnapshot] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pass on all files."""
        return dict, (dict(self),)

    def __getitem__(self, path: str) -> FileSnapshot:
        file = self._files.get(path)
        if file is None:
            size, line_starts, definitions = self._held.file(self._places[path])
            known = None if definitions is None else Definitions(*definitions)
            file = self._files.setdefault(path, FileSnapshot(size, line_starts, known))
        return file

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def totals(self) -> tuple[int, int]:
        """How many lines and definitions there are."""
        return self._held.totals()

    def has_definitions(self, path: str) -> bool:
        """Whether the definitions of a file were extracted."""
        return self._held.has_definitions(self._places[path])

    def tables(self, path: str, *, keep_empty: bool) -> TablesLike | None:
        """What kernels need of a file; ``None`` if its definitions are in no plain order.

        Args:
            path: The file.
            keep_empty: Whether definitions that hold no byte count.
        """
        return self._held.tables(self._places[path], keep_empty=keep_empty)
