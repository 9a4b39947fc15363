"""The checks of the arguments of the context kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from trajmeter.errors import ConfigurationError
from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.kernels._arrays import BoolArray, Int64Array
    from trajmeter.kernels._context import (
        ContextFiles,
        ContextKernel,
        ContextRules,
        GoldLines,
        ResolvedPath,
    )
    from trajmeter.kernels._context_batch import EditGoldKernel, FileListing, Texts, ViewArrays

__all__ = ["attempts", "edit_gold", "edits", "gold", "rules"]


def rules(
    resolve: Callable[[str], ResolvedPath],  # noqa: ARG001 - files are checked where they are created
    rules: ContextRules,
    listing: FileListing | None = None,  # noqa: ARG001 - as above
) -> None:
    """Raise ``ConfigurationError`` unless ``rules`` are those of the contract."""
    from trajmeter.kernels._context import ContextRules as Rules  # other kernels do not need it

    known = get_args(Rules)
    if rules not in known:
        raise ConfigurationError(f"rules is {rules!r}, expected {' or '.join(map(repr, known))}")


def gold(files: ContextFiles, gold: Sequence[GoldLines]) -> None:
    """Accept anything: both values are checked where they are created."""


def edit_gold(patch: str, ranges: Mapping[str, Sequence[tuple[int, int]]]) -> None:  # noqa: ARG001 - created by this package
    """Raise ``InputError`` unless the patch is text."""
    _checks.characters(patch, "patch")


def edits(tasks: Sequence[EditGoldKernel], task: Int64Array, patches: Texts) -> None:  # noqa: ARG001 - created by this package
    """Raise ``ArrayError`` unless there is a patch for each task's number."""
    _checks.integers(task, "task")
    _texts(patches, "patch")
    _checks.row_count(patches.offsets, "patch_offsets", len(task))


def attempts(
    tasks: Sequence[ContextKernel],  # noqa: ARG001 - created by this package
    task: Int64Array,
    views: ViewArrays,
    step_offsets: Int64Array,
    row_offsets: Int64Array,
    final_offsets: Int64Array,
    has_final: BoolArray,
    paths: Texts,
    names: Texts,
) -> None:
    """Raise ``ArrayError`` or ``OffsetsError`` unless these are columns of attempts."""
    _checks.integers(task, "task")
    for name in ("path", "extent", "start", "end"):
        _checks.integers(getattr(views, name), name)
        _checks.same_length(views.path, "path", getattr(views, name), name)
    for name in ("has_start", "has_end", "listed"):
        _checks.flags(getattr(views, name), name)
        _checks.same_length(views.path, "path", getattr(views, name), name)
    _checks.integers(views.symbol, "symbol")
    _checks.offsets(views.symbol_offsets, len(views.symbol), "symbol_offsets", "symbols")
    _checks.row_count(views.symbol_offsets, "symbol_offsets", len(views.path))
    _checks.offsets(step_offsets, len(views.path), "step_offsets", "views")
    _checks.offsets(row_offsets, len(step_offsets) - 1, "row_offsets", "steps")
    _checks.row_count(row_offsets, "row_offsets", len(task))
    _checks.offsets(final_offsets, len(views.path), "final_offsets", "views")
    _checks.row_count(final_offsets, "final_offsets", len(task))
    _checks.flags(has_final, "has_final")
    _checks.same_length(task, "task", has_final, "has_final")
    _texts(paths, "path")
    _texts(names, "name")


def _texts(texts: Texts, what: str) -> None:
    _checks.buffer(texts.buffer, f"{what}s")
    _checks.offsets(texts.offsets, len(texts.buffer), f"{what}_offsets", "bytes")
