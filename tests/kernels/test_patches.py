"""The reader of patches: worked cases, and the backends held to each other on any text.

Whole diffs are tested through :mod:`trajmeter.patches`, in ``tests/test_patches.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.outcomes import alike, outcome
from trajmeter.errors import ArrayError, InputError
from trajmeter.kernels import PatchFault

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

PARTS = [
    *("diff --git a/f b/f", "--- a/f", "+++ b/f", "--- /dev/null", "+++ /dev/null", "--- i/f"),
    *("+++ w/f", '--- "a/\\303\\251\\t\\"', '+++ "b/f"', "--- f\t2026", "+++ f ", "--- ", "+++ "),
    *("@@ -1,2 +1,2 @@", "@@ -3 +3,0 @@", "@@ -0,0 +1 @@ f", "@@ -5,0 +5,2 @@", "@@"),
    *("@@ -1234567890123456789 +1 @@", "@@ -123456789012345678,1 +1 @@", "@@ -,1 +1 @@"),
    *(
        "-a",
        "+b",
        " c",
        "",
        "-",
        "+",
        "-- ",
        "--",
        "\\ No newline",
        "text",
        "\r",
        "-- a/f",
        "++ b/f",
    ),
    *("\x1c", "\x85", "\u2003", "--\x1f"),
]
TEXTS = st.one_of(
    st.text(),
    st.builds(str.join, st.sampled_from(["\n", "\r\n"]), st.lists(st.sampled_from(PARTS))),
)


def test_files_lines_and_faults_of_a_patch(kernels: Kernels) -> None:
    patch = (
        "--- a/f.py\n+++ b/f.py\n@@ -4,3 +4,4 @@\n-a\n+A\n b\n+new\n c\n"  # 4 replaced, 5 stays
        "--- /dev/null\n+++ b/g.py\n@@ -0,0 +1,9 @@\n+a\n"
    )
    edited = kernels.edited_lines(patch)
    assert edited.paths == ["f.py", "g.py"]
    assert edited.line.tolist() == [4, 5, 0]
    assert edited.offsets.tolist() == [0, 2, 3]
    assert edited.is_diff
    # The header of the second hunk, in line 11, declares 9 new lines where there is one.
    assert edited.faults.tolist() == [11, PatchFault.COUNTS, 0, 9, 0, 1]


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        ("@@ -1 +1 @@\n-a\n", PatchFault.UNNAMED),
        ("--- a/f\n+++ b/f\n@@ 1 @@\n-a\n", PatchFault.UNREADABLE),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n", PatchFault.EMPTY),
    ],
)
def test_hunks_that_edit_nothing(kernels: Kernels, patch: str, kind: PatchFault) -> None:
    edited = kernels.edited_lines(patch)
    assert (edited.paths, edited.line.tolist(), edited.offsets.tolist()) == ([], [], [0])
    assert edited.faults.tolist()[1] == kind


@given(patch=TEXTS)
def test_backends_agree(rust: Kernels, twin: Kernels, patch: str) -> None:
    assert alike(outcome(rust.edited_lines, patch), outcome(twin.edited_lines, patch))


@pytest.mark.parametrize("patch", ["\ud800", "é\udfff"])
def test_half_a_surrogate_pair_is_refused(kernels: Kernels, patch: str) -> None:
    with pytest.raises(InputError, match="patch holds"):
        kernels.edited_lines(patch)


def test_anything_but_text_is_refused(kernels: Kernels) -> None:
    with pytest.raises(ArrayError, match="patch is a bytes, expected str"):
        kernels.edited_lines(b"--- a/f")  # type: ignore[arg-type] # refused on purpose
