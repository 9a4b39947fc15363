"""Plans a run: combines pieces of input to units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers.pieces import FoundFile, Piece, PieceMaker
from trajmeter.scoring.runs.plan import Plan, PlanSizes, Unit, shares_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.scoring.reading_options import ReadingOptions

__all__ = ["make_plan"]

_MOST_SHARES = 512
"""Maximum number of shares, as this many files are open at the same time."""
_PACKED = 8
"""Assumed compression ratio of compressed files."""
_SIZES = PlanSizes()


def make_plan(
    paths: Iterable[str | Path],
    reading: ReadingOptions,
    *,
    identifies: bool,
    trial_of: Callable[[str], str] | None = None,
    known: Mapping[tuple[str, bool], FoundFile] | None = None,
    sizes: PlanSizes = _SIZES,
) -> Plan:
    """Plan a run.

    Args:
        paths: Files, folders and patterns.
        reading: How they are read.
        identifies: Whether another run may resume this one.
        trial_of: Task name for an id in a row, if its attempts have to be scored together.
        known: What an earlier plan recorded, as from
            :func:`~trajmeter.scoring.runs.plan.found_files`.
        sizes: Size limits of units.

    Raises:
        InputError: An item is not a path.
        UnknownNameError: No format has this name.
        ConfigurationError: The mapping names an unknown trajectory field, or the type of a Parquet
            column does not fit its field.
    """
    maker = PieceMaker(
        input_format=reading.input_format,
        mapping=reading.mapping,
        profiles=reading.profiles,
        max_line=reading.max_line,
        identifies=identifies,
        known=known,
        piece_bytes=sizes.piece_bytes,
        piece_rows=sizes.piece_rows,
    )
    pieces = tuple(maker.pieces(paths))
    about = maker.identities, tuple(maker.folders), sizes
    if trial_of is None:
        return Plan(_numbered(_grouped(pieces, sizes)), *about)
    size = sum(piece.size * (_PACKED if piece.is_streamed else 1) for piece in pieces)
    if size < sizes.share_bytes:
        return Plan(_numbered([pieces] if pieces else []), *about)
    from trajmeter.scoring.runs.whole_tasks import units_of_tasks

    of_tasks = units_of_tasks(_grouped(pieces, sizes), reading, trial_of)
    if of_tasks is not None:
        return Plan(_numbered(of_tasks), *about, has_whole_tasks=True)
    return Plan(shares_of(pieces, min(-(-size // sizes.share_bytes), _MOST_SHARES)), *about)


def _numbered(groups: Iterable[tuple[Piece, ...]]) -> tuple[Unit, ...]:
    return tuple(Unit(*each) for each in enumerate(groups))


def _grouped(pieces: Iterable[Piece], sizes: PlanSizes) -> Iterator[tuple[Piece, ...]]:
    """Combine whole files until a unit is full; part of a file is a unit by itself."""
    held: list[Piece] = []
    size = 0
    for piece in pieces:
        is_full = len(held) == sizes.files or size + piece.size > sizes.piece_bytes
        if held and (piece.within is not None or is_full):
            yield tuple(held)
            held, size = [], 0
        if piece.within is not None:
            yield (piece,)
        else:
            held.append(piece)
            size += piece.size
    if held:
        yield tuple(held)
