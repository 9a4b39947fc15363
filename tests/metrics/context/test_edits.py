"""Edit location: lines of the final patch beside those of the gold patch."""

from __future__ import annotations

from tests.metrics.context.repositories import attempt, gold, task
from trajmeter.metrics.context import EditLocation, prepare, score
from trajmeter.records import Cause, Outcome


def edited(gold_patch: str | None, final_patch: str | None) -> EditLocation:
    prepared = prepare(task(gold("a.py", 1, 1), patch=gold_patch), None)
    return score(prepared, attempt(patch=final_patch)).edit_location


def replacing(*numbers: int, path: str = "a.py") -> str:
    """A patch that replaces these lines, each in a hunk of its own."""
    hunks = [f"@@ -{number} +{number} @@\n-old\n+new\n" for number in numbers]
    return f"--- a/{path}\n+++ b/{path}\n{''.join(hunks)}"


def test_two_fifths_of_gold_and_half_of_the_edited_lines() -> None:
    """Gold {15, 16, 17, 42, 43}, edited {16, 17, 18, 100}: 2 of 5, and 2 of 4."""
    found = edited(replacing(15, 16, 17, 42, 43), replacing(16, 17, 18, 100))
    assert found.outcome is Outcome.SCORED
    assert (found.intersection, found.gold_size, found.predicted_size) == (2, 5, 4)
    assert (found.coverage, found.precision) == (2 / 5, 2 / 4)
    assert found.f1 == 2 * 2 / (5 + 4)


def test_the_same_line_of_another_file_is_another_line() -> None:
    found = edited(replacing(3), replacing(3, path="b.py"))
    assert (found.coverage, found.precision, found.f1) == (0.0, 0.0, 0.0)


def test_an_insertion_edits_the_line_before_it() -> None:
    insertion = "--- a/a.py\n+++ b/a.py\n@@ -7,2 +7,3 @@\n g\n+new\n h\n"
    assert edited(insertion, replacing(7)).coverage == 1.0
    at_the_top = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+new\n"
    assert edited(at_the_top, at_the_top).intersection == 1


def test_an_empty_patch_predicts_nothing() -> None:
    found = edited(replacing(3), "")
    assert (found.outcome, found.cause) == (Outcome.SCORED, None)
    assert (found.coverage, found.precision, found.f1) == (0.0, None, 0.0)


def test_a_text_that_is_not_a_diff_predicts_nothing_and_is_marked() -> None:
    found = edited(replacing(3), "Repeated read-file actions exceeded the limit.")
    assert (found.outcome, found.cause) == (Outcome.ASSIGNED, Cause.NOT_A_DIFF)
    assert (found.coverage, found.precision, found.f1) == (0.0, None, 0.0)


def test_a_gold_patch_without_lines_abstains() -> None:
    for final_patch in (replacing(3), "", "Sorry."):
        found = edited("", final_patch)
        assert (found.outcome, found.cause) == (Outcome.ABSTAINED, None)
        assert (found.coverage, found.precision, found.f1) == (None, None, None)


def test_what_is_missing_is_named() -> None:
    found = edited(None, replacing(3))
    assert (found.outcome, found.cause) == (Outcome.NOT_SCORED, Cause.MISSING_GOLD)
    found = edited(replacing(3), None)
    assert (found.outcome, found.cause) == (Outcome.NOT_SCORED, Cause.MISSING_PATCH)


def test_edits_need_no_gold_ranges() -> None:
    without_ranges = task(patch=replacing(3)).model_copy(update={"gold_ranges": None})
    result = score(prepare(without_ranges, None), attempt(patch=replacing(3)))
    assert result.edit_location.coverage == 1.0
    assert result.contextbench_editloc.cause is Cause.MISSING_GOLD
