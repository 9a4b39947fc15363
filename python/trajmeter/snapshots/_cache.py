"""Entries of files on disk, by what they were made from, for all repositories together.

A cache never raises: entries that cannot be read are created again. Each entry has a checksum, and
a damaged database is replaced. One that cannot be used is ignored for the rest of a run, so that
nothing waits for it repeatedly.
"""

from __future__ import annotations

import os
import sys
import weakref
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.system.forks import lock_for

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["EntryCache", "default_cache_folder"]

_FILE = "snapshots-1.sqlite"
_CREATE = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, checksum INT, entry BLOB)"
_READ = "SELECT key, checksum, entry FROM entries WHERE key IN ({})"
_WRITE = "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)"
_MOST_KEYS = 500
"""Keys of one query; some builds of SQLite take 999 at most."""
_AT_ONCE = 64
"""Entries to collect before writing, because a transaction takes as long as creating an entry."""
_WAIT_SECONDS = 10.0
"""How long to wait for other processes that write."""


def default_cache_folder() -> Path | None:
    """This package's folder among the user's caches; ``None`` if the user has no home folder."""
    try:
        if sys.platform == "win32":
            named = os.environ.get("LOCALAPPDATA")
            base = Path(named) if named else Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            named = os.environ.get("XDG_CACHE_HOME")
            base = Path(named) if named else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "trajmeter"


class EntryCache:
    """Keeps entries in a folder; processes and threads may share it.

    Args:
        folder: Folder of the database, created when needed; ``None`` caches nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[str, bytes] = {}
        if folder is not None:
            weakref.finalize(self, _write_held, folder, self._held)
        self._lock = lock_for(self)
        self._connection: sqlite3.Connection | None = None
        self._was_replaced = False
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        """Omit the connection."""
        return {"_folder": self._folder}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["_folder"])  # type: ignore[misc] # an object of this very class

    def read(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The cached entries of these keys."""
        held = ((key, self._held.get(key)) for key in keys)  # another thread may remove them
        found = {key: entry for key, entry in held if entry is not None}
        others = [key for key in keys if key not in found] if found else keys
        for start in range(0, len(others), _MOST_KEYS):
            part = others[start : start + _MOST_KEYS]
            query = _READ.format(",".join("?" * len(part)))
            found.update(
                (key, entry)
                for key, checksum, entry in self._run(query, part)
                if isinstance(entry, bytes) and zlib.crc32(entry) == checksum
            )
        return found

    def write_later(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Cache entries; they are written together with others, by :meth:`flush`, or at the end."""
        self._held.update(entries)
        if len(self._held) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the entries that are still to be written."""
        held = [*self._held.items()]
        self.write(held)
        for key, _ in held:
            self._held.pop(key, None)

    def write(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Cache entries."""
        self._run(_WRITE, [(key, zlib.crc32(entry), entry) for key, entry in entries], many=True)

    def _run(self, query: str, values: Sequence[Any], *, many: bool = False) -> list[Any]:
        if not values:
            return []
        import sqlite3  # takes longer to import than all modules of snapshots

        with self._lock:
            while self._folder is not None:
                try:
                    connection = self._connected(self._folder)
                    with connection:
                        run = connection.executemany if many else connection.execute
                        return run(query, values).fetchall()
                except (sqlite3.OperationalError, OSError):
                    self._folder = None  # locked for too long, on a full disk, or read-only
                except sqlite3.DatabaseError:
                    self._remove_damaged(self._folder)
        return []

    def _connected(self, folder: Path) -> sqlite3.Connection:
        """The connection of this process: one must not be used on both sides of a fork."""
        import sqlite3

        if self._connection is None or self._process != os.getpid():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = sqlite3.connect(
                folder / _FILE, timeout=_WAIT_SECONDS, check_same_thread=False
            )
            try:
                # A database damaged by a crash of the machine is replaced.
                connection.execute("PRAGMA synchronous=OFF")
                connection.execute(_CREATE)
            except sqlite3.Error:
                connection.close()
                raise
            weakref.finalize(self, connection.close)
            self._connection, self._process = connection, os.getpid()
        return self._connection

    def _remove_damaged(self, folder: Path) -> None:
        """Remove a damaged database; if its replacement is damaged too, stop caching."""
        import sqlite3

        with suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
        self._connection = None
        if self._was_replaced:
            self._folder = None
        self._was_replaced = True
        with suppress(OSError):
            (folder / _FILE).unlink()


def _write_held(folder: Path, held: dict[str, bytes]) -> None:
    """Write the remaining entries, unless the folder was removed meanwhile."""
    if held and folder.is_dir():
        EntryCache(folder).write(held.items())
