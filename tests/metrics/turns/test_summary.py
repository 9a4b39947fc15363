from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.turns import (
    CostFigures,
    RunFigures,
    TokenFigures,
    TurnsMetric,
    TurnsResult,
    TurnsSummary,
    aggregate,
)
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


_MODELS = (TurnsResult, RunFigures, TokenFigures, CostFigures)


def run(**figures: float | None) -> TurnsResult:
    """A result with these figures, whichever group they belong to."""
    parts: dict[type, dict[str, Any]] = {model: {} for model in _MODELS}
    for name, value in figures.items():
        home = next(model for model in parts if name in model.model_fields)  # type: ignore[attr-defined] # all are models
        parts[home][name] = value
    return TurnsResult(
        run=RunFigures(**parts[RunFigures]),
        tokens=TokenFigures(**parts[TokenFigures]),
        cost=CostFigures(**parts[CostFigures]),
        **parts[TurnsResult],
    )


def values(summary: TurnsSummary) -> dict[str, float | None]:
    return {name: getattr(summary, name).value for name in TurnsSummary.model_fields}


def test_two_runs() -> None:
    summary = aggregate(
        [
            run(
                first_turn_valid=True, parse_failure_rate=0.0, no_code_rate=0.0,
                multi_code_block_rate=0.0, has_failed_turn=False, budget_exhausted=False,
                turn_count=2, input_tokens=100, output_tokens=50, total_tokens=150, passed=True,
                cost_usd=0.5,
            ),
            run(
                first_turn_valid=False, parse_failure_rate=0.5, no_code_rate=0.25,
                multi_code_block_rate=0.0, has_failed_turn=True, budget_exhausted=True,
                turn_count=4, input_tokens=400, output_tokens=200, total_tokens=600, passed=False,
                cost_usd=2.0,
            ),
        ]
    )  # fmt: skip

    assert values(summary) == {
        "first_turn_validity_rate": 1 / 2,
        "mean_parse_failure_rate": (0.0 + 0.5) / 2,
        "mean_no_code_rate": (0.0 + 0.25) / 2,
        "mean_multi_code_block_rate": 0.0,
        "mean_turns_on_pass": 2.0,  # the one passed run
        "recoverable_error_salvage_rate": 0 / 1,  # the one run with a failed turn did not pass
        "budget_exhausted_rate": 1 / 2,
        "pass_rate": 1 / 2,
        "mean_input_tokens": (100 + 400) / 2,
        "mean_output_tokens": (50 + 200) / 2,
        "mean_total_tokens": (150 + 600) / 2,
        "mean_total_tokens_on_pass": 150.0,
        "mean_cost_usd": (0.5 + 2.0) / 2,
        "mean_cost_usd_on_pass": 0.5,
    }


def test_no_runs_are_zeros_but_for_those_on_pass() -> None:
    for profile in (None, "ptcrunner"):
        summary = values(aggregate([], profile=profile))
        assert {name for name, value in summary.items() if value is None} == {
            "mean_turns_on_pass",
            "mean_total_tokens_on_pass",
            "mean_cost_usd_on_pass",
        }
        assert {value for value in summary.values() if value is not None} == {0.0}


def test_a_figure_that_no_run_has_is_none_and_0_in_the_profile() -> None:
    one = run(turn_count=5, has_failed_turn=True, passed=None, budget_exhausted=False)

    default, original = aggregate([one]), aggregate([one], profile="ptcrunner")

    assert default.mean_input_tokens.model_dump() == {"value": None, "scored": 0, "total": 1}
    assert default.pass_rate.model_dump() == {"value": None, "scored": 0, "total": 1}
    assert default.recoverable_error_salvage_rate.value is None
    assert original.mean_input_tokens.value == 0.0
    assert original.pass_rate.model_dump() == {"value": 0.0, "scored": 1, "total": 1}
    assert original.recoverable_error_salvage_rate.value == 0.0


def test_unknown_outcomes_stay_out_of_pass_rate_and_salvage_and_are_counted() -> None:
    summary = aggregate(
        [
            run(has_failed_turn=True, passed=True, turn_count=3),
            run(has_failed_turn=True, passed=False, turn_count=3),
            run(has_failed_turn=True, passed=None, turn_count=3),
            run(has_failed_turn=False, passed=True, turn_count=1),
        ]
    )

    assert summary.pass_rate.model_dump() == {"value": 2 / 3, "scored": 3, "total": 4}
    assert summary.recoverable_error_salvage_rate.model_dump() == {
        "value": 1 / 2,
        "scored": 2,
        "total": 3,
    }
    assert summary.mean_turns_on_pass.value == (3 + 1) / 2


def test_runs_whose_turns_were_only_counted_are_in_no_salvage() -> None:
    summary = aggregate([run(has_failed_turn=None, passed=True, turn_count=9)])

    assert summary.recoverable_error_salvage_rate.model_dump() == {
        "value": 0.0,
        "scored": 0,
        "total": 0,
    }
    assert summary.mean_turns_on_pass.value == 9.0


def test_integers_are_summed_exactly() -> None:
    huge = 2**60
    summary = aggregate([run(input_tokens=huge), run(input_tokens=1), run(input_tokens=-huge)])

    assert summary.mean_input_tokens.value == 1 / 3


@given(st.lists(st.floats(0, 1)), st.randoms())
def test_the_order_of_runs_does_not_matter(rates: list[float], random: Random) -> None:
    shuffled = list(rates)
    random.shuffle(shuffled)

    assert aggregate(run(no_code_rate=rate) for rate in rates) == aggregate(
        run(no_code_rate=rate) for rate in shuffled
    )


def test_the_metric_summarises_what_it_scored() -> None:
    metric = TurnsMetric()
    aggregator = metric.aggregator()
    trajectory = Trajectory(task_id="t", turns=(), passed=True)

    aggregator.add(None, trajectory, metric.score(None, trajectory))

    assert aggregator.figures().pass_rate.value == 1.0


def test_reference_cases(reference_data: Path) -> None:
    document = json.loads((reference_data / "turns" / "cases.json").read_text())
    assert document["aggregate_cases"]
    for case in document["aggregate_cases"]:
        known = {name for model in _MODELS for name in model.model_fields}
        runs = [
            run(**{name: value for name, value in figures.items() if name in known})
            for figures in case["runs"]
        ]
        original = case["expected"] | case.get("original", {})
        for wanted, summary in (
            (case["expected"], aggregate(runs)),
            (original, aggregate(runs, profile="ptcrunner")),
        ):
            assert {name: values(summary)[name] for name in wanted} == wanted, case["name"]
