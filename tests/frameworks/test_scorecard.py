"""The scorecard, with its arithmetic."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trajmeter.frameworks.results import AnswerOutcome, FrameworkEvaluation, QuestionResult
from trajmeter.frameworks.scorecard import scorecards
from trajmeter.records import CodeQuality, CodeReview, StaticMetrics

if TYPE_CHECKING:
    from pathlib import Path


def framework(**fields: object) -> FrameworkEvaluation:
    given = {"framework_name": "F", "scenario_name": "s", "avg_latency": 1.0}
    return FrameworkEvaluation.model_validate(given | fields)


def judged(correctness: float, completeness: float, faithfulness: float) -> dict[str, float]:
    return {
        "avg_correctness": correctness,
        "avg_completeness": completeness,
        "avg_faithfulness": faithfulness,
    }


def asked(answered: int, timed_out: int, **fields: object) -> tuple[QuestionResult, ...]:
    kinds = [AnswerOutcome.ANSWERED] * answered + [AnswerOutcome.TIMED_OUT] * timed_out
    return tuple(
        QuestionResult.model_validate(
            {"question_id": str(i), "question_text": "?", "outcome": kind} | fields
        )
        for i, kind in enumerate(kinds)
    )


def test_capability_is_the_mean_of_the_judges_part_and_of_every_signal() -> None:
    signals = {"multi_hop_chain_success_rate": 0.5, "coordination_success_rate": 1.7, "other": 0.0}
    (card,) = scorecards([framework(**judged(5, 4, 3), extra_aggregates=signals)])
    # judge (1.0 + 0.8 + 0.6) / 3 = 0.8; signals 0.5 and 1.7 clipped to 1: (0.8 + 0.5 + 1) / 3
    assert card.capability.value == pytest.approx(100 * 2.3 / 3)
    (original,) = scorecards(
        [framework(**judged(5, 4, 3), extra_aggregates=signals)], original=True
    )
    assert original.capability.value == pytest.approx(65.0)  # (0.8 + 0.5) / 2


def test_capability_is_at_most_100_even_on_another_judges_scale() -> None:
    (card,) = scorecards([framework(**judged(9, 10, 8))])
    assert (card.capability.judge, card.capability.value) == (1.0, 100.0)


def test_capability_without_a_judge_rests_on_the_signals() -> None:
    (card,) = scorecards([framework(extra_aggregates={"branching_success_rate": 0.25})])
    assert (card.capability.judge, card.capability.value) == (None, 25.0)
    assert scorecards([framework()])[0].capability.value is None


SIGNALS = (
    "branching_success_rate",
    "branching_avg_hop_coverage",
    "branching_avg_grounded_hop_coverage",
    "multi_hop_chain_success_rate",
    "multi_hop_avg_hop_coverage",
    "multi_hop_avg_grounded_hop_coverage",
)
COORDINATION_SIGNALS = (
    "coordination_success_rate",
    "coordination_avg_hop_coverage",
    "coordination_avg_grounded_hop_coverage",
)


@pytest.mark.parametrize("signal", [*SIGNALS, *COORDINATION_SIGNALS])
def test_every_success_rate_and_hop_coverage_is_a_signal(signal: str) -> None:
    given = framework(extra_aggregates={signal: 0.25, "coordination_avg_tool_coverage": 1.0})
    assert scorecards([given])[0].capability.signals == {signal: 0.25}
    (original,) = scorecards([given], original=True)
    assert original.capability.signals == ({signal: 0.25} if signal in SIGNALS else {})


def test_efficiency_is_a_weighted_min_max_on_a_true_range() -> None:
    low = framework(avg_latency=2.0, total_cost_usd=0.01, total_tokens=30)
    middle = framework(avg_latency=3.0, total_cost_usd=0.02, total_tokens=20)
    high = framework(avg_latency=4.0, total_cost_usd=0.03, total_tokens=10)
    cards = scorecards([low, middle, high])
    # latency 1, 0.5, 0; cost 1, 0.5, 0; tokens 0, 0.5, 1
    expected = [100 * (0.4 + 0.4), 50.0, 100 * 0.2]
    assert [card.efficiency.value for card in cards] == pytest.approx(expected)
    thirds = [value / 3 for value in expected]
    original = scorecards([low, middle, high], original=True)
    assert [card.efficiency.value for card in original] == pytest.approx(thirds)


def test_cost_and_tokens_count_per_answered_question() -> None:
    # 6 answers of 100 tokens against 4: dearer in all, cheaper for each answer
    steady = framework(questions=asked(6, 0, total_tokens=100), total_tokens=600)
    lazy = framework(questions=asked(4, 2, total_tokens=120), total_tokens=480)
    steadily, lazily = scorecards([steady, lazy])
    assert (steadily.efficiency.tokens, lazily.efficiency.tokens) == (1.0, 0.0)


def test_a_framework_without_a_price_takes_no_part_and_its_weights_are_rescaled() -> None:
    priced = asked(2, 0, total_tokens=10, estimated_cost_usd=0.1, priced=True)
    unpriced = asked(2, 0, total_tokens=10, estimated_cost_usd=0.0, priced=False)
    known = framework(questions=priced, total_tokens=20, total_cost_usd=0.2)
    unknown = framework(questions=unpriced, total_tokens=20, total_cost_usd=0.0, avg_latency=2.0)
    cards = scorecards([known, unknown])
    assert cards[1].efficiency.cost is None
    # latency 0 and tokens 1 (equal), weights 0.4 and 0.2 rescaled to 2/3 and 1/3
    assert cards[1].efficiency.weights == pytest.approx({"latency": 2 / 3, "tokens": 1 / 3})
    assert cards[1].efficiency.value == pytest.approx(100 / 3)


def test_a_file_that_marks_no_price_has_one_where_all_that_took_tokens_cost_something() -> None:
    paid = asked(1, 0, total_tokens=10, estimated_cost_usd=0.1)
    unpriced = tuple(
        question.model_copy(update={"question_id": "unpriced", "estimated_cost_usd": 0.0})
        for question in paid
    )
    timed_out = tuple(q.model_copy(update={"question_id": "late"}) for q in asked(0, 1))
    cards = scorecards(
        [
            framework(questions=(*paid, *timed_out), total_cost_usd=0.1),
            framework(questions=(*paid, *unpriced), total_cost_usd=0.1),
        ]
    )
    assert [card.efficiency.cost for card in cards] == [1.0, None]


def test_without_questions_cost_and_tokens_count_per_run() -> None:
    once = framework(total_tokens=50, total_cost_usd=0.5)
    thrice = framework(total_tokens=60, total_cost_usd=0.6, run_count=3)  # 20 and 0.2 a run
    cards = scorecards([once, thrice])
    assert [(c.efficiency.cost, c.efficiency.tokens) for c in cards] == [(0.0, 0.0), (1.0, 1.0)]


def test_code_that_is_maintainable_alike_has_the_full_score() -> None:
    measures = StaticMetrics(maintainability_index=60.0)
    alike = [framework(code_quality=CodeQuality(static_metrics=measures)) for _ in range(2)]
    assert [card.developer_experience.value for card in scorecards(alike)] == [100.0, 100.0]


def test_a_range_of_nothing_gives_everyone_the_full_score() -> None:
    cards = scorecards([framework(avg_latency=3.0), framework(avg_latency=3.0 + 4e-13)])
    assert [card.efficiency.latency for card in cards] == [1.0, 1.0]


def test_developer_experience_is_the_mean_of_the_parts_there_are() -> None:
    measures = StaticMetrics(
        maintainability_index=60.0, avg_cyclomatic_complexity=2.0, type_annotation_ratio=0.5
    )
    poor = measures.model_copy(
        update={"maintainability_index": 40.0, "avg_cyclomatic_complexity": 6.0}
    )
    review = CodeReview(avg_score=4.0)
    cards = scorecards(
        [
            framework(code_quality=CodeQuality(static_metrics=measures, code_review=review)),
            framework(code_quality=CodeQuality(static_metrics=poor)),
            framework(),
        ]
    )
    # (1 + 1 + 0.5 + 4 / 5) / 4, (0 + 0 + 0.5) / 3, and nothing
    expected = [pytest.approx(82.5), pytest.approx(50 / 3), None]
    assert [card.developer_experience.value for card in cards] == expected


def test_published_cases(reference_data: Path) -> None:
    data = json.loads((reference_data / "compare/scorecard/cases.json").read_text())
    for case in data["cases"]:
        entries = [framework(**entry) for entry in case["results"]]
        original, default = scorecards(entries, original=True), scorecards(entries)
        for card, ours, expected in zip(original, default, case["expected"], strict=True):
            real = expected["real"]
            assert card.capability.value == pytest.approx(real["capability"]), case["case"]
            assert card.efficiency.value == pytest.approx(real["efficiency"]), case["case"]
            experience = real["dx"]
            assert card.developer_experience.value == (
                None if experience is None else pytest.approx(experience)
            )
            assert ours.efficiency.value == pytest.approx(expected["efficiency_0_100"])


def test_a_model_known_to_cost_nothing_is_the_cheapest() -> None:
    free = asked(1, 0, total_tokens=10, priced=True, estimated_cost_usd=0.0)
    paid = asked(1, 0, total_tokens=10, priced=True, estimated_cost_usd=0.5)
    unknown = asked(1, 0, total_tokens=10, priced=False, estimated_cost_usd=0.0)
    cards = scorecards(
        [
            framework(questions=free, total_cost_usd=0.0),
            framework(questions=paid, total_cost_usd=0.5),
            framework(questions=unknown, total_cost_usd=0.0),
        ]
    )
    assert [card.efficiency.cost for card in cards] == [1.0, 0.0, None]
