"""Definitions of this project's own sources at two of its commits, checked by hand.

Expected are the kind, first line, last line and name of each definition, in order.
"""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

import pytest

from trajmeter.snapshots import Snapshot, take_snapshot
from trajmeter.snapshots._git import GitRepository, git_folder

ROOT = Path(__file__).parents[2]
PYTHON, RUST = "python/trajmeter/kernels/_python/lines.py", "rust/core/src/lines.rs"

EARLY = "2534adf407a4e4452ebe574e782492753e162ce9"
LATE = "5b4b82e8b481873efda29985b2ce5d30fbb019fc"
EXPECTED = {
    (EARLY, PYTHON): [
        ("function_definition", 25, 36, "line_starts"),
        ("function_definition", 39, 74, "lines_to_bytes"),
        ("function_definition", 77, 114, "lines_to_bytes_batched"),
        ("function_definition", 117, 146, "bytes_to_lines"),
        ("function_definition", 149, 158, "_checked"),
        ("function_definition", 161, 168, "_bytes_of"),
        ("function_definition", 171, 173, "_arrays"),
    ],
    (EARLY, RUST): [
        ("function_item", 14, 19, "line_starts"),
        ("struct_item", 23, 28, "LineTable"),
        ("impl_item", 30, 64, "LineTable"),
        ("function_item", 38, 47, "bytes"),
        ("function_item", 51, 63, "lines"),
        ("function_item", 71, 76, "lines_to_bytes"),
        ("function_item", 85, 114, "lines_to_bytes_batched"),
        ("function_item", 121, 128, "bytes_to_lines"),
    ],
    (LATE, PYTHON): [
        ("function_definition", 24, 35, "line_starts"),
        ("function_definition", 38, 67, "bytes_to_lines"),
        ("function_definition", 70, 72, "_arrays"),
    ],
    (LATE, RUST): [
        ("function_item", 14, 19, "line_starts"),
        ("struct_item", 23, 28, "LineTable"),
        ("impl_item", 30, 46, "LineTable"),
        ("function_item", 33, 45, "lines"),
        ("function_item", 54, 61, "bytes_to_lines"),
    ],
}


def _definitions(snapshot: Snapshot, path: str) -> list[tuple[str, int, int, str | None]]:
    file = snapshot.files[path]
    starts, found = file.line_starts.tolist(), file.definitions
    assert found is not None
    return [
        (kind, bisect_right(starts, start), bisect_right(starts, end - 1), name)
        for kind, start, end, name in zip(
            found.kind, found.start.tolist(), found.end.tolist(), found.name, strict=True
        )
    ]


@pytest.fixture
def repository() -> Path:
    if git_folder(ROOT) is None:
        pytest.skip("these sources are no git repository")
    if None in map(GitRepository(ROOT).commit, (EARLY, LATE)):
        pytest.skip("this clone lacks the commits; fetch the whole history")
    return ROOT


def test_definitions_at_two_commits_with_and_without_cache(
    repository: Path, tmp_path: Path
) -> None:
    for cache in (False, tmp_path, tmp_path):  # without, cold, warm
        for commit in (EARLY, LATE):
            snapshot = take_snapshot(repository, commit=commit, paths=[PYTHON, RUST], cache=cache)
            assert [*snapshot.files] == [PYTHON, RUST]
            for path in (PYTHON, RUST):
                assert _definitions(snapshot, path) == EXPECTED[commit, path]
