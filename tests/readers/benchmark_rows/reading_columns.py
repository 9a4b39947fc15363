"""Reading tables of benchmarks as columns, without records."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

from tests.readers.both_ways import as_batches, as_records
from trajmeter.readers.benchmark_rows import table

if TYPE_CHECKING:
    from pathlib import Path


def assert_never_as_records(path: Path) -> None:
    """Check that reading columns gives the rows of records without creating any record."""
    expected = as_records(path)
    with mock.patch.object(table, "attempts_of", side_effect=AssertionError("read as records")):
        found, _ = as_batches(path)
    assert found == expected
