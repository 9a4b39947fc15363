"""Edited lines of diffs, sound and malformed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.patches import edited_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = "--- a/f.py\n+++ b/f.py\n"


def lines_of(patch: str) -> dict[str, tuple[int, ...]]:
    """The edited lines of a patch that is expected to be sound."""
    edited = edited_lines(patch)
    assert edited.is_diff
    assert edited.warnings == ()
    return dict(edited.lines)


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        # Line 4 is context, 5 and 6 are deleted, 7 is context.
        ("@@ -4,4 +4,2 @@\n a\n-b\n-c\n d\n", (5, 6)),
        # One line replaced by two: the insertions belong to the deletion.
        ("@@ -4,3 +4,4 @@\n a\n-b\n+B\n+BB\n c\n", (5,)),
        # Insertion behind line 4 and before line 5.
        ("@@ -4,2 +4,3 @@\n a\n+new\n b\n", (4,)),
        # Deleted, inserted, deleted, inserted without context between is one run.
        ("@@ -4,2 +4,2 @@\n-a\n+A\n-b\n+B\n", (4, 5)),
        # A run that begins with the insertion and goes on with a deletion deletes.
        ("@@ -4,2 +4,3 @@\n a\n+A\n+B\n-b\n", (5,)),
        # Two runs in one hunk: line 4 replaced; then an insertion behind 5.
        ("@@ -4,3 +4,4 @@\n-a\n+A\n b\n+new\n c\n", (4, 5)),
        # At the top of the file there is no line before: 0.
        ("@@ -1,1 +1,2 @@\n+new\n a\n", (0,)),
        # Without context the header of an insertion names the line before it.
        ("@@ -5,0 +6,2 @@\n+x\n+y\n", (5,)),
        # Left-out counts are 1.
        ("@@ -7 +7 @@\n-a\n+b\n", (7,)),
        # The remark on the last newline is no line.
        (
            "@@ -7,2 +7,2 @@\n a\n-b\n\\ No newline\n+b\n\\ No newline",
            (8,),
        ),
        # A blank line of context that lost its leading blank: lines 4, 5 (blank), 6, 7.
        ("@@ -4,4 +4,3 @@\n a\n\n b\n-c\n", (7,)),
        # A form feed, NEL or U+2028 within a line does not end it.
        ("@@ -4,3 +4,2 @@\n a\x0cb\x85c\u2028d\n b\n-c\n", (6,)),
    ],
)
def test_lines_of_a_hunk_are_numbered_in_the_base(hunk: str, expected: tuple[int, ...]) -> None:
    assert lines_of(NAMES + hunk) == {"f.py": expected}


def test_deleted_lines_that_look_like_headers_are_counted() -> None:
    # The deleted lines are "-- a/x" and "-- done: all", the inserted one is "++ b/x".
    hunk = "@@ -1,4 +1,3 @@\n a\n--- a/x\n+++ b/x\n b\n--- done: all\n"
    assert lines_of(NAMES + hunk) == {"f.py": (2, 4)}


def test_files_without_git_headers_are_separate() -> None:
    patch = (
        "--- src/a.py\t2026-01-01 00:00:00\n+++ src/a.py\t2026-01-02 00:00:00\n"
        "@@ -1,2 +1,1 @@\n-a\n b\n"
        "--- src/b.py\n+++ src/b.py\n@@ -5,2 +5,1 @@\n a\n-b\n"
    )
    assert lines_of(patch) == {"src/a.py": (1,), "src/b.py": (6,)}


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a/src/x.py", "b/src/x.py", "src/x.py"),
        ("src/x.py", "src/x.py", "src/x.py"),
        ("a/x.py", "a/x.py", "a/x.py"),
        ("i/x.py", "w/x.py", "x.py"),
        ("a/old name.py", "b/new name.py", "old name.py"),
        ('"a/caf\\303\\251.py"', '"b/caf\\303\\251.py"', "café.py"),
        ('"a/tab\\there\\"\\\\.py"', '"b/tab\\there\\"\\\\.py"', 'tab\there"\\.py'),
        ("/dev/null", "b/new.py", "new.py"),
        ("a/gone.py", "/dev/null", "gone.py"),
        ("/testbed/x.py", "/testbed/x.py", "/testbed/x.py"),
    ],
)
def test_names_are_those_of_the_base(old: str, new: str, path: str) -> None:
    assert lines_of(f"--- {old}\n+++ {new}\n@@ -1,2 +1,1 @@\n-a\n b\n") == {path: (1,)}


def test_whole_git_patch() -> None:
    patch = """\
diff --git a/new.py b/new.py
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+a
+b
diff --git a/gone.py b/gone.py
deleted file mode 100644
index 1111111..0000000
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/old.py b/renamed.py
similarity index 90%
rename from old.py
rename to renamed.py
--- a/old.py
+++ b/renamed.py
@@ -3,2 +3,1 @@
 a
-b
diff --git a/moved.py b/elsewhere.py
similarity index 100%
rename from moved.py
rename to elsewhere.py
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/data.bin b/data.bin
index 1111111..2222222 100644
GIT binary patch
literal 10
RcmZSH@M3@@

diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/last.py b/last.py
--- a/last.py
+++ b/last.py
@@ -10,2 +10,3 @@
 a
+b
 c
"""
    # Renames without change, binary files and modes edit no line.
    expected = {"new.py": (0,), "gone.py": (1, 2), "old.py": (4,), "last.py": (10,)}
    assert lines_of(patch) == expected
    assert lines_of(patch.replace("\n", "\r\n")) == expected


def test_text_around_a_diff_is_ignored() -> None:
    hunk = "@@ -1,2 +1,1 @@\n-a\n b\n"
    before = "fatal: not a git repository\nHere is the patch:\n"
    signature = "-- \n2.40.1\n\n"
    assert lines_of(before + NAMES + hunk + signature) == {"f.py": (1,)}


@pytest.mark.parametrize(("text", "is_diff"), [("", True), (" \n\n", True), ("Timed out.", False)])
def test_text_that_is_not_a_diff_differs_from_an_empty_one(text: str, *, is_diff: bool) -> None:
    edited = edited_lines(text)
    assert (dict(edited.lines), edited.is_diff, edited.warnings) == ({}, is_diff, ())


@pytest.mark.parametrize(
    ("patch", "expected", "warning"),
    [
        # The header promises more than there is; the next file begins.
        (
            f"{NAMES}@@ -1,9 +1,9 @@\n-a\n+b\n--- a/g.py\n+++ b/g.py\n@@ -4,1 +4,1 @@\n-a\n+b\n",
            {"f.py": (1,), "g.py": (4,)},
            "line 3: the hunk header declares 9 old and 9 new lines, the body has 1 and 1",
        ),
        # The header promises less: what follows at once still belongs to the hunk.
        (
            f"{NAMES}@@ -1,1 +1,1 @@\n-a\n+b\n c\n-d\n",
            {"f.py": (1, 3)},
            "line 3: the hunk header declares 1 old and 1 new lines, the body has 3 and 2",
        ),
        # No old line in the body: the header's line 5 would be the first behind the insertion.
        (f"{NAMES}@@ -5,3 +5,4 @@\n+a\n", {"f.py": (4,)}, "the body has 0 and 1"),
        (f"{NAMES}@@ ... @@\n-a\n+b\n", {}, "line 3: unreadable hunk header: '@@ ... @@'"),
        (f"{NAMES}@@ -1,1 +1,1 @@\n", {}, "line 3: the hunk has no lines"),
        (
            "diff --git a/f.py b/f.py\n@@ -1,1 +1,0 @@\n-a\n",
            {},
            "line 2: the hunk follows no '---' and '+++' lines",
        ),
    ],
)
def test_malformed_hunks_are_read_as_far_as_possible_with_a_warning(
    patch: str, expected: dict[str, tuple[int, ...]], warning: str
) -> None:
    edited = edited_lines(patch)
    assert dict(edited.lines) == expected
    assert edited.is_diff
    assert len(edited.warnings) == 1
    assert warning in edited.warnings[0]


def expected_lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, ...]:
    """The definition, applied to the difference of two files rather than to a diff of them."""
    edited: set[int] = set()
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "insert":
            edited.add(start)
        elif tag != "equal":
            edited.update(range(start + 1, end + 1))
    return tuple(sorted(edited))


FILES = st.lists(st.sampled_from(["a\n", "b\n", "-- c\n", "++ d\n", "\n", "\x0c\n"]), max_size=20)


@given(old=FILES, new=FILES, context=st.integers(0, 4))
def test_lines_are_those_that_differ(old: list[str], new: list[str], context: int) -> None:
    patch = "".join(difflib.unified_diff(old, new, "a/f.py", "b/f.py", n=context))
    edited = lines_of(patch)
    assert edited == ({"f.py": expected_lines(old, new)} if old != new else {})


MANGLED = st.lists(
    st.sampled_from(
        [
            *("diff --git a/f b/f", "--- a/f", "+++ b/f", "--- /dev/null", '--- "a/\\'),
            *("@@ -1,2 +1,2 @@", "@@ -3 +3,0 @@", "@@ -0,0 +1 @@", "@@"),
            *("-a", "+b", " c", "", "-- ", "\\ No newline", "text", "\r"),
        ]
    )
)


@given(st.one_of(st.text(), MANGLED.map("\n".join)))
def test_any_text_is_read(text: str) -> None:
    edited = edited_lines(text)
    for lines in edited.lines.values():
        assert list(lines) == sorted(set(lines))
        assert lines[0] >= 0
