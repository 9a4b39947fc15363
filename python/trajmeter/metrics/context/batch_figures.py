"""Columns of figures from columns of sizes; :mod:`figures` and :mod:`edits` do so for one row."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from trajmeter.arrays import nulls, numbers, present, ragged
from trajmeter.arrays.text import coded, text_array
from trajmeter.errors import InputError
from trajmeter.kernels import GRANULARITIES, INT64_MAX
from trajmeter.metrics.context.attempts import CAUSE
from trajmeter.records import LEAK_KINDS, Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.context.attempts import Attempts

__all__ = ["edit_columns", "final_columns", "leak_columns", "step_columns", "view_columns"]

_OUTCOME = {outcome: code for code, outcome in enumerate(Outcome)}
_SCORED, _ASSIGNED, _ABSTAINED, _NOT_SCORED = (
    _OUTCOME[each]
    for each in (Outcome.SCORED, Outcome.ASSIGNED, Outcome.ABSTAINED, Outcome.NOT_SCORED)
)
_NONE = -1

_TEXTS = {names: text_array(name.value for name in names) for names in (Outcome, Cause)}

# Doubles represent integers up to this size exactly, also the sum of two and the double of one.
_EXACT = 2**51

_Columns: TypeAlias = "dict[str, Array]"


def final_columns(attempts: Attempts) -> _Columns:
    """Columns of ``final``; see :func:`~trajmeter.metrics.context.figures.final_figures`."""
    shared, gold, predicted = map(attempts.by_granularity, ("intersection", "gold", "predicted"))
    coverage, precision = _quotient(shared, gold), _quotient(shared, predicted)
    empty = attempts.profile.empty_ratio
    if empty is None:
        f1 = _exactly(_f1, shared, gold, predicted)
        precision[gold == 0] = f1[gold == 0] = nan
    else:
        coverage[gold <= 0] = empty
        precision[predicted <= 0] = empty
        total = coverage + precision
        f1 = 2 * coverage * precision / np.where(total == 0, 1, total)
    is_lost = attempts.counts["has_final_context"] == 0
    causes = attempts.causes(is_lost, Cause.NO_CONTEXT_EXTRACTED)
    outcomes = np.where(np.isnan(coverage), _ABSTAINED, _SCORED)
    figures = {
        "coverage": coverage,
        "precision": precision,
        "f1": f1,
        "intersection": shared,
        "gold_size": gold,
        "predicted_size": predicted,
    }
    columns: _Columns = {}
    for row, name in enumerate(GRANULARITIES):
        by_figure = {figure: values[row] for figure, values in figures.items()}
        columns |= _group(f"final.{name}", outcomes[row], causes[row], by_figure)
    return columns


def step_columns(attempts: Attempts) -> _Columns:
    """Columns of ``trajectory``; see :func:`~trajmeter.metrics.context.figures.step_figures`.

    Raises:
        InputError: A sum does not fit in a 64-bit integer.
    """
    profile, num_steps = attempts.profile, attempts.counts["num_steps"]
    gold, covered, viewed, union = map(
        attempts.by_granularity, ("gold", "covered_sum", "viewed", "union")
    )
    most = INT64_MAX // np.maximum(num_steps, 1)
    if (np.abs(gold) > most).any() or (np.abs(viewed) > INT64_MAX // 4).any():
        raise InputError("sizes of steps do not add up to an integer of 64 bits")
    gold_sum, repeated = gold * num_steps, viewed - union
    empty = np.full(gold.shape, nan if profile.empty_ratio is None else profile.empty_ratio)
    if profile.empty_line_coverage is not None:
        empty[-1, attempts.tasks["has_initial_lines"] <= 0] = profile.empty_line_coverage
    redundancy = _quotient(repeated, viewed)
    redundancy[viewed <= 0] = nan if profile.empty_redundancy is None else profile.empty_redundancy
    causes = attempts.causes(num_steps == 0, Cause.NO_STEPS)
    is_scored = (gold != 0) | (viewed != 0) | ~np.isnan(empty)
    outcomes = np.where(is_scored, _SCORED, _ABSTAINED)
    figures = {
        "auc_coverage": np.where(gold > 0, _quotient(covered, gold_sum), empty),
        "redundancy": redundancy,
        "covered_sum": covered,
        "gold_sum": gold_sum,
        "repeated_size": repeated,
        "viewed_size": viewed,
    }
    columns: _Columns = {"trajectory.num_steps": numbers(num_steps)}
    for row, name in enumerate(GRANULARITIES):
        by_figure = {figure: values[row] for figure, values in figures.items()}
        columns |= _group(f"trajectory.{name}", outcomes[row], causes[row], by_figure)
        columns[f"trajectory.{name}.coverage"] = _coverage(
            attempts, row, empty[row], causes[row] >= 0
        )
    return columns


def _coverage(attempts: Attempts, row: int, empty: Float64Array, is_absent: Booleans) -> Array:
    """Coverage after each step; without gold, null or the profile's value for empty gold."""
    lengths = np.diff(attempts.offsets)
    shares = np.ascontiguousarray(attempts.coverage[:, row])
    is_unknown = np.isnan(shares)
    if is_unknown.any():
        shares = np.where(is_unknown, np.repeat(empty, lengths), shares)
    first = np.append(shares, nan)[attempts.offsets[:-1]]
    is_absent = is_absent | np.isnan(first)
    offsets = attempts.offsets
    if is_absent.any():
        shares = shares[np.repeat(~is_absent, lengths)]
        offsets = np.append(0, np.cumsum(np.where(is_absent, 0, lengths)))
    # A null offset marks a null list; the stubs type every array as booleans.
    starts: Any = numbers(offsets.astype(np.int32), np.append(is_absent, False))
    values: Any = numbers(shares)
    lists: Array = pa.ListArray.from_arrays(starts, values)
    return lists


def edit_columns(
    attempts: Attempts, edits: Int64Array, has_patch: Booleans, is_empty: Booleans
) -> _Columns:
    """Columns of both edit locations; see :mod:`trajmeter.metrics.context.edits`.

    Args:
        attempts: The attempts.
        edits: ``EDIT_COUNTS`` of their final patches, one row per count.
        has_patch: Whether each attempt has a final patch.
        is_empty: Whether each has no final patch, or an empty one.
    """
    is_diff, edited, shared, deleted, hits = edits
    gold = attempts.tasks["gold_edits"]
    coverage, precision = _quotient(shared, gold), _quotient(shared, edited)
    f1 = _exactly(_f1, shared, gold, edited)
    precision[gold == 0] = f1[gold == 0] = nan
    no_patch = np.where(has_patch, _NONE, CAUSE[Cause.MISSING_PATCH])
    missing = np.where(attempts.tasks["has_gold_patch"] > 0, no_patch, CAUSE[Cause.MISSING_GOLD])
    figures = {
        "coverage": coverage,
        "precision": precision,
        "f1": f1,
        "intersection": shared,
        "gold_size": gold,
        "predicted_size": edited,
    }
    columns = _edits("edit_location", attempts, missing, gold > 0, is_diff > 0, figures)
    if attempts.profile.gold_patch_stands_in:
        deleted = np.where(is_empty, attempts.tasks["stand_in_deleted"], deleted)
        hits = np.where(is_empty, attempts.tasks["stand_in_hits"], hits)
        no_patch = np.where(deleted < 0, CAUSE[Cause.MISSING_PATCH], _NONE)
    gold = attempts.tasks["initial_gold_size"]
    ratio = _quotient(hits, deleted)
    ratio[deleted == 0] = 0.0
    missing = np.where(attempts.tasks["has_gold"] > 0, no_patch, CAUSE[Cause.MISSING_GOLD])
    has_gold, is_read = gold > 0, is_diff > 0
    if attempts.profile.scores_every_deletion:
        has_gold = is_read = np.ones(len(gold), np.bool_)
    ratio[~has_gold] = nan
    figures = {
        "recall": ratio,
        "precision": ratio,
        "intersection": hits,
        "gold_size": gold,
        "predicted_size": deleted,
    }
    return columns | _edits("contextbench_editloc", attempts, missing, has_gold, is_read, figures)


def _edits(
    name: str,
    attempts: Attempts,
    missing: Int64Array,
    has_gold: Booleans,
    is_diff: Booleans,
    figures: dict[str, npt.NDArray[Any]],
) -> _Columns:
    """Columns of an edit location: abstains without gold; text that is not a diff predicts none."""
    causes = np.where(attempts.void >= 0, attempts.void, missing)
    outcomes = np.where(has_gold, np.where(is_diff, _SCORED, _ASSIGNED), _ABSTAINED)
    columns = _group(name, outcomes, causes, figures)
    is_assigned = (causes < 0) & (outcomes == _ASSIGNED)
    if is_assigned.any():
        reasons = np.where(is_assigned, CAUSE[Cause.NOT_A_DIFF], causes)
        columns[f"{name}.cause"] = _labels(reasons, Cause)
    return columns


def view_columns(attempts: Attempts) -> _Columns:
    """Columns of ``views``."""
    figures = {
        "total": attempts.counts["views"],
        "unresolved_paths": attempts.counts["unresolved_paths"],
        "unresolved_gold_paths": attempts.tasks["unresolved_gold_paths"],
        "empty_ranges": attempts.counts["empty_ranges"],
        "leaked_patches": attempts.counts["leaked_views"],
    }
    scored = np.full(len(attempts.void), _SCORED)
    columns = _group("views", scored, attempts.void, figures)
    is_unknown = (attempts.tasks["unresolved_gold_paths"] < 0) | (attempts.void >= 0)
    for name in ("unresolved_paths", "unresolved_gold_paths"):
        columns[f"views.{name}"] = _column(figures[name], is_unknown)
    return columns


def leak_columns(leaks: Array) -> _Columns:
    """Columns of ``leaks``, which do not depend on a task."""
    found, offsets = ragged(leaks)
    kind: Any = found
    is_unknown = ~present(leaks)
    kinds = coded(kind.field("kind"))
    columns: _Columns = {
        "leaks.outcome": _labels(np.where(is_unknown, _ABSTAINED, _SCORED), Outcome),
        "leaks.cause": _labels(np.full(len(is_unknown), _NONE), Cause),
        "leaks.total": _column(np.diff(offsets), is_unknown),
    }
    codes = {name: code for code, name in enumerate(kinds.texts)}
    for name in LEAK_KINDS:
        is_of = kinds.codes == codes.get(name, len(codes))
        before = np.append(0, np.cumsum(is_of, dtype=np.int64))
        columns[f"leaks.{name}"] = _column(np.diff(before[offsets]), is_unknown)
    return columns


def _group(
    name: str, outcomes: Int64Array, causes: Int64Array, figures: dict[str, npt.NDArray[Any]]
) -> _Columns:
    """Columns of a group; rows with a cause are not scored and have no figures."""
    is_absent = causes >= 0
    return {
        f"{name}.outcome": _labels(np.where(is_absent, _NOT_SCORED, outcomes), Outcome),
        f"{name}.cause": _labels(causes, Cause),
        **{f"{name}.{figure}": _column(values, is_absent) for figure, values in figures.items()},
    }


def _column(values: npt.NDArray[Any], is_absent: Booleans) -> Array:
    if values.dtype == np.float64:
        is_absent = is_absent | np.isnan(values)
    return numbers(values, is_absent)


def _labels(codes: Int64Array, names: type[Cause | Outcome]) -> Array:
    """Text of each code; null for -1."""
    if not len(codes) or (codes == codes[0]).all():  # most columns are constant
        code = int(codes[0]) if len(codes) else _NONE
        if code < 0:
            return nulls(len(codes), pa.string())
        return pa.repeat(_TEXTS[names][code], len(codes))
    coded: Any = numbers(codes.astype(np.int32), codes < 0)
    labels: Array = pa.DictionaryArray.from_arrays(coded, _TEXTS[names]).dictionary_decode()
    return labels


def _quotient(part: Int64Array, whole: Int64Array) -> Float64Array:
    return _exactly(_ratio, part, whole)


def _ratio(part: Any, whole: Any) -> Any:  # noqa: ANN401 - of integers, or of arrays of them
    return part / whole


def _f1(shared: Any, gold: Any, predicted: Any) -> Any:  # noqa: ANN401 - likewise
    return 2 * shared / (gold + predicted)


def _exactly(formula: Callable[..., Any], *columns: Int64Array) -> Float64Array:
    """Apply a formula that ends in a division; NaN for a division by 0 or of NaN.

    numpy rounds integers to doubles before it divides, Python afterwards. The results differ for
    integers that doubles cannot represent exactly.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values: Float64Array = formula(*columns)
    values[~np.isfinite(values)] = nan
    is_large = np.logical_or.reduce([np.abs(column) > _EXACT for column in columns])
    for place in map(tuple, np.argwhere(is_large).tolist()):
        numbers = [int(column[place]) for column in columns]
        try:
            values[place] = formula(*numbers)
        except ZeroDivisionError:
            values[place] = nan
    return values
