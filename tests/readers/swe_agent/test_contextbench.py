"""The files that ContextBench adds to runs of SWE-agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.logs import ranges, read_as_contextbench
from tests.readers.swe_agent.runs import CALLS, run, step
from trajmeter.errors import ReadError
from trajmeter.readers import read_trajectories
from trajmeter.readers.swe_agent import CHECKPOINTS, CONTEXT
from trajmeter.records import Extent, Failure, Source, View

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem


def checkpoints(folder: Path, *lines: object) -> Path:
    path = folder / "acme__widget-12.checkpoints.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_checkpoints(tmp_path: Path) -> None:
    (trajectory,) = read_trajectories(checkpoints(tmp_path, *CALLS))
    assert trajectory.task_id == "acme__widget-12"
    shown = [turn.views for turn in trajectory.turns or ()]
    assert [[(view.start, view.end) for view in found or ()] for found in shown] == [
        [(10, 11)],
        [(1, 1)],
    ]
    assert trajectory.final_views == (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=10, end=11),
    )


def test_checkpoints_report_lines_of_another_kind(tmp_path: Path) -> None:
    path = checkpoints(tmp_path, *CALLS)
    path.write_text(path.read_text() * 10 + "{\n[]\n")
    problems: list[Any] = []
    (trajectory,) = read_trajectories(path, on_problem=problems.append)
    assert len(trajectory.turns or ()) == 20
    assert [problem.line for problem in problems] == [31, 32]
    with pytest.raises(ReadError, match="31"):
        list(read_trajectories(path))


def test_checkpoints_under_the_profile(tmp_path: Path) -> None:
    read_under = CHECKPOINTS.profile_records["contextbench"]
    problems: list[ReadProblem] = []
    (trajectory,) = read_under(checkpoints(tmp_path, *CALLS[:2]), problems.append)
    assert not problems
    step_views = (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=10, end=11),
    )
    assert [turn.views for turn in trajectory.turns or ()] == [step_views]
    assert trajectory.final_views == step_views  # of the last step, as none was declared


@pytest.mark.parametrize(
    ("action", "shown"),
    [
        ("cd /x && str_replace_editor view /testbed/a.py --view_range 3 9", ("a.py", 3, 9)),
        ("str_replace_editor view 'a.py' --view_range 9 3\n", ("'a.py'", 9, 3)),
        ("str_replace_editor view  a.py  --view_range 3 9 > x", ("a.py", 3, 9)),
        ("str_replace_editor view a.py --view_range [3, 9]", None),
        ("str_replace_editor view a.py --concise --view_range 3 9", None),
        ("str_replace_editor view 'a b.py' --view_range 3 9", None),
        ("str_replace_editor view a.py --view_range 3 -1", None),
        ("str_replace_editor view a.py --view_range 0 9", None),
        ("str_replace_editor view a.py; str_replace_editor view b.py --view_range 1 2", None),
    ],
)
def test_what_the_profile_counts_as_a_step(
    tmp_path: Path, action: str, shown: tuple[str, int, int] | None
) -> None:
    path = checkpoints(tmp_path, {**CALLS[0], "action": action})
    trajectory = read_as_contextbench(path)
    steps = [ranges(turn.views)[1:] for turn in trajectory.turns or ()]
    assert steps == ([] if shown is None else [[shown]])


def test_a_blank_declared_context_is_the_final_one_under_the_profile(tmp_path: Path) -> None:
    path = checkpoints(tmp_path, *CALLS, {"type": "patch_context", "patch_context": " ", "step": 4})
    assert read_as_contextbench(path).final_views == ()


def test_files_with_ranges_count_as_viewed_under_the_profile() -> None:
    record: dict[str, Any] = {
        "viewed_files": [],
        "file_line_ranges": {
            "/testbed/a.py": [{"start": 3, "end": 4, "type": "edit"}],
            "a.py": [{"start": 7, "type": "view"}],
        },
    }
    source = Source(file="acme__widget-12.context.json")
    under = CONTEXT.profile_reads["contextbench"](record, source)
    assert ranges(under.final_views) == [("a.py", None, None), ("a.py", 3, 4), ("a.py", 7, 1)]
    assert all(view.listed for view in under.final_views or ())
    record["file_line_ranges"]["a.py"][0]["end"] = 9
    viewed = View(path="a.py", extent=Extent.LINES, start=7, end=9, listed=False)
    assert CONTEXT.read(record, source).final_views == (viewed,)
    record["file_line_ranges"]["./a.py"] = record["file_line_ranges"]["a.py"]
    record["file_line_ranges"]["/a.py"] = [{"start": 1, "end": 2, "type": "view"}]
    both = CONTEXT.read(record, source).final_views
    assert ranges(both) == [("a.py", 7, 9), ("a.py", 1, 2), ("./a.py", 7, 9)]


@pytest.mark.parametrize("end", [10**30, "1" * 30, 1e30])
def test_numbers_beyond_64_bits_are_cut(end: Any, tmp_path: Path) -> None:
    record = {"viewed_files": [], "file_line_ranges": {"a.py": [{"start": 1, "end": end}]}}
    path = tmp_path / "a.context.json"
    path.write_text(json.dumps(record))
    (trajectory,) = read_trajectories(path)
    assert [each[1:] for each in ranges(trajectory.final_views)] == [(1, 2**63 - 1)]
    assert as_batches(path)[0] == as_records(path)


def test_lines_after_a_file_without_a_name_belong_to_none(tmp_path: Path) -> None:
    path = tmp_path / "patch_context.txt"
    path.write_text("File: a.py\nLines: 1-2\nFile:\nLines: 5-9\n")
    (trajectory,) = read_trajectories(path)
    assert ranges(trajectory.final_views) == [("a.py", None, None), ("a.py", 1, 2)]


def test_context_summary() -> None:
    record: dict[str, Any] = {
        "viewed_files": ["/testbed/a.py", "/testbed/b.py"],
        "edited_files": ["/testbed/a.py"],
        "file_line_ranges": {
            "/testbed/a.py": [
                {"start": 1, "end": 9, "type": "view"},
                {"start": 3, "end": 4, "type": "edit"},
            ]
        },
        "info": {"exit_status": "submitted", "submission": "diff"},
    }
    assert CONTEXT.recognises(record)
    source = Source(file="acme__widget-12.context.json")
    files = (View(path="a.py"), View(path="b.py"))
    viewed = View(path="a.py", extent=Extent.LINES, start=1, end=9)
    edited = View(path="a.py", extent=Extent.LINES, start=3, end=4)
    trajectory = CONTEXT.read(record, source)
    assert trajectory.final_views == (*files, viewed)
    assert (trajectory.task_id, trajectory.final_patch) == ("acme__widget-12", "diff")
    assert trajectory.final_output == "diff"
    ended = {status: {**record, "info": {"exit_status": status}} for status in ("exit_cost", None)}
    failures = [CONTEXT.read(each, source).failure for each in ended.values()]
    assert failures == [Failure(reason="budget_exhausted"), None]
    under = CONTEXT.profile_reads["contextbench"](record, source)
    assert under.final_views == (*files, viewed, edited)


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("acme__widget-12/patch_context.txt", "acme__widget-12"),
        ("runs/acme__widget-12.patch_context.txt", "acme__widget-12"),
        ("runs/patch_context.txt", "runs"),
    ],
)
def test_a_declared_context_in_text(tmp_path: Path, name: str, task: str) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text("File: /testbed/a.py\nLines: 1-9\nLines: 20-30\nFile: b.py\nLines: 5\n")
    (trajectory,) = read_trajectories(path)
    assert (trajectory.task_id, trajectory.turns) == (task, None)
    assert trajectory.final_views == (
        View(path="a.py"),
        View(path="b.py"),
        View(path="a.py", extent=Extent.LINES, start=1, end=9),
        View(path="a.py", extent=Extent.LINES, start=20, end=30),
    )


@pytest.mark.parametrize(
    "text",
    [
        "File: b.py\nFile: /testbed/a.py\nLines: 1-9\n",
        "<PATCH_CONTEXT>\nFile: b.py\nFile: a.py\nLines: 1-9\n</PATCH_CONTEXT>",
    ],
)
def test_a_declared_context_is_known_by_its_name_and_a_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "acme__widget-12.patch_context.txt"
    path.write_text(text)
    (trajectory,) = read_trajectories(path)
    assert trajectory.final_views == (
        View(path="b.py"),
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=1, end=9),
    )
    path.write_text("no file")
    assert [*read_trajectories(path, on_problem=lambda _: None)] == []


@pytest.mark.parametrize(
    ("profiles", "best"), [((), "a.traj"), (("contextbench",), "a.checkpoints.jsonl")]
)
def test_the_files_of_one_run_are_one_attempt(
    tmp_path: Path, profiles: tuple[str, ...], best: str
) -> None:
    contents = {
        "a.traj": json.dumps(run(step("ls"))),
        "a.checkpoints.jsonl": json.dumps(CALLS[0]),
        "a.context.json": json.dumps({"viewed_files": ["a.py"], "file_line_ranges": {}}),
        "patch_context.txt": "File: a.py\nLines: 1-2\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    with pytest.warns(UserWarning, match="left out, because predictions and summaries beside logs"):
        (trajectory,) = read_trajectories(tmp_path, profiles=profiles)
    assert trajectory.source is not None
    assert trajectory.source.file == str(tmp_path / best)
    (tmp_path / best).unlink()
    with pytest.warns(UserWarning, match="left out, because"):
        assert len([*read_trajectories(tmp_path, profiles=profiles)]) == 1
