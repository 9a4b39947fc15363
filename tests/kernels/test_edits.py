"""Where patches edit and delete, beside the gold of their tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.attempts import texts
from tests.kernels.outcomes import outcome
from tests.kernels.strategies import integers
from trajmeter.errors import ArrayError, InputError
from trajmeter.kernels import EDIT_COUNTS, Kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ["--- a/f", "+++ b/f", "--- a/g.py", "+++ b/g.py", "+++ /dev/null", "diff --git a/f b/f"]
_HUNKS = ["@@ -1,2 +1,2 @@", "@@ -3 +4 @@ def", "@@ -0,0 +1 @@", "@@ -x +1 @@", "@@ -\u0663 +1 @@"]
_HUNKS += [
    "@@\t-1  +1 @@",
    "@@ -1,2 @@",
    "@@ -1 +1",
    "@@ -1 +1@@",
    "@@ -1, +1 @@",
    "+++\xa0b/f",
    "+++ b/",
]
_BODY = ["-a", "+a", " a", "-", "+", "", "--- a", "\\ No newline", "@@ -1234567890123456789 +1 @@"]
_LINES = st.sampled_from([*_NAMES, *_HUNKS, *_BODY])
_PATCHES = st.lists(_LINES, max_size=12).map("\n".join) | st.text(st.characters(codec="utf-8"))
_LINE = st.integers(-1, 6) | st.sampled_from([2**62, 10**30])
_RANGES = st.dictionaries(
    st.sampled_from(["f", "g.py", "", "\udc80"]),
    st.lists(st.tuples(_LINE, _LINE), max_size=2),
    max_size=2,
)
_GOLD = st.tuples(_PATCHES, _RANGES)

PATCH = "--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n-a\n+b\n-c\n"


def _counts(kernels: Kernels, *patches: str, task: Sequence[int] = (0,)) -> list[list[int]]:
    gold = kernels.edit_gold(PATCH, {"f": [(4, 9)]})
    counts = kernels.edit_counts([gold], integers([*task]), texts(patches))
    return counts.reshape(-1, len(EDIT_COUNTS)).tolist()


def test_counts_of_a_patch(kernels: Kernels) -> None:
    # It edits and deletes the lines 3 and 4, both as in the gold patch; 4 lies in the range.
    assert _counts(kernels, PATCH) == [[1, 2, 2, 2, 1]]
    assert kernels.edit_gold(PATCH, {}).size == 2
    # A pure insertion behind line 4 edits it, and deletes nothing.
    inserting = "--- a/f\n+++ b/f\n@@ -4 +4,2 @@\n c\n+d\n"
    assert _counts(kernels, inserting) == [[1, 1, 1, 0, 0]]


@pytest.mark.parametrize(
    ("patch", "deleted"),
    [
        ("+++ b/f\n@@\t-4  +1,2 @@ def\n-a\n", (1, 1)),
        ("+++\tb/f\n@@ -4 +4 @@\n-a\n", (1, 1)),
        ("+++ b/f\n+++ b/\n@@ -4 +4 @@\n-a\n", (1, 1)),
        ("+++ b/\n@@ -4 +4 @@\n-a\n", (0, 0)),
        ("+++ b/f\n@@ -4 +4 @@\n-a\n@@ -6 @@\n-b\n", (1, 1)),
        ("+++ b/f\n@@ -4 +4\n-a\n", (0, 0)),
    ],
)
def test_lines_are_deleted_only_below_whole_headers(
    kernels: Kernels, patch: str, deleted: tuple[int, int]
) -> None:
    ((*_, lines, hits),) = _counts(kernels, patch)
    assert (lines, hits) == deleted


def test_patches_without_a_task_are_not_read(kernels: Kernels) -> None:
    assert _counts(kernels, PATCH, "sorry", "", task=(-1, 0, 0)) == [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0],
    ]


@given(st.lists(_GOLD, min_size=1, max_size=2), st.lists(st.tuples(_PATCHES, st.integers(-2, 2))))
def test_both_backends_count_the_same(
    rust: Kernels,
    twin: Kernels,
    golds: list[tuple[str, dict[str, list[tuple[int, int]]]]],
    patches: list[tuple[str, int]],
) -> None:
    def counted(kernels: Kernels) -> object:
        tasks = [kernels.edit_gold(*gold) for gold in golds]
        task = integers([number for _, number in patches])
        counts = kernels.edit_counts(tasks, task, texts(patch for patch, _ in patches))
        return counts.tolist(), [each.size for each in tasks]

    assert outcome(counted, rust) == outcome(counted, twin)


@given(_GOLD, _PATCHES)
def test_one_patch_is_counted_as_many_are(
    kernels: Kernels, gold: tuple[str, dict[str, list[tuple[int, int]]]], patch: str
) -> None:
    task = kernels.edit_gold(*gold)
    counts = kernels.edit_counts([task], integers([0]), texts([patch]))
    assert list(task.compare(patch)) == counts.tolist()


def test_what_is_not_a_batch_is_refused(kernels: Kernels) -> None:
    with pytest.raises(InputError, match="task 0 is 1, expected -1 to 0"):
        _counts(kernels, PATCH, task=(1,))
    with pytest.raises(ArrayError, match="patch_offsets has 2 values, expected 3"):
        _counts(kernels, PATCH, task=(0, 0))
