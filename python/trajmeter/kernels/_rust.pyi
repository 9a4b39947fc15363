"""The compiled kernels. Call them through ``trajmeter.kernels``, which checks the arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, final

import numpy as np
import numpy.typing as npt

from trajmeter.kernels._arrays import (
    BoolArray,
    ByteArray,
    EditedLineArrays,
    Float64Array,
    Int64Array,
    LevelArrays,
    SnapshotFileRow,
    SpanArrays,
    SpanBatch,
    TrajectoryArrays,
    TrajectoryFigureArrays,
    TurnCountArrays,
)
from trajmeter.kernels._context import ContextFiles as AnyFiles
from trajmeter.kernels._context import ContextKernel as AnyKernel
from trajmeter.kernels._context import (
    ContextRules,
    ContextSizes,
    GoldLines,
    ResolvedPath,
    TablesLike,
    TurnLike,
    ViewLike,
)
from trajmeter.kernels._context_batch import ContextBatchArrays, FileListing, Texts, ViewArrays
from trajmeter.kernels._context_batch import EditGoldKernel as AnyEditGold

OPTIMISED: bool
"""Whether this is an optimised build; a debug build gives the same results far more slowly."""
VERSION: str
"""Version of the package, which Python would take ten milliseconds to look up."""

def measure(start: Int64Array, end: Int64Array) -> int: ...
def measure_batched(start: Int64Array, end: Int64Array, offsets: Int64Array) -> Int64Array: ...
def union(start: Int64Array, end: Int64Array) -> SpanArrays: ...
def union_batched(start: Int64Array, end: Int64Array, offsets: Int64Array) -> SpanBatch: ...
def intersection(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> SpanArrays: ...
def intersection_batched(
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> SpanBatch: ...
def difference(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> SpanArrays: ...
def difference_batched(
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> SpanBatch: ...
def line_starts(buffer: bytes) -> Int64Array: ...
def bytes_to_lines(
    line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
) -> SpanArrays: ...
def gmean(values: Float64Array) -> float: ...
def gmean_grouped(values: Float64Array, offsets: Int64Array) -> Float64Array: ...
def cluster_means(
    sums: Float64Array, sizes: Int64Array, clusters: int, figures: int, seed: int, resamples: int
) -> Float64Array: ...
def sign_flips(
    sums: Float64Array,
    tolerances: Float64Array,
    clusters: int,
    figures: int,
    seed: int,
    resamples: int,
) -> Int64Array: ...
def level_advantages(
    names: bytes,
    name_offsets: Int64Array,
    capitals: str,
    blanks: str,
    benchmark: Int64Array,
    agent: Float64Array,
    oracle: Float64Array,
    offsets: Int64Array,
) -> LevelArrays: ...
def trajectory(
    key: Int64Array,
    start: Int64Array,
    end: Int64Array,
    step_offsets: Int64Array,
    trajectory_offsets: Int64Array,
    gold_key: Int64Array,
    gold_start: Int64Array,
    gold_end: Int64Array,
    gold_offsets: Int64Array,
) -> TrajectoryArrays: ...
def trajectory_fits(
    key: object,
    start: object,
    end: object,
    step_offsets: object,
    trajectory_offsets: object,
    gold_key: object,
    gold_start: object,
    gold_end: object,
    gold_offsets: object,
) -> bool: ...
def trajectory_figures(
    size: Int64Array,
    added: Int64Array,
    gold_added: Int64Array,
    gold_size: Int64Array,
    trajectory_offsets: Int64Array,
) -> TrajectoryFigureArrays: ...
def turn_counts(
    success: Int64Array,
    program: Int64Array,
    reason: Int64Array,
    error: Int64Array,
    number: Int64Array,
    call_success: Int64Array,
    call: Int64Array,
    call_offsets: Int64Array,
    run_offsets: Int64Array,
    unreadable: Int64Array,
    reasons: int,
) -> TurnCountArrays: ...
def align(reference: Int64Array, actual: Int64Array) -> Int64Array: ...
def align_matches(matches: BoolArray, rows: int, columns: int) -> Int64Array: ...
def edit_distance(reference: Int64Array, actual: Int64Array) -> int: ...
def edit_distance_matches(matches: BoolArray, rows: int, columns: int) -> int: ...
def assign(weights: Float64Array, rows: int, columns: int, *, full: bool) -> Int64Array: ...
def edited_lines(patch: str) -> EditedLineArrays: ...
def exact_sums(
    values: Float64Array, slots: Int64Array, size: int, *, squared: bool
) -> list[tuple[int, Int64Array]]: ...
def counted_sums(
    columns: list[tuple[Float64Array, BoolArray]], rows: Int64Array, groups: int
) -> tuple[Int64Array, list[tuple[int, Int64Array]]]: ...
def slot_order(slots: Int64Array, size: int) -> tuple[Int64Array, Int64Array]: ...
def histograms(
    values: Float64Array, offsets: Int64Array
) -> tuple[Int64Array, Int64Array, Float64Array, Float64Array]: ...
def text_codes(parts: Sequence[_TextPart]) -> tuple[Int64Array, bytes, Int64Array]: ...
def folder_digest(folder: str, small: int, end: int) -> tuple[int, int, str] | None: ...
def object_codes(texts: ByteArray, offsets: Int64Array, runs: Int64Array | None) -> Int64Array: ...
def crc_and_newlines(block: bytes, before: int) -> tuple[int, int]: ...
def likeness(
    nodes: Int64Array,
    numbers: Int64Array,
    tolerances: Int64Array,
    reference: Int64Array,
    actual: Int64Array,
) -> Float64Array: ...
def json_lines(
    fields: Sequence[tuple[str, str | None]], columns: Sequence[tuple[object, ...]], rows: int
) -> list[bytes] | None: ...
def csv_lines(columns: Sequence[tuple[object, ...]], rows: int) -> list[bytes] | None: ...
def context_files(
    resolve: Callable[[str], ResolvedPath], rules: ContextRules, listing: FileListing | None = None
) -> ContextFiles: ...
def context(files: AnyFiles, gold: Sequence[GoldLines]) -> ContextKernel: ...
def context_batch(
    tasks: Sequence[AnyKernel],
    task: Int64Array,
    views: ViewArrays,
    step_offsets: Int64Array,
    row_offsets: Int64Array,
    final_offsets: Int64Array,
    has_final: BoolArray,
    paths: Texts,
    names: Texts,
) -> ContextBatchArrays: ...
def edit_gold(patch: str, ranges: Mapping[str, Sequence[tuple[int, int]]]) -> EditGoldKernel: ...
def edit_counts(tasks: Sequence[AnyEditGold], task: Int64Array, patches: Texts) -> Int64Array: ...
def read_snapshot(line: bytes) -> tuple[str | None, str | None, SnapshotFiles] | None:
    """Repository, commit and files of a valid line of snapshots; ``None`` for unusual lines."""

@final
class SnapshotFiles:
    """The files of a line of snapshots, numbered in their order."""

    def paths(self) -> list[str]: ...
    def totals(self) -> tuple[int, int]: ...
    def file(self, index: int) -> SnapshotFileRow: ...
    def has_definitions(self, index: int) -> bool: ...
    def tables(self, index: int, *, keep_empty: bool) -> TablesLike | None:
        """The tables of a file; ``None`` if its definitions must be sorted first."""

@final
class EditGoldKernel:
    @property
    def size(self) -> int: ...
    def compare(self, patch: str) -> tuple[int, int, int, int, int]: ...

@final
class ContextFiles:
    @property
    def bytes(self) -> int: ...

@final
class ContextKernel:
    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes: ...
    def tracker(self) -> ContextTrackerKernel: ...

@final
class ContextTrackerKernel:
    def update(self, views: Sequence[ViewLike]) -> StepCoverage: ...
    def view(self, views: Sequence[ViewLike]) -> None: ...
    def close_step(self) -> None: ...
    def coverage(self) -> StepCoverage: ...
    @property
    def viewed(self) -> tuple[int, ...]: ...
    @property
    def repeated(self) -> tuple[int, ...]: ...
    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes: ...

@final
class StepCoverage:
    @property
    def step(self) -> int: ...
    @property
    def file(self) -> float | None: ...
    @property
    def symbol(self) -> float | None: ...
    @property
    def span(self) -> float | None: ...
    @property
    def line(self) -> float | None: ...

_Field: TypeAlias = tuple[str, Float64Array | Int64Array | BoolArray, BoolArray]
_TextPart: TypeAlias = tuple[ByteArray, npt.NDArray[np.int32], BoolArray | None]
_ByteTexts: TypeAlias = tuple[ByteArray, Int64Array]
_Calls: TypeAlias = tuple[Int64Array, _ByteTexts, Int64Array]
_Rows: TypeAlias = tuple[_ByteTexts, Int64Array, Int64Array, Sequence[_Field]]

def speedup_tables_as_text(rows: _Rows, keys: Sequence[str], key: Int64Array) -> Columns: ...

@final
class BenchmarkLines:
    """Gathers rows of benchmarks into attempts, a block of lines at a time."""

    def __new__(
        cls, fields: Sequence[tuple[str, str, bool]], about: Sequence[str], foreign: Sequence[str]
    ) -> BenchmarkLines: ...
    def read(self, block: bytes, line: int) -> int | None:
        """Number of the line after the block; ``None`` to leave the file to the record form."""

    def attempts(self) -> Columns | None:
        """The attempts without their tables; ``None`` to leave the file to the record form."""

    def take_tables(self, start: int, stop: int) -> Columns:
        """Return and free the tables of the attempts from `start` to before `stop`."""

@final
class Moments:
    """Exact sums of units and of their squares; slots are those of a batch."""

    def __new__(cls) -> Moments: ...
    def add(
        self,
        values: Float64Array,
        order: Int64Array,
        offsets: Int64Array,
        units: Int64Array,
        *,
        squares: bool,
    ) -> tuple[Int64Array, Float64Array]: ...
    def doubles(self, units: Int64Array, *, squares: bool) -> tuple[Float64Array, Float64Array]: ...
    def total(self, units: Int64Array, *, squares: bool) -> list[tuple[int, int]]: ...

@final
class SpeedupTables:
    """The tables of benchmarks of many attempts."""

    def __new__(
        cls,
        named: tuple[ByteArray, Int64Array],
        unnamed: tuple[ByteArray, Int64Array],
        rows: _Rows,
        is_measured: BoolArray,
        keys: Sequence[str],
        own: Int64Array,
        last: Int64Array,
        offsets: Int64Array,
        members: Int64Array,
        scored: Int64Array,
        *,
        merged: bool,
    ) -> SpeedupTables: ...
    @property
    def names(self) -> bytes:
        """Names of all benchmarks as UTF-8, one after another."""

    @property
    def table(self) -> Int64Array:
        """Index of each attempt's table; -1 if it has none."""

    @property
    def sizes(self) -> Int64Array:
        """Number of benchmarks in each table."""

    @property
    def objects(self) -> Int64Array:
        """Number of benchmarks in each table that are objects."""

    @property
    def uncertain(self) -> BoolArray:
        """Whether each trial is left to the record form."""

    def score(
        self,
        table: Int64Array,
        is_reverted: BoolArray,
        has_oracle: BoolArray,
        capitals: str,
        blanks: str,
    ) -> Columns: ...

@final
class Columns:
    """A batch of columns."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def found_texts(
    texts: _ByteTexts, group_of: Int64Array, sought: _ByteTexts, offsets: Int64Array
) -> Int64Array: ...
def match_calls(
    actual: _Calls, references: _Calls, reference_of: Int64Array, names: _ByteTexts
) -> tuple[Int64Array, ByteArray, Int64Array]: ...
def document_parts(
    content: bytes, key: str | None = None
) -> tuple[list[tuple[str, tuple[int, int]]], list[tuple[int, int]]] | None:
    """Find the positions of a document's other values by key, and of the items of its list."""

@final
class QuotedWords:
    """Finds the words that are all that two consecutive quotes enclose, in one pass over a text."""

    def __new__(cls, words: Sequence[bytes]) -> QuotedWords: ...
    def found_in(self, text: bytes) -> frozenset[bytes]: ...

@final
class JsonReader:
    """Reads JSON into columns; lines and files it is not certain of are left to the caller."""

    def __new__(
        cls, shape: str, wanted: Sequence[str], formats: Sequence[str], foreign: Sequence[str]
    ) -> JsonReader: ...
    def read(self, block: bytes, file: str, line: int) -> list[JsonColumns]: ...
    def read_logs(
        self, files: Sequence[str], *, as_contextbench: bool = False
    ) -> tuple[list[JsonColumns], int]:
        """Read the first of these files, as many as fit in memory, and return their number."""

    def read_values(
        self, values: Sequence[tuple[str | None, bytes]], file: str
    ) -> list[JsonColumns]: ...
    def read_samples(
        self,
        samples: Sequence[tuple[str, bytes]],
        file: str,
        about: tuple[str | None, str | None, str, str],
    ) -> list[JsonColumns]: ...

@final
class JsonColumns:
    """Rows of consecutive lines or files, and the lines or files without rows."""

    @property
    def next_line(self) -> int:
        """Number of the line after the last."""

    @property
    def version_1(self) -> int:
        """Number of rows from mini-swe-agent 1; for logs, the others are from version 2."""

    @property
    def refused(self) -> list[tuple[int, int, int, int]]:
        """Per line or file without a row: rows before it, its number, and its span in the block."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
