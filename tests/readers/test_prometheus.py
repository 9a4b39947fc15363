"""Logs of Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.readers.logs import ranges, read_as_contextbench, read_one, seen, turns_of

if TYPE_CHECKING:
    from pathlib import Path

LOG = """2026-03-01 INFO begins
File: not/in/a/block.py
--- BEGIN CONTEXT ---
File: /testbed/src/a.py
Line number range: 40 - 10
def f(): ...
LINE NUMBER RANGE: 41-50
The text says: Line number range: 1-2
File: /workspace/repo/src\\b.py
File: c.py
Line number range: 3-3
--- END CONTEXT ---
--- BEGIN CONTEXT ---
nothing
--- END CONTEXT ---
--- BEGIN CONTEXT ---
File: cut.py
"""
FINAL = """--- BEGIN AGGREGATED CONTEXT ---
File: d.py
Line number range: 1-2
--- END AGGREGATED CONTEXT ---
--- BEGIN AGGREGATED CONTEXT ---
--- END AGGREGATED CONTEXT ---
"""


def test_each_block_is_a_step(tmp_path: Path) -> None:
    (tmp_path / "acme__fix-1.log").write_text(LOG)
    attempt = read_one(tmp_path / "acme__fix-1.log")
    assert (attempt.task_id, attempt.agent) == ("acme__fix-1", "prometheus")
    first, second = turns_of(attempt)
    # A file without a range is left out; the ranges of a file that touch are one.
    assert seen(first)[2:] == [("src/a.py", 10, 50), ("c.py", 3, 3)]
    assert [path for path, *_ in seen(first)[:2]] == ["src/a.py", "c.py"]
    assert second.views == ()
    assert attempt.final_views is None  # what the steps saw together


def test_the_last_aggregated_block_with_a_range_is_the_final_context(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG + FINAL)
    attempt = read_one(tmp_path / "a.log")
    assert [(v.path, v.start, v.end) for v in attempt.final_views or ()] == [
        ("d.py", None, None),
        ("d.py", 1, 2),
    ]
    assert len(turns_of(attempt)) == 2


def test_a_final_context_without_steps_is_the_step(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(FINAL.encode() + b"\xff\xfe not UTF-8\n")
    attempt = read_one(tmp_path / "a.log")
    (turn,) = turns_of(attempt)
    assert turn.views == attempt.final_views


def test_a_marker_far_down_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("INFO\n" * 20_000 + LOG)
    assert len(turns_of(read_one(tmp_path / "a.log"))) == 2


def test_backslashes_are_slashes(tmp_path: Path) -> None:
    block = (
        "--- BEGIN CONTEXT ---\nFile: src\\\\x\\a.py\nLine number range: 1-1\n--- END CONTEXT ---\n"
    )
    (tmp_path / "a.log").write_text(block)
    (turn,) = turns_of(read_one(tmp_path / "a.log"))
    assert seen(turn)[1] == ("src/x/a.py", 1, 1)


def test_under_the_profile_blocks_without_a_range_are_not_steps(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG)
    attempt = read_as_contextbench(tmp_path / "a.log")
    (turn,) = turns_of(attempt)
    assert attempt.final_views == turn.views  # the union of the steps


def test_under_the_profile_the_last_aggregated_block_decides(tmp_path: Path) -> None:
    block = "--- BEGIN CONTEXT ---\nFile: a.py\nLine number range: %s\n--- END CONTEXT ---\n"
    (tmp_path / "a.log").write_text(block % "4-6" + FINAL + block % "7-9")
    attempt = read_as_contextbench(tmp_path / "a.log")
    assert ranges(attempt.final_views) == [("a.py", None, None), ("a.py", 4, 9)]
    (tmp_path / "a.log").write_text(FINAL[: FINAL.rindex("--- BEGIN")])
    attempt = read_as_contextbench(tmp_path / "a.log")
    (turn,) = turns_of(attempt)
    assert turn.views == attempt.final_views
    assert ranges(attempt.final_views)[1:] == [("d.py", 1, 2)]


def test_under_the_profile_a_block_ends_at_its_own_marker(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "--- BEGIN CONTEXT --- File: a.py\rLine number range: 1-2\n"
        "--- BEGIN CONTEXT ---\n--- BEGIN AGGREGATED CONTEXT ---\nFile: b.py\n"
        "--- END AGGREGATED CONTEXT ---\nLine number range: 3-4\n--- END CONTEXT ---\n"
    )
    (turn,) = turns_of(read_as_contextbench(tmp_path / "a.log"))
    assert [view for view in seen(turn) if view[1]] == [("a.py", 1, 2), ("b.py", 3, 4)]


def test_spaces_in_labels_and_files_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "--- BEGIN CONTEXT ---\nFile: /workspace/a.py\nLine  number range : 1-2\n"
        "File: \nLine number range: 3-4\n--- END CONTEXT ---\n"
    )
    (turn,) = turns_of(read_one(tmp_path / "a.log"))
    assert seen(turn) == [("a.py", None, None), ("a.py", 1, 2)]


def test_blanks_within_a_name_are_kept_however_many(tmp_path: Path) -> None:
    name = f"a{' ' * 200_000}b.py"
    (tmp_path / "a.log").write_text(
        f"--- BEGIN CONTEXT ---\nFile:\t{name} \nLine number range: 1-2\n--- END CONTEXT ---\n"
    )
    (turn,) = turns_of(read_one(tmp_path / "a.log"))
    assert seen(turn) == [(name, None, None), (name, 1, 2)]
