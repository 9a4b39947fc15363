"""Results of Agentless: one object a task, and folders of its stages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import (
    ranges,
    read,
    read_as_contextbench,
    read_one,
    turns_of,
    write_lines,
)
from trajmeter.errors import ReadError
from trajmeter.records import Extent, View

if TYPE_CHECKING:
    from pathlib import Path

RECORD: dict[str, Any] = {
    "instance_id": "acme__fix-1",
    "2_embedding_selected_files": ["a.py", "b.py", "c.py"],
    "3_final_combined_files": ["a.py", "b.py"],
    "4_related_elements": {"a.py": ["function: f\nclass: A.g\n", "variable: x\nfunction: f"]},
    "5_sampled_edit_locs_and_patches": [
        {"edit_locs": {"a.py": ["function: f"]}},
        {"edit_locs": {"a.py": ["line: 9\nlines: 20-10\nline: 21"], "c.py": ["lines: 1 - 2"]}},
        {"edit_locs": {"a.py": ["line: 99"]}},
    ],
    "6_final_selected_patch": "diff …",
}


def lines(path: str, start: int, end: int, *, listed: bool = True) -> View:
    return View(path=path, extent=Extent.LINES, start=start, end=end, listed=listed)


def test_the_final_choice_of_the_stages_is_the_only_step(tmp_path: Path) -> None:
    (tmp_path / "acme__fix-1_traj.json").write_text(json.dumps(RECORD, indent=1))
    attempt = read_one(tmp_path / "acme__fix-1_traj.json")
    assert (attempt.task_id, attempt.agent) == ("acme__fix-1", "agentless")
    assert attempt.final_patch == "diff …"
    assert attempt.final_views == (
        View(path="a.py"),
        View(path="b.py"),
        lines("a.py", 9, 21),  # 9, 10-20 (reversed) and 21 touch
        lines("c.py", 1, 2, listed=False),
        View(path="a.py", symbols=("f", "A.g", "x")),
    )
    (turn,) = turns_of(attempt)
    assert turn.views == attempt.final_views


def test_without_an_id_or_a_third_stage(tmp_path: Path) -> None:
    record = {"2_embedding_selected_files": ["a.py"], "4_related_elements": None}
    (tmp_path / "acme__fix.js-2_traj.json").write_text(json.dumps(record))
    attempt = read_one(tmp_path / "acme__fix.js-2_traj.json")
    assert attempt.task_id == "acme__fix.js-2"
    assert attempt.final_views == (View(path="a.py"),)
    assert attempt.final_patch is None


def located(**fields: Any) -> dict[str, Any]:
    return {"instance_id": "acme__fix-1", **fields}


def test_a_folder_with_merged_locations(tmp_path: Path) -> None:
    folder = tmp_path / "7_acme__fix-1"
    merged = located(
        found_files=["a.py"],
        found_related_locs={"a.py": ["function: f"]},
        found_edit_locs={"a.py": ["line: 3"]},
    )
    write_lines(folder / "edit_location_individual" / "loc_merged_1-1_outputs.jsonl", merged)
    write_lines(
        folder / "edit_location_individual" / "loc_merged_2-2_outputs.jsonl",
        located(found_files=["z.py"]),
    )
    write_lines(folder / "file_level" / "loc_outputs.jsonl", located(found_files=["y.py"]))
    write_lines(
        folder / "all_preds.jsonl", located(model_patch="diff …"), {"instance_id": "x", "n": 1}
    )
    attempt = read_one(folder)
    assert attempt.task_id == "acme__fix-1"
    assert attempt.final_patch == "diff …"
    assert attempt.final_views == (
        View(path="a.py"),
        lines("a.py", 3, 3),
        View(path="a.py", symbols=("f",)),
    )


def test_a_folder_without_merged_locations_unites_its_stages(tmp_path: Path) -> None:
    folder = tmp_path / "0_acme__fix-1"
    write_lines(
        folder / "file_level_combined" / "combined_locs.jsonl", located(found_files=["a.py"])
    )
    write_lines(folder / "file_level" / "loc.jsonl", located(found_files=["b.py", "a.py"]), "{")
    samples = [{"a.py": [""]}, {"a.py": ["line: 5"]}]
    write_lines(folder / "edit_location_samples" / "loc.jsonl", located(found_edit_locs=samples))
    (attempt,), problems = read(folder)
    assert attempt.final_views == (View(path="a.py"), View(path="b.py"), lines("a.py", 5, 5))
    assert attempt.final_patch is None
    assert [problem.line for problem in problems] == [2]


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "0_a" / "file_level_combined").mkdir(parents=True)
    attempts, problems = read(tmp_path / "0_a")
    assert attempts == []
    assert problems[0].message == "none of the stages of Agentless in the folder can be read"


def test_a_folder_may_hold_only_the_patch_of_its_task(tmp_path: Path) -> None:
    write_lines(tmp_path / "0_acme__fix-1" / "all_preds.jsonl", located(model_patch="diff …"))
    for place in (tmp_path, tmp_path / "0_acme__fix-1"):
        attempt = read_one(place)
        assert (attempt.task_id, attempt.agent) == ("acme__fix-1", "agentless")
        assert attempt.final_patch == "diff …"
        assert (attempt.turns, attempt.final_views) == (None, None)


def test_predictions_of_other_tasks_are_not_one_task(tmp_path: Path) -> None:
    other = located(model_patch="diff …") | {"instance_id": "acme__fix-2"}
    write_lines(tmp_path / "0_acme__fix-1" / "all_preds.jsonl", located(model_patch=""), other)
    attempts, problems = read(tmp_path)
    assert [attempt.task_id for attempt in attempts] == ["acme__fix-1", "acme__fix-2"]
    assert problems == []


def test_under_the_profile_only_what_agentless_writes_counts(tmp_path: Path) -> None:
    record = {
        "instance_id": "acme__fix-1",
        "2_embedding_selected_files": ["c.py"],
        "3_final_combined_files": ["b.py", "", "a.py", "b.py"],
        "4_related_elements": {
            "a.py": ["method: A.h\nfunction: class: f\nClass: G", ["class: x"]],
            "b.py": "function: g",
        },
        "5_sampled_edit_locs_and_patches": [
            {"edit_locs": {"a.py": ["line: 9\nlines: 12\nline: 3-4\nLines: 5-6\nlines: 11-10"]}},
            {"edit_locs": {"a.py": ["line: 99"]}},
        ],
    }
    (tmp_path / "a_traj.json").write_text(json.dumps(record))
    attempt = read_as_contextbench(tmp_path / "a_traj.json")
    assert attempt.final_views == (
        View(path="b.py"),
        View(path="a.py"),
        lines("a.py", 9, 11),
        View(path="a.py", symbols=("f",)),
    )
    (turn,) = turns_of(attempt)
    assert turn.views == attempt.final_views


def test_under_the_profile_a_sample_that_mentions_lines_is_chosen(tmp_path: Path) -> None:
    samples = [{"edit_locs": {"a.py": ["inline: 3"]}}, {"edit_locs": {"a.py": ["line: 4"]}}]
    record = {"3_final_combined_files": ["a.py"], "5_sampled_edit_locs_and_patches": samples}
    (tmp_path / "a_traj.json").write_text(json.dumps(record))
    assert read_as_contextbench(tmp_path / "a_traj.json").final_views == (View(path="a.py"),)


def test_under_the_profile_merged_locations_exclude_the_stages(tmp_path: Path) -> None:
    folder = tmp_path / "7_acme__fix-1"
    places = {"a.py": ["class: A\nline: 3"], "b.py": ["lines: 9-7"]}
    write_lines(
        folder / "edit_location_individual" / "loc_merged_1-1_outputs.jsonl",
        {"inst_id": "acme__fix-1", "found_files": ["a.py"], "found_edit_locs": places},
        located(found_edit_locs={"a.py": ["line: 5"]}),
        {"found_files": ["x.py"]},
    )
    write_lines(folder / "file_level" / "loc_outputs.jsonl", located(found_files=["y.py"]))
    patches = [located(model_patch="first"), located(model_patch="last")]
    write_lines(folder / "all_preds.jsonl", *patches)
    attempt = read_as_contextbench(folder)
    assert attempt.final_patch == "first"
    assert attempt.final_views == (
        View(path="a.py"),
        lines("a.py", 3, 3),
        lines("a.py", 5, 5),
        lines("b.py", 7, 9, listed=False),
        View(path="a.py", symbols=("A",)),
    )
    merged = folder / "edit_location_individual" / "loc_merged_1-1_outputs.jsonl"
    write_lines(merged, {"instance_id": "other", "found_files": ["z.py"]})
    assert read_as_contextbench(folder).final_views == ()


def test_under_the_profile_each_stage_contributes_what_it_is_for(tmp_path: Path) -> None:
    folder = tmp_path / "0_acme__fix-1"
    everything = {
        "found_related_locs": {"a.py": ["function: f"]},
        "found_edit_locs": [{"a.py": ["line: 5"]}, {"a.py": ["line: 9"]}],
    }
    for stage, name in (
        ("file_level_combined/combined_locs.jsonl", "combined.py"),
        ("file_level/loc.jsonl", "located.py"),
        ("related_elements/loc.jsonl", "related.py"),
        ("edit_location_samples/loc.jsonl", "sampled.py"),
    ):
        write_lines(folder / stage, located(found_files=[name], **everything))
    assert ranges(read_as_contextbench(folder).final_views) == [
        ("combined.py", None, None),
        ("a.py", 5, 5),
        ("a.py", 9, 9),
        ("a.py", None, None),
    ]
    write_lines(folder / "file_level_combined" / "combined_locs.jsonl", located(found_files=[]))
    assert ranges(read_as_contextbench(folder).final_views)[0] == ("located.py", None, None)
    chosen = located(found_files=["used.py"], files=["more.py"])
    write_lines(folder / "file_level_combined" / "model_used_locs.jsonl", chosen)
    named = [path for path, *_ in ranges(read_as_contextbench(folder).final_views)[:2]]
    assert named == ["used.py", "more.py"]


def test_under_the_profile_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "0_a" / "file_level_combined").mkdir(parents=True)
    with pytest.raises(ReadError, match="none of the stages of Agentless"):
        read_as_contextbench(tmp_path / "0_a")
