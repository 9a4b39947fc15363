"""What the top of a report says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import trajmeter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trajmeter.reports.page.document import Headline

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

PASSED, TOKENS = "turns.run.passed", "turns.tokens.total_tokens"


def runs(agent: str, values: Sequence[Any], figure: str = PASSED) -> list[dict[str, Any]]:
    return [
        {"task_id": f"t{task}", "agent": agent, figure: value} for task, value in enumerate(values)
    ]


def headlines(*tables: list[dict[str, Any]], **options: Any) -> tuple[Headline, ...]:
    return trajmeter.report(
        [row for table in tables for row in table], **options
    ).document.headlines


def test_who_is_better_by_how_much_how_sure_and_on_what() -> None:
    (first,) = headlines(runs("crane", [True] * 3 + [False] * 9), runs("wren", [True] * 12))
    tone, text = first
    assert tone == "good"
    assert text.startswith(
        "wren is better than crane at turns.run.passed: 1.000 against 0.250 (difference +0.750, "
        "95 % interval +0.463…+1.037, p 0.004"
    )
    assert text.endswith(", on 12 shared tasks.")


def test_a_second_table_that_is_worse_is_a_bad_message() -> None:
    rows = [runs("a", [True] * 12), runs("b", [False] * 12)]
    ((tone, text),) = headlines(*rows)
    assert (tone, text.split(":")[0]) == ("bad", "b is worse than a at turns.run.passed")


def test_what_is_not_shown_is_called_so_with_what_could_have_been_shown() -> None:
    ((tone, text),) = headlines(
        runs("crane", [True, False] * 6), runs("wren", [True, False, False, True] * 3)
    )
    assert tone == "neutral"
    assert text.startswith("No clear difference between wren and crane at turns.run.passed: 0.500")
    assert "The smallest difference they could reliably detect is" in text


def test_too_few_tasks_to_show_anything_are_called_so() -> None:
    first, *_ = headlines(runs("crane", [True, False]), runs("wren", [False, False]))
    assert first[1].endswith(
        " on 2 shared tasks. These are too few to detect any difference reliably."
    )


def test_equal_differences_have_no_interval() -> None:
    rows = [
        {"task_id": f"t{n}", "agent": agent, PASSED: agent == "a"}
        for agent in "ab"
        for n in range(12)
    ]
    made = trajmeter.report(rows).document
    tone, text = made.headlines[0]
    assert tone == "bad"
    assert "(difference -1.000, no variation, p 4.9e-04)" in text  # 2 / 2**12
    (table, *_) = next(each for each in made.parts if each.id == "differences").tables
    assert table.table.rows[0][table.table.header.index("95 % interval")] == "no variation"


def test_less_may_be_better() -> None:
    ((tone, text),) = headlines(
        runs("crane", [900 + n for n in range(12)], TOKENS),
        runs("wren", [500 - n for n in range(12)], TOKENS),
    )
    assert tone == "good"
    assert "wren is better than crane at turns.tokens.total_tokens (lower is better)" in text


def test_of_several_the_best_stands_beside_the_first() -> None:
    low, high = [0.1 + 0.01 * n for n in range(12)], [0.7 + 0.02 * n for n in range(12)]
    middle = [0.4 + 0.015 * n for n in range(12)]
    figure = "context.final.line.f1"
    rows = [runs(a, v, figure) for a, v in {"a": low, "b": high, "c": middle}.items()]
    ((tone, text),) = headlines(*rows)
    assert (tone, text.split(" at ")[0]) == ("good", "Best of 3: b is better than a")
    first_is_best = [runs(a, v, figure) for a, v in {"a": high, "b": low, "c": middle}.items()]
    ((tone, text),) = headlines(*first_is_best)
    assert (tone, text.split(" at ")[0]) == ("good", "Best of 3: a is better than c")
    assert ": 0.810 against 0.482 (difference +0.327, 95 % interval +0.31" in text


def test_one_system_alone() -> None:
    ((tone, text),) = headlines(runs("wren", [True] * 9 + [False] * 3))
    assert tone == "neutral"
    assert text.startswith("wren: turns.run.passed is 0.750 (95 % interval 0.468–0.911), 12 of 12")


def test_what_is_missing_is_counted_by_cause_and_bounded() -> None:
    figure = "context.final.line.f1"
    rows = runs("wren", [0.5] * 9 + [1.0] * 9, figure)
    for row in rows:
        row |= {"context.final.line.outcome": "scored", "context.final.line.cause": None}
    for row, cause in zip(rows[:3], ["missing_gold", "missing_gold", "no_steps"], strict=True):
        row |= {figure: None, "context.final.line.outcome": "not_scored"}
        row |= {"context.final.line.cause": cause}
    _, (tone, text) = headlines(rows)
    # Of 18 attempts 15 are known, which add up to 6 · 0.5 + 9 = 12; three could be 0 or 1.
    assert tone == "warning"
    assert text == (
        "context.line.f1: 3 of 18 attempts not scored (missing gold 2, no steps 1); "
        "at worst and at best, the mean including them is wren 0.667–0.833."
    )


def test_a_family_without_any_value_is_named() -> None:
    rows = runs("wren", [True] * 12)
    for row in rows:
        row |= {"tools.any_order_grades.f1": None, "tools.any_order_grades.outcome": "not_scored"}
        row |= {"tools.any_order_grades.cause": "missing_calls"}
    *_, (tone, text) = headlines(rows)
    assert (tone, text) == ("warning", "tools: nothing was scored (missing calls 12).")


def test_nothing_at_all() -> None:
    ((tone, text), *_) = headlines(runs("wren", [None, None]), better={PASSED: "higher"})
    assert (tone, text) == (
        "bad",
        "No attempt could be scored: the attempts have nothing to score.",
    )


def test_nothing_at_all_says_why() -> None:
    figure = "context.final.line.f1"
    rows = [*runs("crane", [None] * 2, figure), *runs("wren", [None] * 3, figure)]
    for row in rows:
        row |= {"context.final.line.outcome": "not_scored"}
        row |= {"context.final.line.cause": "missing_gold"}
    made = trajmeter.report(rows).document
    assert made.headlines[0] == ("bad", "No attempt could be scored (missing gold 5).")
    assert "differences" not in {each.id for each in made.parts}


def test_few_tasks_make_rough_intervals() -> None:
    *_, (tone, text) = headlines(runs("wren", [True, False, True]))
    assert (tone, text) == ("warning", "Fewer than 10 tasks: treat the intervals as rough.")


def test_more_families_are_more_tests() -> None:
    rows = [*runs("crane", [True] * 3 + [False] * 9), *runs("wren", [True] * 12)]
    for row in rows:
        row["mine.score"] = float(row["agent"] == "wren")
    made = trajmeter.report(rows, better={"mine.score": "higher"})
    texts = [text for _, text in made.document.headlines]
    assert ", adjusted for 2 tests)" in texts[0]
    assert "mine.score" in texts[1]


def test_every_family_has_a_headline() -> None:
    figures = [
        "context.final.line.f1",
        "speedup.task_speedup",
        "turns.run.passed",
        "rules.assertion_pass_rate.score",
        "tools.any_order_grades.f1",
    ]
    rows = [{"task_id": f"t{n}", "agent": "wren", **dict.fromkeys(figures, 1.0)} for n in range(12)]
    families = {text.removeprefix("wren: ").partition(".")[0] for _, text in headlines(rows)}
    assert families == {"context", "speedup", "turns", "rules", "tools"}


def test_names_from_right_to_left_are_apart_from_numbers_on_the_page(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    rows = [*runs("crane", [False] * 12), *runs("דגל", [True] * 12), *runs("סרב", [True] * 12)]
    trajmeter.report(rows).write(tmp_path / "report.html")
    assert "Next: <bdi>סרב</bdi> 1.000." in (tmp_path / "report.html").read_text("utf-8")
