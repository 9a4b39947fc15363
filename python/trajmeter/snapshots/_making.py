"""Entries of many files: from the cache, else made, in several processes where there are many.

Parsing holds the interpreter's lock, so that threads would not help.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from trajmeter.errors import InternalError
from trajmeter.processes import WorkerEndedError, WorkerProcess
from trajmeter.processors import processors
from trajmeter.snapshots._entries import ENTRY_VERSION, file_entry
from trajmeter.snapshots._languages import LanguageRules, grammar_version, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trajmeter.snapshots._cache import EntryCache
    from trajmeter.snapshots._checkout import Content
    from trajmeter.snapshots._definitions import Naming

__all__ = ["Contents", "EntryMaker", "Made", "WantedFile", "make"]

_FEW = 400
"""Files that one process makes sooner than others start."""
_CHUNK = 50
"""Files that a process makes at a time."""


class Made(NamedTuple):
    """An entry, and the id of the content that it was made from."""

    blob: str
    entry: bytes


class Contents(Protocol):
    """Where contents of files come from; it can be pickled."""

    def ids(self, places: Iterable[str]) -> Iterable[str | None]:
        """Ids of contents, in order; ``None`` for one that cannot be read."""

    def read(self, places: Iterable[str]) -> Iterator[Content | None]:
        """Contents, in order; ``None`` for one that cannot be read."""


class WantedFile(NamedTuple):
    """A file whose entry is wanted."""

    place: str
    """What it is called where contents come from."""
    language: LanguageRules | None
    """Its language, if any."""


def make(contents: Contents, wanted: Sequence[WantedFile], naming: Naming) -> Iterator[Made | None]:
    """Make the entries of files, in order; ``None`` for one that cannot be read."""
    for file, found in zip(wanted, contents.read(file.place for file in wanted), strict=True):
        if found is None:
            yield None
        else:
            yield Made(found.blob, file_entry(found.content, file.language, naming))


class EntryMaker:
    """Gives the entries of files: those the cache has, and the others as they are made.

    Args:
        cache: Where entries are kept.
        naming: How definitions are named.
        processes: How many to use at most; by default one for each processor.
    """

    def __init__(self, cache: EntryCache, naming: Naming, processes: int | None = None) -> None:
        self._cache = cache
        self._naming = naming
        self._processes = processes or processors()

    def entries(self, contents: Contents, files: Mapping[str, str]) -> dict[str, bytes | None]:
        """Entries by path; ``None`` for a file whose content is missing.

        Args:
            contents: Where their contents come from.
            files: What each path is called there.

        Raises:
            ExtraMissingError: The grammar of a language is not installed.
            InternalError: A process that parses ended.
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
            if made is not None:  # of a file that changed meanwhile, under the id of what was read
                new.append((self._key(file.language, made.blob), made.entry))
        # Who asks for one file goes on with the next.
        keep = self._cache.write if len(files) > 1 else self._cache.write_later
        keep(new)
        return {path: found[keys[path]] if path in keys else None for path in files}

    def flush(self) -> None:
        """Keep what was made lately for other processes too."""
        self._cache.flush()

    def _key(self, language: LanguageRules | None, blob: str) -> str:
        """What an entry depends on: the content, the language, and how it is made."""
        if language is None:
            return f"{blob} {ENTRY_VERSION}"
        return f"{blob} {ENTRY_VERSION} {language.name} {grammar_version(language)} {self._naming}"

    def _make(self, contents: Contents, wanted: Sequence[WantedFile]) -> Iterable[Made | None]:
        if len(wanted) < _FEW or self._processes == 1:
            return make(contents, wanted, self._naming)
        from concurrent.futures import ThreadPoolExecutor

        chunks = [wanted[start : start + _CHUNK] for start in range(0, len(wanted), _CHUNK)]
        with ExitStack() as stack:
            # Entered first, and so left last: threads end once their processes are gone.
            threads = stack.enter_context(ThreadPoolExecutor(self._processes))
            workers = [
                stack.enter_context(_Worker(contents, self._naming)) for _ in range(self._processes)
            ]
            made: list[list[Made | None]] = [[] for _ in chunks]
            left = iter(enumerate(chunks))  # which threads may share, as it is a single call

            def work(worker: _Worker) -> None:
                for number, chunk in left:
                    made[number] = worker.make(chunk)

            for done in [threads.submit(work, worker) for worker in workers]:
                done.result()
        return [each for part in made for each in part]


class _Worker(WorkerProcess):
    """A process that makes entries."""

    def __init__(self, contents: Contents, naming: Naming) -> None:
        super().__init__("trajmeter.snapshots._worker")
        self.send((contents, naming))

    def make(self, wanted: Sequence[WantedFile]) -> list[Made | None]:
        """Make the entries of some files."""
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
