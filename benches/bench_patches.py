"""Edited lines of patches, of the size that agents usually write."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter import kernels

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.kernels import EditedLineArrays, Kernels

_FILES, _HUNKS = 3, 4
_HUNK = (
    "@@ -{start},7 +{start},8 @@ def keep(shelf):\n"
    "     first = shelf[0]\n     last = shelf[-1]\n     middle = len(shelf) // 2\n"
    "-    return first\n+    if first is None:\n+        return last\n"
    "     # the rest is sorted elsewhere\n     shelf.sort()\n     return middle\n"
)


def _patch(number: int) -> str:
    """Return a patch of 3 files with 4 hunks each, about 4 KB; each hunk edits its fourth line."""
    return "".join(
        f"diff --git a/src/m{number}_{file}.py b/src/m{number}_{file}.py\n"
        f"--- a/src/m{number}_{file}.py\n+++ b/src/m{number}_{file}.py\n"
        + "".join(_HUNK.format(start=100 * hunk + 1) for hunk in range(_HUNKS))
        for file in range(_FILES)
    )


def _read(backend: Kernels, patches: list[str]) -> list[EditedLineArrays]:
    return [backend.edited_lines(patch) for patch in patches]


def _build(size: int) -> Built:
    patches = [_patch(number) for number in range(size)]
    functions = {name: partial(_read, kernels.load(name), patches) for name in ("rust", "python")}
    return Built(functions, [100 * hunk + 4 for _ in range(_FILES) for hunk in range(_HUNKS)])


def _same(answer: object, expected: object) -> bool:
    assert isinstance(answer, list)
    return all(edited.line.tolist() == expected for edited in answer)


CASES = [
    Case(
        kernel="edited_lines",
        workload="patches of 3 files with 4 hunks, a call each",
        size=500,
        unit="patch",
        build=_build,
        contenders=("rust", "python"),
        same=_same,
        prepared="texts",
    )
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_patches(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
