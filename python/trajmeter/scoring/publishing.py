"""What a complete run says of itself, and its rows read back in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import ArrowException
from pyarrow.parquet import ParquetFile

from trajmeter.errors import ReadError
from trajmeter.remote import arrow_source
from trajmeter.scoring.run_key import PARTS_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from trajmeter.scoring.parts import RunFolder
    from trajmeter.scoring.plan import Plan, Unit
    from trajmeter.scoring.work import OpenedWork

__all__ = ["manifest_of", "read_rows"]

_ROWS = 10_000


def manifest_of(
    folder: RunFolder, plan: Plan, settings: Mapping[str, Any], columns: Sequence[str]
) -> dict[str, Any]:
    """The manifest of a run whose parts are all there."""
    units = []
    for unit, state in zip(plan.units, folder.states(plan.units), strict=True):
        part = folder.part(unit.number)
        units.append(
            {
                "unit": unit.number,
                "input": unit.place,
                "part": f"rows/{part.name}",
                "rows": state["rows"],
                "bytes": part.stat().st_size,
                "sha256": state["sha256"],
                "problems": state["problem_count"],
            }
        )
    return {
        "format": PARTS_FORMAT,
        "run_key": folder.key,
        "settings": dict(settings),
        "columns": list(columns),
        "rows": sum(unit["rows"] for unit in units),
        "units": units,
    }


def read_rows(
    folder: RunFolder, units: Iterable[Unit], opened: OpenedWork[Any]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of units, in their order and as they were before they were written.

    Raises:
        ReadError: A part cannot be read.
    """
    for unit in units:
        file = folder.part(unit.number)
        try:
            with arrow_source(file) as source, ParquetFile(source) as content:
                for batch in content.iter_batches(_ROWS):
                    yield opened.from_part(batch)
        except (ArrowException, OSError) as error:
            raise ReadError(f"{file}: {error}") from error
