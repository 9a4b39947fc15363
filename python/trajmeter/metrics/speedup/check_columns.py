"""Finds failed rows of a batch, as flat arrays; see :mod:`trajmeter.metrics.speedup.failures`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from trajmeter.arrays import filled, flags, present
from trajmeter.arrays.text import coded, is_among

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from trajmeter.arrays import Array
    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.trial_columns import TrialColumns

__all__ = ["CheckColumns", "Fields", "check_columns", "fields_of"]

Fields: TypeAlias = "Mapping[str, Array]"
"""Columns of a record's fields, null where the record is null."""

_MOST = 2**61
"""Largest counts whose sums fit in 64 bits; larger ones are left to the record form."""


@dataclass(frozen=True, slots=True)
class CheckColumns:
    """Whether each row failed its checks."""

    is_known: BoolArray
    """Whether tests or a snapshot were recorded."""
    pytest_failed: BoolArray
    """Whether more tests failed than allowed, or none could be read."""
    snapshot_failed: BoolArray
    """Whether outputs of the benchmarks changed or could not be compared."""
    is_huge: BoolArray
    """Whether counts are too large to add up here."""

    @property
    def failed(self) -> BoolArray:
        """Whether tests or snapshot definitely failed."""
        return self.pytest_failed | self.snapshot_failed


def fields_of(column: Array) -> Fields:
    """Split a column of records into the columns of its fields."""
    names = [field.name for field in column.type]
    return dict(zip(names, cast("pa.StructArray", column).flatten(), strict=True))


def integers(column: Array) -> Int64Array:
    """Values of an integer column; 0 for null."""
    return filled(column, 0).astype(np.int64, copy=False)


def check_columns(
    rows: pa.RecordBatch, trials: TrialColumns, profile: SpeedupProfile
) -> CheckColumns:
    """Decide which rows failed, as :func:`trajmeter.metrics.speedup.failures.check` does.

    Args:
        rows: The rows.
        trials: Their trials.
        profile: Decides what counts as a failure if little is recorded.
    """
    tests, snapshot = fields_of(rows.column("pytest_summary")), rows.column("snapshot_summary")
    has_tests = present(rows.column("pytest_summary"))
    has_snapshot = present(snapshot)
    failed, error = integers(tests["failed"]), integers(tests["error"])
    is_huge = (np.abs(failed // 2) > _MOST // 2) | (np.abs(error // 2) > _MOST // 2)
    failures = np.where(is_huge, 0, failed) + np.where(is_huge, 0, error)
    captured = flags(tests["captured"])
    allowed = np.where(captured, 0, _allowed(trials, failures, has_tests))
    tests_failed = is_among(tests["problem"], ["unreadable"]) | (failures > allowed)
    if profile.uncounted_tests_fail:
        tests_failed |= captured & (is_among(tests["problem"], ["not_run"]) | (error == 1))
    is_run = has_tests | has_snapshot
    is_told = present(rows.column("passed")) | present(rows.column("failure"))
    passed = flags(rows.column("passed"))
    crashed = is_told & (profile.missing_snapshot_fails | ~passed)
    return CheckColumns(
        is_known=is_run | is_told,
        pytest_failed=has_tests & tests_failed,
        snapshot_failed=np.where(is_run, has_snapshot & _changed(snapshot), crashed),
        is_huge=is_huge,
    )


def _allowed(trials: TrialColumns, failures: Int64Array, has_tests: BoolArray) -> Int64Array:
    """Number of failed tests of the first oracle in each row's trial."""
    oracle = trials.first(trials.is_oracle)
    known = np.where(has_tests, failures, 0)
    allowed = np.where((oracle >= 0) & ~trials.is_alone, np.append(known, 0)[oracle], 0)
    of_row: Int64Array = np.append(allowed, 0)[trials.trial]
    return of_row


def _changed(snapshot: Array) -> BoolArray:
    fields = fields_of(snapshot)
    status = coded(fields["status"])
    is_bad = np.array([*(text.lower() != "passed" for text in status.texts), True])
    found: BoolArray = is_bad[status.codes] | (integers(fields["pass_to_fail"]) > 0)
    return found
