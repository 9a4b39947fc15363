"""The context kernel for batches: attempts as columns."""

from __future__ import annotations

from itertools import pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.errors import InputError, TotalOverflowError
from trajmeter.kernels._constants import INT64_MAX
from trajmeter.kernels._context import GRANULARITIES
from trajmeter.kernels._context_batch import CONTEXT_COUNTS, EXTENTS, ContextBatchArrays
from trajmeter.kernels._python.context_written import written_sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels._arrays import BoolArray, Int64Array
    from trajmeter.kernels._context import ContextSizes
    from trajmeter.kernels._context_batch import Texts, ViewArrays
    from trajmeter.kernels._python.context import ContextKernel

__all__ = ["context_batch"]

_LINE = len(GRANULARITIES) - 1


def context_batch(
    tasks: Sequence[ContextKernel],
    task: Int64Array,
    views: ViewArrays,
    step_offsets: Int64Array,
    row_offsets: Int64Array,
    final_offsets: Int64Array,
    has_final: BoolArray,
    paths: Texts,
    names: Texts,
) -> ContextBatchArrays:
    """Measure what many attempts viewed, each compared with the gold of its task.

    Args:
        tasks: The tasks.
        task: Index of each attempt's task, or -1 for an attempt without one, whose steps are only
            counted.
        views: Views of the steps and of final contexts.
        step_offsets: Step i has the views ``[step_offsets[i], step_offsets[i + 1])``.
        row_offsets: Attempt i has the steps ``[row_offsets[i], row_offsets[i + 1])``.
        final_offsets: The final context of attempt i has the views ``[final_offsets[i],
            final_offsets[i + 1])``.
        has_final: Whether each attempt declares a final context; without one it is the union of
            the steps.
        paths: Paths, as views write them.
        names: Names of definitions that views request.

    Returns:
        The ``CONTEXT_COUNTS`` of each attempt, the coverage after each of its steps, and where its
        steps begin. Under the rules ``as_written``, the sizes of lines include reversed ranges,
        which have a negative number of lines; the size of gold does not.

    Raises:
        InputError: A code is out of range; the first one is named, column by column. Or a text is
            not UTF-8.
        TotalOverflowError: Sizes of an attempt add up to more than 64 bits hold.
    """
    texts = _decoded("path", paths)
    symbols = _decoded("name", names)
    _check_tasks(task, len(tasks))
    _check_codes("path", views.path, len(texts))
    _check_codes("extent", views.extent, len(EXTENTS))
    _check_codes("symbol", views.symbol, len(symbols))
    seen = _views(views, texts, symbols)
    steps = [_Step(seen[start:stop]) for start, stop in pairwise(step_offsets.tolist())]
    declared = zip(pairwise(final_offsets.tolist()), has_final.tolist(), strict=True)
    counts: list[Sequence[int]] = []
    coverage: list[Iterable[float]] = []
    offsets = [0]
    for number, (first, end), ((start, stop), is_declared) in zip(
        task.tolist(), pairwise(row_offsets.tolist()), declared, strict=True
    ):
        if number < 0:
            counts.append([end - first, *repeat(0, len(CONTEXT_COUNTS) - 1)])
            offsets.append(offsets[-1])
            continue
        final = seen[start:stop] if is_declared else None
        attempt_steps = steps[first:end]
        sizes = tasks[number].score(attempt_steps, final)
        written = None
        if sizes.tally.empty_ranges and tasks[number].files.rules == "as_written":
            walked = [step.views for step in attempt_steps] or [final or []]
            written = written_sizes(walked, final or [], tasks[number].files.target)
        counts.append(_counts(sizes, written))
        coverage += _coverage(sizes)
        offsets.append(offsets[-1] + sizes.num_steps)
    return ContextBatchArrays(
        np.array(counts, np.int64).reshape(-1),
        np.array(coverage, np.float64).reshape(-1),
        np.array(offsets, np.int64),
    )


class _View(NamedTuple):
    """A view read from the columns, with the fields of ``ViewLike``."""

    path: str
    extent: str
    start: int | None
    end: int | None
    symbols: Sequence[str]
    listed: bool


class _Step(NamedTuple):
    views: Sequence[_View]


def _views(views: ViewArrays, paths: Sequence[str], names: Sequence[str]) -> list[_View]:
    columns = (
        [paths[code] for code in views.path.tolist()],
        [EXTENTS[code] for code in views.extent.tolist()],
        _numbers(views.start, views.has_start),
        _numbers(views.end, views.has_end),
        _symbols(views, names),
        views.listed.tolist(),
    )
    # The symbols may be endless, where no view has any.
    return list(map(_View._make, zip(*columns, strict=False)))


def _numbers(values: Int64Array, is_there: BoolArray) -> list[int | None]:
    pairs = zip(values.tolist(), is_there.tolist(), strict=True)
    return [value if there else None for value, there in pairs]


def _symbols(views: ViewArrays, names: Sequence[str]) -> Iterable[Sequence[str]]:
    if not len(views.symbol):
        return repeat(())
    asked = [names[code] for code in views.symbol.tolist()]
    return [tuple(asked[start:stop]) for start, stop in pairwise(views.symbol_offsets.tolist())]


def _counts(sizes: ContextSizes, written: tuple[int, int, int] | None) -> list[int]:
    num_steps, has_final_context, tally, final_sizes, step_sizes = sizes
    counts = [num_steps, int(has_final_context), *tally]
    for index, (last, steps) in enumerate(zip(final_sizes, step_sizes, strict=True)):
        predicted, viewed, union = last.predicted, steps.viewed, steps.union
        if written is not None and index == _LINE:
            predicted, viewed, union = written
        counts += [last.intersection, last.gold, predicted, steps.covered_sum, viewed, union]
    if written is not None and not all(-INT64_MAX - 1 <= size <= INT64_MAX for size in written):
        raise TotalOverflowError(
            f"lines as written of granularity {_LINE} exceeds the largest 64-bit integer, "
            f"{INT64_MAX}"
        )
    return counts


def _coverage(sizes: ContextSizes) -> Iterable[Iterable[float]]:
    nothing = (float("nan"),) * sizes.num_steps
    shares = [nothing if steps.coverage is None else steps.coverage for steps in sizes.steps]
    return zip(*shares, strict=True)


def _decoded(what: str, texts: Texts) -> list[str]:
    decoded = []
    for index, (start, stop) in enumerate(pairwise(texts.offsets.tolist())):
        try:
            decoded.append(texts.buffer[start:stop].decode())
        except UnicodeDecodeError as error:
            raise InputError(f"{what} {index} is not UTF-8") from error
    return decoded


def _check_tasks(task: Int64Array, count: int) -> None:
    for index in np.flatnonzero((task < -1) | (task >= count)).tolist():
        raise InputError(f"task {index} is {task[index]}, expected -1 to {count - 1}")


def _check_codes(what: str, codes: Int64Array, count: int) -> None:
    for index in np.flatnonzero((codes < 0) | (codes >= count)).tolist():
        raise InputError(
            f"{what} {index} is {codes[index]}, expected at least 0 and less than {count}, the "
            f"number of {what}s"
        )
