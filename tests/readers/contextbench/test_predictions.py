"""ContextBench predictions, one record at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import JsonValue, ValidationError

from trajmeter.errors import ReadError
from trajmeter.readers import read_trajectories
from trajmeter.readers._recognition.prediction_keys import PREDICTION_KEYS
from trajmeter.readers.contextbench import PREDICTIONS, predictions
from trajmeter.records import Extent, Source, Trajectory, Turn, View
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = Source(file="p.jsonl", line=7)


def read(record: dict[str, JsonValue]) -> Trajectory:
    assert PREDICTIONS.recognises(record)
    return PREDICTIONS.read(record, SOURCE)


def span(start: JsonValue, end: JsonValue) -> dict[str, JsonValue]:
    return {"type": "line", "start": start, "end": end}


def lines(path: str, start: int, end: int, *, listed: bool = True) -> View:
    return View(path=path, extent=Extent.LINES, start=start, end=end, listed=listed)


def test_the_keys_known_apart_from_the_format_are_those_it_reads() -> None:
    assert vars(predictions)["_Prediction"].__annotations__.keys() == PREDICTION_KEYS


def test_a_whole_record() -> None:
    trajectory = read(
        {
            "instance_id": "acme__widget-12",
            "traj_data": {
                "pred_steps": [
                    {"files": ["src/a.py"], "spans": {"src/a.py": [span(10, 40), span(5, 6)]}},
                    {"files": [], "spans": {}},
                    {"files": ["src/b.py"], "symbols": {"src/b.py": ["Widget.draw"]}},
                ],
                "pred_files": ["src/a.py"],
                "pred_spans": {"src/a.py": [span(10, 40)]},
                "pred_symbols": {},
            },
            "model_patch": "diff --git …",
        }
    )
    assert trajectory == Trajectory(
        task_id="acme__widget-12",
        source=SOURCE,
        turns=(
            Turn(views=(View(path="src/a.py"), lines("src/a.py", 10, 40), lines("src/a.py", 5, 6))),
            Turn(views=()),
            Turn(views=(View(path="src/b.py"), View(path="src/b.py", symbols=("Widget.draw",)))),
        ),
        final_views=(View(path="src/a.py"), lines("src/a.py", 10, 40)),
        final_patch="diff --git …",
    )


def test_views_come_file_by_file_then_span_by_span_then_names() -> None:
    step: dict[str, JsonValue] = {
        "symbols": {"z.py": ["f", "f"], "a.py": [], "b.py": ["g"]},
        "spans": {"z.py": [span(3, 1)], "b.py": [span(0, -1), span(2, 2**63 - 1)], "e.py": []},
        "files": ["b.py", "a.py", "b.py"],
    }
    (turn,) = read({"instance_id": "i", "traj_data": {"pred_steps": [step]}}).turns or ()
    assert turn.views == (
        # As listed, the file listed twice included.
        View(path="b.py"),
        View(path="a.py"),
        View(path="b.py"),
        # Ranges as recorded: reversed, zero and negative ones are for the metric to judge.
        lines("z.py", 3, 1, listed=False),
        lines("b.py", 0, -1),
        lines("b.py", 2, 2**63 - 1),
        View(path="z.py", symbols=("f", "f"), listed=False),
        View(path="b.py", symbols=("g",)),
    )


@pytest.mark.parametrize(
    ("data", "turns", "final_views"),
    [
        ({}, None, None),
        (None, None, None),
        ({"pred_steps": None, "pred_files": None}, None, None),
        ({"pred_steps": []}, (), None),
        ({"pred_files": []}, None, ()),
        ({"pred_spans": {}}, None, ()),
        ({"pred_steps": [{}]}, (Turn(views=()),), None),
        ({"pred_steps": [{"files": None, "spans": {"a": None}}]}, (Turn(views=()),), None),
    ],
)
def test_what_is_not_recorded_is_not_empty(
    data: JsonValue, turns: tuple[Turn, ...] | None, final_views: tuple[View, ...] | None
) -> None:
    trajectory = read({"instance_id": "i", "traj_data": data})
    assert (trajectory.turns, trajectory.final_views) == (turns, final_views)
    assert trajectory.final_patch is None


def test_an_empty_patch_is_kept_apart_from_none() -> None:
    assert read({"instance_id": "i", "model_patch": ""}).final_patch == ""
    assert read({"instance_id": "i", "model_patch": None}).final_patch is None


def test_a_model_is_taken_where_it_is_named() -> None:
    trajectory = read({"instance_id": "i", "model_name_or_path": "toy-7b", "model_patch": ""})
    assert trajectory.model == "toy-7b"
    assert trajectory.agent is None
    assert trajectory.extra == {}


@pytest.mark.parametrize("missing", [{}, {"instance_id": None}, {"instance_id": ""}])
def test_the_upstream_id_stands_in(missing: dict[str, JsonValue]) -> None:
    trajectory = read({**missing, "original_inst_id": "up-1", "traj_data": {}})
    assert trajectory.task_id == "up-1"
    assert trajectory.extra == {}


def test_a_record_without_id_is_refused() -> None:
    with pytest.raises(ReadError, match="no id: expected instance_id or original_inst_id"):
        read({"traj_data": {}})


def test_unknown_keys_are_kept_where_they_stood() -> None:
    trajectory = read(
        {
            "instance_id": "i",
            "original_inst_id": "up-1",
            "repo_url": "https://example.org/acme/widget",
            "commit": "c0ffee",
            "traj_data": {"pred_steps": [{"files": [], "tool": "cat"}, {}], "note": [1]},
        }
    )
    assert trajectory.extra == {
        "original_inst_id": "up-1",
        "repo_url": "https://example.org/acme/widget",
        "commit": "c0ffee",
        "traj_data": {"note": [1]},
    }
    assert trajectory.turns == (Turn(views=(), extra={"tool": "cat"}), Turn(views=()))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"instance_id": 7}, "instance_id: expected text, got 7"),
        ({"model_patch": {}}, "model_patch: expected text, got {}"),
        ({"traj_data": []}, "traj_data: expected an object, got []"),
        (
            {"traj_data": {"pred_files": "a.py"}},
            'pred_files: expected a list, got "a.py"',
        ),
        ({"traj_data": {"pred_files": [1]}}, "traj_data.pred_files[0]: expected text, got 1"),
        (
            {"traj_data": {"pred_steps": [{}, {"spans": {"a.py": [{"start": 1}]}}]}},
            'traj_data.pred_steps[1].spans.a.py[0].end: required, but missing from {"start": 1}',
        ),
        (
            {"traj_data": {"pred_spans": {"a.py": [span(1, None)]}}},
            "traj_data.pred_spans.a.py[0].end: expected an integer, got null",
        ),
        (
            {"traj_data": {"pred_spans": {"a.py": [span(1, 2**63)]}}},
            "traj_data.pred_spans.a.py[0].end: expected at most 9223372036854775807, got 9",
        ),
        (
            {"traj_data": {"pred_spans": {"a.py": [span(1.5, 2)]}}},
            "traj_data.pred_spans.a.py[0].start: expected an integer, got 1.5",
        ),
        (
            {"traj_data": {"pred_spans": {"a.py": [[1, 2]]}}},
            "traj_data.pred_spans.a.py[0]: expected an object, got [1, 2]",
        ),
    ],
)
def test_a_wrong_value_is_reported_with_its_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        read({"instance_id": "i", "traj_data": {}, **changes})
    assert message in describe_error(caught.value)


def test_every_published_prediction_is_read_whole(reference_data: Path) -> None:
    files = sorted((reference_data / "contextbench").glob("**/*preds*.jsonl"))
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    trajectories = list(read_trajectories(files))
    assert len(trajectories) == len(records) == 250
    for record, trajectory in zip(records, trajectories, strict=True):
        data = record["traj_data"]
        contexts = [
            *((s["files"], s["spans"], {}) for s in data["pred_steps"]),
            (data["pred_files"], data["pred_spans"], data.get("pred_symbols", {})),
        ]
        views = [turn.views or () for turn in trajectory.turns or ()]
        views.append(trajectory.final_views or ())
        assert trajectory.task_id == record["instance_id"]
        assert trajectory.final_patch == record["model_patch"]
        assert trajectory.extra == {}
        for (files, spans, symbols), seen in zip(contexts, views, strict=True):
            assert len(seen) == len(files) + len(symbols) + sum(map(len, spans.values()))
