from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import trajmeter
from tests.metrics.fakes import COVERAGE, AnswerMetric, RankMetric
from trajmeter.errors import ConfigurationError, InputError
from trajmeter.metrics import (
    Figure,
    Group,
    MetricError,
    Result,
    RowLayout,
    score_trajectories,
)
from trajmeter.metrics.rows import package_version
from trajmeter.records import Cause, Outcome, Source, Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.metrics import AnyMetric
    from trajmeter.shapes import Shape

TASKS = (Task(id="one", expected_answer="a b"),)


def _rows(metrics: Sequence[AnyMetric], *attempts: Trajectory) -> list[dict[str, object]]:
    layout = RowLayout(metrics)
    return [layout.row(item) for item in score_trajectories(attempts, metrics=metrics, tasks=TASKS)]


def test_the_version_is_that_of_the_package() -> None:
    assert package_version() == version("trajmeter")


def test_a_row_has_the_paths_of_the_result_as_its_keys() -> None:
    attempt = Trajectory(
        task_id="one",
        agent="crab",
        model="m",
        attempt="2",
        source=Source(file="p.jsonl", line=3),
        final_output="a",
    )
    (row,) = _rows([AnswerMetric()], attempt)
    assert row == {
        "task_id": "one",
        "agent": "crab",
        "model": "m",
        "attempt": "2",
        "source": "p.jsonl:3",
        "backend": trajmeter.backend(),
        "answer.version": "7",
        "answer.parameters": '{"profile": null}',
        "answer.error": None,
        "answer.length": 1,
        "answer.parts.words.outcome": "scored",
        "answer.parts.words.cause": None,
        "answer.parts.words.coverage": 1 / 2,
        "answer.parts.words.hits": 1,
        "answer.parts.words.wanted": 2,
        "answer.parts.words.per_word": (1.0, 0.0),
        "answer.parts.letters.outcome": "scored",
        "answer.parts.letters.cause": None,
        "answer.parts.letters.coverage": 1 / 3,  # of "a", "b" and the blank
        "answer.parts.letters.hits": 1,
        "answer.parts.letters.wanted": 3,
        "answer.parts.letters.per_word": (0.0, 1.0, 0.0),
    }


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (None, None),
        (Source(file="a.json"), "a.json"),
        (Source(file="a.json", record="[2]"), "a.json: [2]"),
        (Source(file="a.jsonl", line=2), "a.jsonl:2"),
    ],
)
def test_a_row_names_the_source_of_its_attempt(source: Source | None, text: str | None) -> None:
    (row,) = _rows([RankMetric()], Trajectory(task_id="one", source=source))
    assert row["source"] == text


def test_a_metric_that_raised_has_no_figures_and_says_why() -> None:
    (row,) = _rows([AnswerMetric(), RankMetric()], Trajectory(task_id="one", final_output="boom"))
    assert str(row["answer.error"]).startswith("RuntimeError: it went off")
    for group in ("words", "letters"):
        assert row[f"answer.parts.{group}.outcome"] == Outcome.NOT_SCORED.value
        assert row[f"answer.parts.{group}.cause"] == Cause.METRIC_ERROR.value
        assert row[f"answer.parts.{group}.coverage"] is None
    assert (row["rank.outcome"], row["rank.rank"], row["rank.error"]) == ("scored", 1, None)


class Note(BaseModel):
    text: str


class Benchmark(TypedDict):
    ratio: float
    is_valid: bool | None
    cause: Cause


class Loose(TypedDict, total=False):
    """Which of its keys are there is part of the value."""

    ratio: float


class Whole(TypedDict):
    """Integers may be larger than those of a column."""

    count: int


class EveryType(Group, Result):
    flag: bool | None = None
    count: int = 0
    either: int | float = 0
    ratio: Annotated[float, COVERAGE] | None = None
    label: str = ""
    choice: Literal["left", "right"] = "left"
    reason: Cause | None = None
    causes: tuple[Cause, ...] = ()
    shares: dict[str, float] = Field(default_factory=dict)
    by_cause: dict[str, Cause] = Field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    anything: dict[str, Any] = Field(default_factory=dict)
    benchmarks: dict[str, Benchmark] = Field(default_factory=dict)
    loose: dict[str, Loose] = Field(default_factory=dict)
    whole: dict[str, Whole] = Field(default_factory=dict)
    one: Benchmark | None = None
    pair: tuple[int, str] = (0, "")


class EveryTypeMetric:
    name = "every"
    version = "1"
    requires = ()
    parameters: Mapping[str, JsonValue] = {}
    result_type: type[Result] = EveryType

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        return EveryType(
            causes=(Cause.FAILED,),
            by_cause={"first": Cause.FAILED},
            notes=(Note(text="x"),),
            reason=Cause.UNPRICED,
            anything={"cause": Cause.FAILED},
            benchmarks={"a": {"ratio": 0.5, "is_valid": None, "cause": Cause.FAILED}},
        )


def _type(shape: Shape) -> str:
    return f"{shape.kind} of {shape.item.kind}" if shape.item else shape.kind


def test_columns_have_the_types_of_the_fields() -> None:
    (family,) = RowLayout([EveryTypeMetric()]).families
    types = {column.name: (_type(column.shape), column.role) for column in family.columns}
    assert types == {
        "every.version": ("text", "about"),
        "every.parameters": ("text", "about"),
        "every.error": ("text", "about"),
        "every.outcome": ("text", "outcome"),
        "every.cause": ("text", "cause"),
        "every.flag": ("boolean", "figure"),
        "every.count": ("integer", "figure"),
        "every.either": ("number", "figure"),
        "every.ratio": ("number", "figure"),
        "every.label": ("text", "figure"),
        "every.choice": ("text", "figure"),
        "every.reason": ("text", "figure"),
        "every.causes": ("list of text", "figure"),
        "every.shares": ("mapping of number", "figure"),
        "every.by_cause": ("mapping of text", "figure"),
        "every.notes": ("json", "figure"),
        "every.anything": ("json", "figure"),
        "every.benchmarks": ("mapping of record", "figure"),
        "every.loose": ("json", "figure"),
        "every.whole": ("json", "figure"),
        "every.one": ("json", "figure"),
        "every.pair": ("json", "figure"),
    }
    figures = {column.name: column.figure for column in family.columns if column.figure}
    assert figures == {"every.ratio": COVERAGE}


def test_a_row_holds_nothing_but_json_values() -> None:
    (row,) = _rows([EveryTypeMetric()], Trajectory(task_id="one"))
    keys = ("reason", "causes", "by_cause", "notes", "benchmarks")
    text = {key: row[f"every.{key}"] for key in keys}
    assert text == {
        "reason": "unpriced",
        "causes": ["failed"],
        "by_cause": {"first": "failed"},
        "notes": [{"text": "x"}],
        "benchmarks": {"a": {"ratio": 0.5, "is_valid": None, "cause": "failed"}},
    }
    assert {type(value) for value in row.values()} <= {
        str,
        int,
        float,
        bool,
        list,
        dict,
        type(None),
    }
    json.dumps(row)


def _of(result: Result) -> EveryTypeMetric:
    """A metric that gives this result."""

    class Giving(EveryTypeMetric):
        def score(self, task: Task | None, trajectory: Trajectory) -> Result:
            return result

    return Giving()


LOOP: dict[str, Any] = {}
LOOP["itself"] = LOOP


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (EveryType(count=2**63), f"every.count is {2**63}, expected an integer of 64 bits"),
        (EveryType(count=-(2**63) - 1), f"every.count is {-(2**63) - 1}, expected an integer"),
        (EveryType(anything=LOOP), "every.anything cannot be written: ValueError: Circular"),
        (
            EveryType.model_construct(outcome="scored"),  # type: ignore[arg-type] # what is tested
            "every.outcome cannot be written: AttributeError: 'str' object has no",
        ),
    ],
)
def test_a_result_that_no_row_holds_is_an_error_of_its_metric(result: Result, message: str) -> None:
    metrics: list[AnyMetric] = [_of(result), RankMetric()]
    layout = RowLayout(metrics)
    (scored,) = score_trajectories([Trajectory(task_id="one")], metrics=metrics)
    with pytest.raises(InputError, match=re.escape(message)):
        layout.values(scored)
    fitted, values = layout.fitted(scored)
    row = dict(zip(layout.names, values, strict=True))
    assert layout.row(fitted) == row
    error, kept = fitted.results
    assert isinstance(error, MetricError)
    assert error.message.startswith(message)
    assert kept is scored.results[1]
    assert (row["every.error"], row["every.cause"]) == (error.message, "metric_error")
    assert row["rank.rank"] == 1


class _Integers(Result):
    sizes: tuple[int | None, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (_Integers(sizes=(1, None, 2**63)), f"every.sizes holds {2**63}, expected an integer"),
        (_Integers(counts={"a": -(2**63) - 1}), f"every.counts holds {-(2**63) - 1}, expected"),
    ],
)
def test_integers_in_lists_and_mappings_are_of_64_bits_too(
    result: _Integers, message: str, tmp_path: Path
) -> None:
    class Giving(EveryTypeMetric):
        result_type = _Integers

        def score(self, task: Task | None, trajectory: Trajectory) -> Result:
            return result if trajectory.task_id == "huge" else _Integers(sizes=(-(2**63), None))

    attempts = [Trajectory(task_id="huge"), Trajectory(task_id="one")]
    file = tmp_path / "attempts.jsonl"
    file.write_text("".join(f"{attempt.model_dump_json()}\n" for attempt in attempts))
    for of in (attempts, file):  # as records, and as columns
        refused, kept = trajmeter.score(of, metrics=[Giving()]).rows
        assert str(refused["every.error"]).startswith(message)
        assert refused["every.sizes"] is None
        assert (kept["every.error"], kept["every.sizes"]) == (None, (-(2**63), None))


@given(st.integers(-(2**64), 2**64))
def test_a_row_holds_just_the_integers_of_64_bits(count: int) -> None:
    metric = _of(EveryType(count=count))
    layout = RowLayout([metric])
    (scored,) = score_trajectories([Trajectory(task_id="one")], metrics=[metric])
    fitted, _ = layout.fitted(scored)
    assert (fitted is scored) == (-(2**63) <= count < 2**63)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("version", 3, "metric 'every': version is 3, expected text"),
        (
            "parameters",
            {"a": 1j},
            "metric 'every': its parameters are not valid JSON: Object",
        ),
    ],
)
def test_a_metric_that_says_nothing_usable_of_itself_is_refused(
    monkeypatch: pytest.MonkeyPatch, field: str, value: object, message: str
) -> None:
    monkeypatch.setattr(EveryTypeMetric, field, value)
    with pytest.raises(ConfigurationError, match=message):
        RowLayout([EveryTypeMetric()])


def test_a_result_of_one_figure_is_a_row_too() -> None:
    class Lone(Result):
        figure: float = 0.5

    class LoneMetric(EveryTypeMetric):
        result_type = Lone

        def score(self, task: Task | None, trajectory: Trajectory) -> Lone:
            return Lone()

    (row,) = _rows([LoneMetric()], Trajectory(task_id="one"))
    assert row["every.figure"] == 0.5


def test_descriptions_are_those_of_the_fields() -> None:
    (family,) = RowLayout([AnswerMetric()]).families
    described = {column.name: column.description for column in family.columns}
    assert described["answer.parts.words.coverage"] == "Wanted words found / wanted words."
    assert described["answer.version"]


def test_two_columns_of_one_name_are_refused() -> None:
    class Versioned(Result):
        version: str = ""
        score: Annotated[float | None, Figure()] = None

    class VersionedMetric(EveryTypeMetric):
        result_type = Versioned

    with pytest.raises(ConfigurationError, match=r"two columns are named every\.version"):
        RowLayout([VersionedMetric()])


def test_a_result_without_fields_is_refused() -> None:
    class Empty(Result):
        pass

    class EmptyMetric(EveryTypeMetric):
        result_type = Empty

    with pytest.raises(ConfigurationError, match="'every' has no figures"):
        RowLayout([EmptyMetric()])
