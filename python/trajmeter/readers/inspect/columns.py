"""Reads Inspect samples as columns, in Rust where the result is certain."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.document_values import chunks, object_document
from trajmeter.readers._recognition.formats import Piece
from trajmeter.readers.inspect.archive import Archive, is_whole, sample_in
from trajmeter.readers.inspect.sample import agent_of
from trajmeter.records import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._files.document_values import Document
    from trajmeter.records import ReadProblem, Trajectory

    AttemptReader: TypeAlias = Callable[
        [Callable[[], Mapping[str, Any]], Mapping[str, Any], Source, Callable[[ReadProblem], None]],
        Iterator[Trajectory],
    ]
    """Reads a sample as a record, given how to get it, the header of its log, and its position."""
    About: TypeAlias = tuple[Mapping[str, Any], tuple[str | None, str | None, str, str]]

__all__ = ["pieces_of", "pieces_of_document"]

_SAMPLES_KEY = "samples"
_HEADER_KEYS = frozenset({"eval", "plan", "status"})
"""Keys of a document that are read in addition to its samples."""
_SAMPLES = 1_024
_BYTES = 8 << 20
"""Maximum number of samples in a piece, and of their bytes, which bounds the memory for a log."""


def pieces_of(path: Path, reader: JsonReader, attempt: AttemptReader) -> Iterator[Piece] | None:
    """Read the samples of an archive, several at a time.

    Args:
        path: The archive.
        reader: Reads samples into columns.
        attempt: Reads the samples that the reader skips.

    Returns:
        The pieces; ``None`` if the archive must be read as records, for example because it is
        broken.
    """
    try:
        with open_content(path) as file:
            archive = Archive(file)
            about = _about(archive.header())
    except (OSError, ReadError):
        return None
    return None if about is None else _pieces(path, reader, attempt, about)


def pieces_of_document(
    path: Path, reader: JsonReader, attempt: AttemptReader
) -> Iterator[Piece] | None:
    """Read the samples of a document, as :func:`pieces_of` does for an archive."""
    try:
        document = object_document(path, _SAMPLES_KEY)
        about = None if document is None else _about(_header_of(document))
    except (OSError, ReadError):
        return None
    if document is None or about is None:
        return None
    return _pieces_of_document(path, document, reader, attempt, about)


def _header_of(document: Document) -> dict[str, Any]:
    """Data about all samples of a document."""
    return {
        key: json_input.parse(document.content[begin:end])
        for key, (begin, end) in document.members
        if key in _HEADER_KEYS
    }


def _pieces_of_document(
    path: Path, document: Document, reader: JsonReader, attempt: AttemptReader, about: About
) -> Iterator[Piece]:
    header, log = about
    for numbers in chunks(document):
        samples = [(f"{_SAMPLES_KEY}[{number}]", document.item(number)) for number in numbers]

        def read(
            number: int,
            report: Callable[[ReadProblem], None],
            samples: list[tuple[str, bytes]] = samples,
        ) -> Iterator[Trajectory]:
            name, content = samples[number]
            source = Source(file=str(path), record=name)
            return attempt(lambda: sample_in(json_input.parse(content)), header, source, report)

        for columns in reader.read_samples(samples, str(path), log):
            yield Piece(columns, read)


def _about(header: Mapping[str, Any]) -> About | None:
    """A header, and what the Rust reader needs of it; ``None`` if that is not plain data."""
    spec = header.get("eval", {})
    if not isinstance(spec, dict):
        return None
    task, model, status = spec.get("task"), spec.get("model"), header.get("status")
    if not all(value is None or isinstance(value, str) for value in (task, model, status)):
        return None
    if model == "":
        return None
    return header, (agent_of(header), model, json.dumps(task), json.dumps(status))


class _Held:
    """Samples that are read together, and how to get those that must be read as records."""

    def __init__(self) -> None:
        self.size = 0
        self.samples: list[tuple[str, bytes]] = []
        self._others: dict[str, dict[str, Any] | ReadError] = {}

    def add(self, archive: Archive, name: str) -> None:
        content = b""
        try:
            if is_whole(name):
                content = archive.content(name)
            else:
                self._others[name] = archive.sample(name)
        except ReadError as error:
            self._others[name] = error
        self.samples.append((name, content))
        self.size += len(content)

    @property
    def is_full(self) -> bool:
        return len(self.samples) == _SAMPLES or self.size >= _BYTES

    def sample(self, number: int) -> dict[str, Any]:
        name, content = self.samples[number]
        other = self._others.get(name)
        if isinstance(other, ReadError):
            raise other
        return sample_in(json_input.parse(content)) if other is None else other


def _pieces(
    path: Path,
    reader: JsonReader,
    attempt: AttemptReader,
    about: About,
) -> Iterator[Piece]:
    header, log = about
    file = str(path)

    def pieces(held: _Held) -> Iterator[Piece]:
        def read(number: int, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
            source = Source(file=file, record=held.samples[number][0])
            return attempt(lambda: held.sample(number), header, source, report)

        for columns in reader.read_samples(held.samples, file, log):
            yield Piece(columns, read)

    held = _Held()
    with open_content(path) as opened:
        archive = Archive(opened)
        for name in archive.samples:
            held.add(archive, name)
            if held.is_full:
                yield from pieces(held)
                held = _Held()
        yield from pieces(held)
