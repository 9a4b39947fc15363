"""Evaluators that are functions, by themselves and in the hosts that call them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from trajmeter.errors import UnknownNameError
from trajmeter.hosts.callables import evaluator
from trajmeter.records import Trajectory


def _run(path: str) -> list[dict[str, Any]]:
    arguments = f'{{"path": "{path}"}}'
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": arguments}}
    return [{"role": "assistant", "content": "", "tool_calls": [call]}]


WITHIN_ITSELF: dict[str, Any] = {}
WITHIN_ITSELF["name"] = WITHIN_ITSELF
EXPECTED = {"expected_tool_calls": [{"name": "read", "arguments": {"path": "a"}}]}


@pytest.mark.parametrize("reference", [EXPECTED, _run("a"), {"messages": _run("a")}])
def test_references_of_every_shape(reference: Any) -> None:
    judged = evaluator("tools.f1")
    assert judged(outputs=_run("a"), reference_outputs=reference)["score"] == 1.0
    wrong = judged(outputs={"messages": _run("b")}, reference_outputs=reference, inputs={"q": 1})
    assert (wrong["key"], wrong["score"]) == ("tools.f1", 0.0)
    assert "expected 'a', got 'b'" in wrong["comment"]


@pytest.mark.parametrize(
    ("outputs", "reference", "comment"),
    [
        (_run("a"), {}, "missing_task"),
        (_run("a"), None, "missing_task"),
        (_run("a"), Trajectory(task_id="t"), "missing_task"),
        (_run("a"), {"max_turns": 3}, "abstained"),
        ({"answer": 3}, EXPECTED, "invalid_input"),
        (3, EXPECTED, "invalid_input"),
        (_run("a"), {"expected_tool_calls": 3}, "invalid_input"),
        (_run("a"), {"expected_tool_calls": '["\ud800"]'}, "invalid_input"),
        (_run("a"), {"expected_tool_calls": [WITHIN_ITSELF]}, "invalid_input"),
        (_run("a"), [("user", "q"), *_run("a")], "invalid_input: reference_outputs: messages[0]"),
        ([("user", "q"), ("ai", "done")], EXPECTED, "invalid_input: none of the messages"),
        (Trajectory(task_id="t"), EXPECTED, "missing_calls"),
    ],
)
def test_what_is_not_scored_has_no_score(outputs: Any, reference: Any, comment: str) -> None:
    found = evaluator("tools.f1")(outputs=outputs, reference_outputs=reference)
    assert found["score"] is None
    assert found["comment"].startswith(comment)


def test_malformed_arguments_are_wrong_calls() -> None:
    run = _run("a")
    run[0]["tool_calls"][0]["function"]["arguments"] = "{"
    found = evaluator("tools.exact", key="right")(outputs=run, reference_outputs=EXPECTED)
    assert (found["key"], found["score"]) == ("right", False)
    assert "malformed" in found["comment"]


def test_an_unknown_figure_is_reported_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no figure"):
        evaluator("tools.f2")


def test_what_langsmith_reports() -> None:
    langsmith = pytest.importorskip("langsmith", reason="LangSmith is not installed")
    from langsmith import schemas

    data_set = uuid.uuid4()
    examples = [
        schemas.Example(
            id=uuid.uuid4(), dataset_id=data_set, inputs={"path": path}, outputs=reference
        )
        for path, reference in [("a", EXPECTED), ("b", EXPECTED), ("a", None)]
    ]
    results = langsmith.evaluate(
        lambda inputs: {"messages": _run(inputs["path"])},
        data=examples,
        evaluators=[evaluator("tools.f1"), evaluator("tools.exact")],
        client=langsmith.Client(api_key="none", api_url="http://127.0.0.1:9"),
        upload_results=False,
    )
    found = {
        (tuple(row["example"].inputs.values()), bool(row["example"].outputs)): {
            each.key: (each.score, each.comment) for each in row["evaluation_results"]["results"]
        }
        for row in results
    }
    assert found[("a",), True]["tools.f1"] == (1.0, None)
    assert found[("b",), True]["tools.f1"][0] == 0.0
    score, comment = found[("a",), False]["tools.f1"]
    assert score is None
    assert comment.startswith("missing_task")


def test_what_langsmith_reports_of_assigned_and_abstained_scores() -> None:
    """By the rules of Transform Gym, an agent that says nothing gets 0 for handling errors."""
    langsmith = pytest.importorskip("langsmith", reason="LangSmith is not installed")
    from langsmith import schemas

    data_set = uuid.uuid4()
    examples = [
        schemas.Example(
            id=uuid.uuid4(), dataset_id=data_set, inputs={"says": says}, outputs={"max_turns": 3}
        )
        for says in ("said", "")
    ]
    figures = ("rules.error_handling", "rules.latency")
    results = langsmith.evaluate(
        lambda inputs: {"messages": [{"role": "assistant", "content": inputs["says"]}]},
        data=examples,
        evaluators=[evaluator(figure, profiles="transform-gym") for figure in figures],
        client=langsmith.Client(api_key="none", api_url="http://127.0.0.1:9"),
        upload_results=False,
    )
    found = {
        row["example"].inputs["says"]: {
            each.key: each.score for each in row["evaluation_results"]["results"]
        }
        for row in results
    }
    assert found["said"]["rules.error_handling"] > 0
    assert found[""] == {"rules.error_handling": 0.0, "rules.latency": None}


def test_it_works_with_other_evaluators() -> None:
    langsmith = pytest.importorskip("langsmith", reason="LangSmith is not installed")
    agentevals = pytest.importorskip(
        "agentevals.trajectory.match", reason="agentevals is not installed"
    )
    openevals = pytest.importorskip("openevals.exact", reason="openevals is not installed")
    from langsmith import schemas

    example = schemas.Example(
        id=uuid.uuid4(), dataset_id=uuid.uuid4(), inputs={"q": "a"}, outputs={"messages": _run("a")}
    )
    theirs = agentevals.create_trajectory_match_evaluator(trajectory_match_mode="strict")
    for made, score in (("a", True), ("b", False)):
        results = langsmith.evaluate(
            lambda _, path=made: {"messages": _run(path)},
            data=[example],
            evaluators=[evaluator("tools.exact"), theirs, openevals.exact_match],
            client=langsmith.Client(api_key="none", api_url="http://127.0.0.1:9"),
            upload_results=False,
        )
        (row,) = results
        scores = {each.key: each.score for each in row["evaluation_results"]["results"]}
        assert scores == {
            "tools.exact": score,
            "trajectory_strict_match": score,
            "exact_match": score,
        }


def test_malformed_arguments_end_another_evaluator_but_not_ours() -> None:
    agentevals = pytest.importorskip(
        "agentevals.trajectory.match", reason="agentevals is not installed"
    )
    run = _run("a")
    run[0]["tool_calls"][0]["function"]["arguments"] = "{"
    theirs = agentevals.create_trajectory_match_evaluator(trajectory_match_mode="strict")
    with pytest.raises(ValueError, match="Expecting property name"):
        theirs(outputs=run, reference_outputs=_run("a"))
    assert evaluator("tools.exact")(outputs=run, reference_outputs=_run("a"))["score"] is False
