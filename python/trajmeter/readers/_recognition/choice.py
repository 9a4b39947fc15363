"""How the files of a call are read: their formats and column names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Generic

from pydantic import ValidationError

from trajmeter.errors import ConfigurationError, ReadError, format_exception
from trajmeter.json_input import LONGEST_LINE
from trajmeter.readers._files.containers import LONGEST_BANNER, begins_as_json
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.entries import entries
from trajmeter.readers._files.list_documents import first_object
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._recognition.evidence import (
    UNEXPECTED,
    ambiguous,
    beginning,
    evidence_in,
    format_of,
    is_at_start,
    strongest_for,
    strongest_format,
)
from trajmeter.readers._recognition.formats import Evidence, FileFormat, RecordFormat, RecordT
from trajmeter.readers._recognition.registry import (
    file_formats,
    folder_formats,
    format_named,
    record_formats,
)
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.kernels._rust import JsonReader
    from trajmeter.readers._files.ranges import LineRange
    from trajmeter.readers._recognition.formats import Format, Piece
    from trajmeter.readers._recognition.mapping import ColumnMapping
    from trajmeter.records import Source

__all__ = ["Choice"]

_OWN = "trajectory-records"
_HEAD = 1 << 16
"""Number of bytes from a file's beginning by which formats of whole files are recognised."""


class Choice(Generic[RecordT]):
    """The formats and settings with which files are read, as tasks or as trajectories.

    Args:
        makes: Class of the records to make.
        input_format: Name of the format that reads everything, regardless of content; without it,
            formats are detected from content.
        mapping: Columns by field; the records are then Trajmeter trajectories, unless another
            format is named. Fields of the task are ignored here.
        profiles: Compatibility profiles, some of which change how formats read; others are ignored.
        max_line: Maximum length of a JSON line in bytes.

    Raises:
        UnknownNameError: No format has this name.
        ConfigurationError: The mapping names an unknown field or a field that the format lacks, or
            the maximum length admits no line.
    """

    def __init__(
        self,
        makes: type[RecordT],
        *,
        input_format: str | None = None,
        mapping: Mapping[str, str] | None = None,
        profiles: Collection[str] = (),
        max_line: int = LONGEST_LINE,
    ) -> None:
        if max_line < 1:
            raise ConfigurationError(f"max_line is {max_line}, expected at least 1 byte")
        self.makes: type[RecordT] = makes
        """Class of the records to make."""
        self.max_line = max_line
        """Maximum length of a line in bytes."""
        self.profiles = profiles
        """Requested compatibility profiles."""
        self._counts: Counter[str] = Counter()
        self._rows: Counter[Path] = Counter()
        self.chosen: Format[RecordT] | None = None
        """The format that reads everything."""
        self.mapping: ColumnMapping | None = None
        if mapping:
            from trajmeter.readers._recognition.mapping import ColumnMapping, is_of_task

            if not all(map(is_of_task, mapping)):
                input_format = input_format or _OWN
                self.mapping = ColumnMapping(mapping, is_own=input_format == _OWN)
        if input_format is not None:
            self.chosen = format_named(input_format, makes)
        if self.mapping is not None and isinstance(self.chosen, FileFormat):
            raise ConfigurationError(f"map: the format {input_format} has no columns to map")

    def record_format(self, record: Mapping[str, JsonValue]) -> RecordFormat[RecordT] | None:
        """The format that reads a record; ``None`` if there is none.

        Raises:
            ReadError: Two formats that would read it differently have equal evidence.
        """
        if self.chosen is not None:
            return self.chosen if isinstance(self.chosen, RecordFormat) else None
        return format_of(record, record_formats(self.makes, record))

    def read(
        self, known: RecordFormat[RecordT], record: Mapping[str, JsonValue], source: Source
    ) -> RecordT:
        """Read a record by its format.

        Raises:
            ReadError: It cannot be read.
            pydantic.ValidationError: A value has the wrong type.
        """
        reads = known.profile_reads
        read = next((reads[name] for name in self.profiles if name in reads), known.read)
        try:
            made = read(record, source)
        except ValidationError:
            raise
        except UNEXPECTED as error:
            reason = format_exception(error)
            raise ReadError(f"cannot be read as one of {known.description}: {reason}") from error
        self._counts[known.name] += 1
        return made

    def records(
        self,
        known: FileFormat[RecordT],
        path: Path,
        report: Callable[[ReadProblem], None],
        columns: Collection[str] | None = None,
        within: LineRange | None = None,
    ) -> Iterator[RecordT]:
        """Read a file or folder as a whole, or some lines of a file whose lines are independent.

        Columns other than these may be left empty.
        """
        reads = known.profile_records
        read = next((reads[name] for name in self.profiles if name in reads), known.records)

        def read_records(listen: Callable[[ReadProblem], None]) -> Iterator[RecordT]:
            if known.lines is not None and within is not None:
                return known.lines.records(path, within, listen, columns)
            is_part = columns is not None and read is known.records
            some = known.part(path, listen, columns or ()) if is_part else None
            return read(path, listen) if some is None else some

        return self.counted(known, path, report, read_records)

    def counted(
        self,
        known: FileFormat[RecordT],
        path: Path,
        report: Callable[[ReadProblem], None],
        made: Callable[[Callable[[ReadProblem], None]], Iterator[RecordT]],
    ) -> Iterator[RecordT]:
        """Count the records that a format makes of a file, and report the errors it raises."""
        raised: list[Exception] = []

        def listen(problem: ReadProblem) -> None:
            try:
                report(problem)
            except Exception as error:
                raised.append(error)
                raise

        try:
            for record in made(listen):
                self._counts[known.name] += 1
                yield record
        except (ReadError, OSError, *UNEXPECTED) as error:
            if error in raised:
                raise
            if isinstance(error, OSError):  # as for truncated compressed content
                line, message = getattr(error, "line", None), error.strerror or str(error)
                report(ReadProblem(file=str(path), line=line, message=message))
                return
            if isinstance(error, ReadError):
                report(problem_with(path, error))
                return
            reason = format_exception(error)
            message = f"cannot be read as one of {known.description}: {reason}"
            report(ReadProblem(file=str(path), message=message))

    def batches(
        self, known: FileFormat[RecordT], path: Path, columns: Collection[str]
    ) -> Iterator[pa.RecordBatch] | None:
        """Read a file or folder into batches; ``None`` if :meth:`records` has to read it."""
        if not known.profile_records.keys().isdisjoint(self.profiles):
            return None
        try:
            batches = known.batches(path, columns)
        except OSError:  # reported by the record reader
            return None
        return None if batches is None else self._counted(known, batches)

    def pieces(
        self,
        known: FileFormat[RecordT],
        path: Path,
        reader: JsonReader,
        columns: Collection[str],
        within: LineRange | None = None,
    ) -> Iterator[Piece] | None:
        """Read a file or some of its lines in Rust; ``None`` if :meth:`records` has to read it."""
        if not known.profile_records.keys().isdisjoint(self.profiles):
            return None
        if known.lines is not None and within is not None:
            return known.lines.pieces(path, within, columns)
        return known.pieces(path, reader, columns)

    def _counted(
        self, known: FileFormat[RecordT], batches: Iterator[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self.count({known.name: batch.num_rows})
            yield batch

    def count(self, rows: Mapping[str, int]) -> None:
        """Count rows by format name."""
        self._counts.update({name: count for name, count in rows.items() if count})

    def count_rows(self, path: Path, rows: int) -> None:
        """Count rows of a file that were read without examining each one."""
        self._rows[path] += rows

    def counts(self) -> Counter[str]:
        """Records read so far by format name; unexamined rows count as the first of their file."""
        counts = Counter(self._counts)
        for path, rows in self._rows.items():
            first = first_object(path)
            if first is None:
                values = (entry.value for entry in entries(path))
                first = next((value for value in values if isinstance(value, dict)), {})
            candidates = record_formats(self.makes, first)
            found = self.chosen or next(iter(strongest_for(first, candidates)), None)
            if found is not None:
                counts[found.name] += rows
        return counts

    def has_own_read_of(self, names: Collection[str]) -> bool:
        """Whether a profile changes how one of the named formats reads."""
        if not self.profiles:
            return False
        found = [format_named(name, self.makes) for name in names]
        return any(
            isinstance(known, RecordFormat)
            and not known.profile_reads.keys().isdisjoint(self.profiles)
            for known in found
        )

    def folder_format(
        self, folder: Path, names: Collection[str] | None = None
    ) -> FileFormat[RecordT] | None:
        """The format that reads a folder as a whole; ``None`` if none does.

        Args:
            folder: The folder.
            names: Names of the folder's contents if it is inside a folder that is read; names of
                subfolders end in ``/``.

        Raises:
            ReadError: Two formats have equal evidence.
        """
        chosen = (self.chosen,) if isinstance(self.chosen, FileFormat) else ()
        found = folder_formats(self.makes, folder, names) if self.chosen is None else chosen
        if names is not None:
            plain = {name.rstrip("/") for name in names}
            parent = folder.parent.name
            found = tuple(known for known in found if known.may_be_folder(plain, parent))
        known, _ = strongest_format(found, folder, b"")
        return known

    def file_format(self, path: Path) -> FileFormat[RecordT] | None:
        """The format that reads a file as a whole; ``None`` if none does.

        Raises:
            ReadError: Two formats have equal evidence.
            ExtraMissingError: The file is compressed, and no installed library can decompress it.
        """
        if self.chosen is not None:
            return self.chosen if isinstance(self.chosen, FileFormat) else None
        try:
            with open_content(path) as file:
                head = file.read(_HEAD)
        except OSError:  # reported when the file is read for records
            return None
        known, evidence = strongest_format(file_formats(self.makes, head), path, head)
        if known is None and (below := _below_banner(head)):
            head = below
            known, evidence = strongest_format(file_formats(self.makes, head), path, head)
        if known is None:
            return None
        if evidence >= Evidence.CERTAIN:
            is_lost = known.ignores_others and self._begins_with_record(known, path, head)
            return None if is_lost else known
        claimed, rival = self._claim_on_first_record(path)
        if rival is not None and claimed == evidence:
            raise ambiguous(known, rival)
        return known if claimed < evidence else None

    def _claim_on_first_record(self, path: Path) -> tuple[int, RecordFormat[RecordT] | None]:
        """The strongest evidence in a file's first record, and a format it supports."""
        first = next(entries(path, longest=self.max_line), None)
        return self._claim(first.value if first else None)

    def _begins_with_record(self, known: FileFormat[RecordT], path: Path, head: bytes) -> bool:
        """Whether a record precedes the values by which a format recognises a file."""
        first = next(iter(beginning(head)), None)
        if self._claim(first)[0] < Evidence.CERTAIN:
            return False
        return not is_at_start(known, path, head)

    def _claim(self, record: object) -> tuple[int, RecordFormat[RecordT] | None]:
        if not isinstance(record, dict):
            return 0, None
        found = strongest_for(record, record_formats(self.makes, record))
        if not found:
            return 0, None
        return evidence_in(found[0], record), found[0]


def _below_banner(head: bytes) -> bytes:
    """The beginning of a file without the lines a program printed before its first object.

    Empty if there are no such lines, or too many of them.
    """
    if begins_as_json(head):
        return b""
    start = 0
    for _ in range(LONGEST_BANNER):
        start = head.find(b"\n", start) + 1
        if start == 0:
            break
        if head.startswith(b"{", start):
            return head[start:]
    return b""
