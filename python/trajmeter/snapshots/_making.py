"""Entries of many files, from the cache or newly created, in several processes if there are many.

Parsing holds the interpreter lock, so threads would not help.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from trajmeter.errors import InternalError
from trajmeter.snapshots._entries import ENTRY_VERSION, file_entry
from trajmeter.snapshots._languages import LanguageRules, grammar_version, language_of
from trajmeter.system.processes import WorkerEndedError, WorkerProcess
from trajmeter.system.processors import processors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trajmeter.snapshots._cache import EntryCache
    from trajmeter.snapshots._checkout import Content
    from trajmeter.snapshots._definitions import Naming

__all__ = ["Contents", "EntryMaker", "Made", "WantedFile", "make"]

_FEW = 400
"""Below this number of files, one process is faster than starting others."""
_CHUNK = 50
"""Files per request to a process."""


class Made(NamedTuple):
    """An entry, and the id of the content that it was created from."""

    blob: str
    entry: bytes


class Contents(Protocol):
    """Source of file contents; must be picklable."""

    def ids(self, places: Iterable[str]) -> Iterable[str | None]:
        """Ids of contents, in order; ``None`` for a file that cannot be read."""

    def read(self, places: Iterable[str]) -> Iterator[Content | None]:
        """Contents, in order; ``None`` for a file that cannot be read."""


class WantedFile(NamedTuple):
    """A file whose entry is requested."""

    place: str
    """Its name in :class:`Contents`."""
    language: LanguageRules | None
    """Its language, if known."""


def make(contents: Contents, wanted: Sequence[WantedFile], naming: Naming) -> Iterator[Made | None]:
    """Create the entries of files, in order; ``None`` for a file that cannot be read."""
    for file, found in zip(wanted, contents.read(file.place for file in wanted), strict=True):
        if found is None:
            yield None
        else:
            yield Made(found.blob, file_entry(found.content, file.language, naming))


class EntryMaker:
    """Provides the entries of files, from the cache or newly created.

    Args:
        cache: Cache of entries.
        naming: How definitions are named.
        processes: Maximum number of processes; by default one per processor.
    """

    def __init__(self, cache: EntryCache, naming: Naming, processes: int | None = None) -> None:
        self._cache = cache
        self._naming = naming
        self._processes = processes or processors()

    def entries(self, contents: Contents, files: Mapping[str, str]) -> dict[str, bytes | None]:
        """Return entries by path; ``None`` for a file whose content is missing.

        Args:
            contents: Source of file contents.
            files: Name of each path's content in ``contents``.

        Raises:
            ExtraMissingError: The grammar of a language is not installed.
            InternalError: A parsing process ended unexpectedly.
        """
        ids = dict(zip(files, contents.ids(files.values()), strict=True))
        keys = {path: self._key(language_of(path), blob) for path, blob in ids.items() if blob}
        found: dict[str, bytes | None] = {**self._cache.read(sorted(set(keys.values())))}
        missing = {
            key: WantedFile(files[path], language_of(path))
            for path, key in keys.items()
            if key not in found
        }
        wanted = [*missing.values()]
        new: list[tuple[str, bytes]] = []
        for key, file, made in zip(missing, wanted, self._make(contents, wanted), strict=True):
            found[key] = None if made is None else made.entry
            if made is not None:  # under the id of what was read, as the file may have changed
                new.append((self._key(file.language, made.blob), made.entry))
        # A request for a single file is usually followed by more, so writes are collected.
        keep = self._cache.write if len(files) > 1 else self._cache.write_later
        keep(new)
        return {path: found[keys[path]] if path in keys else None for path in files}

    def flush(self) -> None:
        """Write recently created entries to the cache, where other processes find them."""
        self._cache.flush()

    def _key(self, language: LanguageRules | None, blob: str) -> str:
        """Cache key of an entry: its content, its language, and how it is created."""
        if language is None:
            return f"{blob} {ENTRY_VERSION}"
        return f"{blob} {ENTRY_VERSION} {language.name} {grammar_version(language)} {self._naming}"

    def _make(self, contents: Contents, wanted: Sequence[WantedFile]) -> Iterable[Made | None]:
        if len(wanted) < _FEW or self._processes == 1:
            return make(contents, wanted, self._naming)
        from concurrent.futures import ThreadPoolExecutor

        chunks = [wanted[start : start + _CHUNK] for start in range(0, len(wanted), _CHUNK)]
        with ExitStack() as stack:
            # Entered first, so closed last: threads end once their processes have ended.
            threads = stack.enter_context(ThreadPoolExecutor(self._processes))
            workers = [
                stack.enter_context(_Worker(contents, self._naming)) for _ in range(self._processes)
            ]
            made: list[list[Made | None]] = [[] for _ in chunks]
            left = iter(enumerate(chunks))  # threads can share it, as `next` is atomic

            def work(worker: _Worker) -> None:
                for number, chunk in left:
                    made[number] = worker.make(chunk)

            for done in [threads.submit(work, worker) for worker in workers]:
                done.result()
        return [each for part in made for each in part]


class _Worker(WorkerProcess):
    """A process that creates entries."""

    def __init__(self, contents: Contents, naming: Naming) -> None:
        super().__init__("trajmeter.snapshots._worker")
        self.send((contents, naming))

    def make(self, wanted: Sequence[WantedFile]) -> list[Made | None]:
        """Create the entries of the given files."""
        self.send(list(wanted))
        try:
            reply = self.receive()
        except WorkerEndedError as error:
            raise InternalError(
                f"a process that looks for definitions ended with {error}, in one of the files "
                f"{wanted[0].place} to {wanted[-1].place}"
            ) from None
        if isinstance(reply, Exception):
            raise reply
        return cast("list[Made | None]", reply)
