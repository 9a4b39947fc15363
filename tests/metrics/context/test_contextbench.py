"""The profile ``contextbench``, quirk by quirk, on records of our own."""

from __future__ import annotations

import pytest

from tests.metrics.context.repositories import (
    attempt,
    gold,
    lines,
    seen,
    snapshot,
    task,
    ten_lines,
)
from trajmeter.kernels import GRANULARITIES, Kernels
from trajmeter.kernels._python.edits import deleted_lines
from trajmeter.metrics.context import ContextResult, ContextTracker, prepare, score
from trajmeter.metrics.context.lines import lines_size
from trajmeter.records import Cause, Extent, GoldRole, Outcome, Task, Trajectory, View

DEFINITIONS = (("function_definition", 0, 20, "f"), ("function_definition", 70, 90, "g"))


def scored(
    kernels: Kernels, of: Task, trajectory: Trajectory, *paths: str, profile: bool = True
) -> ContextResult:
    files = {path: ten_lines(DEFINITIONS) for path in paths}
    name = "contextbench" if profile else None
    prepared = prepare(of, snapshot(files), profile=name, kernels=kernels)
    tracker = ContextTracker(prepared)
    for turn in trajectory.turns or ():
        if turn.views is not None:
            tracker.update(turn.views)
    result = score(prepared, trajectory)
    tracked = tracker.result(trajectory.final_views, final_patch=trajectory.final_patch)
    assert tracked == result
    return result


def test_an_empty_side_makes_a_ratio_one(kernels: Kernels) -> None:
    trajectory = attempt([seen("a.py")], [seen("a.py")], final=[seen("a.py")])
    result = scored(kernels, task(), trajectory, "a.py")
    for name in GRANULARITIES:
        found = getattr(result.final, name)
        precision = 0.0 if name == "file" else 1.0
        assert (found.coverage, found.precision) == (1.0, precision)
        assert found.outcome is Outcome.SCORED
        steps = getattr(result.trajectory, name)
        coverage = 0.0 if name == "line" else 1.0
        assert steps.coverage == (coverage, coverage)
        assert steps.auc_coverage == coverage
        assert steps.redundancy == (0.5 if name == "file" else 0.0)


def test_f1_is_the_harmonic_mean_of_its_ratios(kernels: Kernels) -> None:
    trajectory = attempt(final=[lines("a.py", 1, 4)])
    result = scored(kernels, task(gold("a.py", 3, 10)), trajectory, "a.py")
    # 2 of 8 gold lines, 2 of 4 seen: 2 * 1/4 * 1/2 / (1/4 + 1/2) = 1/3.
    assert result.final.line.f1 == pytest.approx(1 / 3)
    nothing = scored(
        kernels, task(gold("a.py", 3, 10)), attempt(final=[lines("a.py", 1, 1)]), "a.py"
    )
    assert nothing.final.line.f1 == 0.0


def test_an_attempt_without_context_is_void(kernels: Kernels) -> None:
    trajectory = attempt([lines("a.py", 1, 2)], final=[seen("gone.py")], patch="")
    result = scored(kernels, task(gold("a.py", 1, 2)), trajectory, "a.py")
    groups = [getattr(result.final, name) for name in GRANULARITIES]
    groups += [getattr(result.trajectory, name) for name in GRANULARITIES]
    groups += [result.edit_location, result.contextbench_editloc, result.views]
    for group in groups:
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.NO_CONTEXT_EXTRACTED)


def test_an_attempt_that_declares_no_final_context_is_void(kernels: Kernels) -> None:
    trajectory = attempt([lines("a.py", 1, 2)])
    of = task(gold("a.py", 1, 2))
    result = scored(kernels, of, trajectory, "a.py")
    assert result.final.file.cause is Cause.NO_CONTEXT_EXTRACTED
    assert result.trajectory.line.cause is Cause.NO_CONTEXT_EXTRACTED
    by_default = scored(kernels, of, trajectory, "a.py", profile=False)
    assert (by_default.final.line.coverage, by_default.trajectory.num_steps) == (1.0, 1)


def test_a_span_alone_is_context_names_alone_are_none(kernels: Kernels) -> None:
    of = task(gold("a.py", 1, 2))
    spans = View.model_validate(lines("a.py", 1, 1).model_dump() | {"listed": False})
    names = View(path="a.py", symbols=("f",), listed=False)
    assert scored(kernels, of, attempt(final=[spans]), "a.py").final.file.predicted_size == 0
    cause = scored(kernels, of, attempt(final=[names]), "a.py").final.file.cause
    assert cause is Cause.NO_CONTEXT_EXTRACTED


def test_causes_come_in_order(kernels: Kernels) -> None:
    lost = attempt(final=[seen("gone.py")])
    without_gold = prepare(Task(id="t"), None, profile="contextbench", kernels=kernels)
    assert score(without_gold, lost).views.cause is Cause.MISSING_GOLD
    without_snapshot = prepare(task(), None, profile="contextbench", kernels=kernels)
    assert score(without_snapshot, lost).views.cause is Cause.MISSING_SNAPSHOT


def test_without_steps_the_final_context_is_the_one_step(kernels: Kernels) -> None:
    result = scored(kernels, task(gold("a.py", 1, 4)), attempt(final=[lines("a.py", 1, 1)]), "a.py")
    assert result.trajectory.num_steps == 1
    assert result.trajectory.line.coverage == (0.25,)
    assert result.trajectory.line.redundancy == 0.0


def test_lines_count_initial_gold_and_are_not_cut_to_the_file(kernels: Kernels) -> None:
    of = task(gold("a.py", 9, 12), gold("a.py", 1, 2, GoldRole.ADDITIONAL))
    result = scored(kernels, of, attempt(final=[lines("a.py", 8, 99)]), "a.py")
    line, span = result.final.line, result.final.span
    assert (line.intersection, line.gold_size, line.predicted_size) == (4, 4, 92)
    # Bytes: lines 9 and 10, and the additional lines 1 and 2.
    assert (span.intersection, span.gold_size, span.predicted_size) == (20, 40, 30)


def test_gold_paths_lose_their_dots_and_then_lead_nowhere(kernels: Kernels) -> None:
    of = task(gold(".ci/a.py", 1, 2))
    trajectory = attempt(final=[lines(".ci/a.py", 1, 2)])
    result = scored(kernels, of, trajectory, ".ci/a.py")
    sizes = [getattr(result.final, name).gold_size for name in GRANULARITIES]
    assert sizes == [1, 0, 0, 2]
    assert result.final.file.coverage == 0.0
    assert result.views.unresolved_gold_paths == 1
    assert scored(kernels, of, trajectory, ".ci/a.py", profile=False).final.file.coverage == 1.0


def test_a_definition_is_touched_at_its_very_end(kernels: Kernels) -> None:
    """Line 3 begins at byte 20, where f, [0, 20), ends."""
    of = task(gold("a.py", 3, 3))
    trajectory = attempt(final=[lines("a.py", 1, 1)])
    assert scored(kernels, of, trajectory, "a.py").final.symbol.coverage == 1.0
    result = scored(kernels, of, trajectory, "a.py", profile=False)
    assert result.final.symbol.outcome is Outcome.ABSTAINED


def test_reversed_lines_count_negative(kernels: Kernels) -> None:
    """Lines 9 to 3 count 3 - 9 + 1 = -5; a range that reaches line 8 or more swallows them."""
    of = task(gold("a.py", 1, 10))
    alone = scored(kernels, of, attempt(final=[lines("a.py", 1, 2), lines("a.py", 9, 3)]), "a.py")
    assert alone.final.line.predicted_size == 2 - 5
    assert alone.final.line.precision == 1.0
    assert alone.final.span.predicted_size == 20 + 10
    swallowed = scored(
        kernels, of, attempt(final=[lines("a.py", 1, 8), lines("a.py", 9, 3)]), "a.py"
    )
    assert swallowed.final.line.predicted_size == 8


def test_a_predicted_size_below_zero_makes_precision_one(kernels: Kernels) -> None:
    """Lines 10 to 18 are 9, and 20 to 3 are 3 - 20 + 1 = -16: -7 together."""
    views = [lines("a.py", *ends) for ends in ((13, 18), (17, 18), (20, 3), (10, 12))]
    for gold_lines, shared in (((11, 30), 8), ((1, 2), 0)):
        result = scored(kernels, task(gold("a.py", *gold_lines)), attempt(final=views), "a.py")
        line, steps = result.final.line, result.trajectory.line
        assert (line.intersection, line.predicted_size, line.precision) == (shared, -7, 1.0)
        assert (steps.viewed_size, steps.redundancy) == (-7, 0.0)


@pytest.mark.parametrize(
    ("ranges", "size"), [([(1, 4), (20, 3)], 4 - 16), ([(9, 3)], -5), ([(1, 1), (4, 3), (9, 8)], 1)]
)
def test_a_gold_size_below_zero_makes_coverage_one(
    kernels: Kernels, ranges: list[tuple[int, int]], size: int
) -> None:
    views = [lines("a.py", 1, 1)]
    of = task(*(gold("a.py", *each) for each in ranges))
    result = scored(kernels, of, attempt(views, views, final=views), "a.py")
    line, steps = result.final.line, result.trajectory.line
    assert (line.gold_size, line.coverage) == (size, 1.0)
    assert (steps.coverage, steps.auc_coverage) == ((1.0, 1.0), 1.0)


def test_reversed_gold_counts_negative(kernels: Kernels) -> None:
    """Gold lines 1 to 8, and 12 to 10 apart from them: 8 - 1 lines, of which 4 are seen."""
    of = task(gold("a.py", 1, 8), gold("a.py", 12, 10))
    result = scored(
        kernels, of, attempt([lines("a.py", 1, 4)], final=[lines("a.py", 1, 4)]), "a.py"
    )
    assert result.final.line.gold_size == 7
    assert result.final.line.coverage == 4 / 7
    assert result.trajectory.line.coverage == (4 / 7,)
    assert result.trajectory.line.auc_coverage == 4 / 7


def test_reversed_lines_change_redundancy(kernels: Kernels) -> None:
    """Sizes 2 and -5 + 4, a union of 2 - 5 + 4 where line 9 stays apart: 1 - 1 / 1."""
    steps = [lines("a.py", 1, 2)], [lines("a.py", 9, 3), lines("a.py", 4, 7)]
    of, final = task(gold("a.py", 1, 2)), [seen("a.py")]
    result = scored(kernels, of, attempt(*steps, final=final), "a.py")
    found = result.trajectory.line
    assert (found.viewed_size, found.repeated_size) == (2 + (-5 + 4), 0)
    assert found.redundancy == 0.0
    assert found.coverage == (1.0, 1.0)
    repeated = scored(kernels, of, attempt(*steps, steps[1], final=final), "a.py")
    # 2, -1 and -1 again; the union keeps both reversed ranges: 2 + 4 - 5 - 5.
    assert repeated.trajectory.line.viewed_size == 0
    assert repeated.trajectory.line.redundancy == 0.0
    assert repeated.trajectory.line.repeated_size == 0 - (2 + 4 - 5 - 5)


def test_bytes_with_reversed_lines_count_as_the_lines_they_touch(kernels: Kernels) -> None:
    """Bytes 5 to 25 touch lines 1 to 3, and 95 on line 10; lines 9 to 5 are 5 - 9 + 1 = -3."""
    final = [
        seen("a.py"),
        View(path="a.py", extent=Extent.BYTES, start=5, end=25),
        View(path="a.py", extent=Extent.BYTES, start=95, end=None),
        View(path="a.py", extent=Extent.BYTES, start=-3, end=0),
        View(path="a.py", extent=Extent.WHOLE),
    ]
    of = task(gold("a.py", 1, 10))
    plain = scored(kernels, of, attempt(final=final), "a.py").final.line
    assert (plain.intersection, plain.predicted_size) == (4, 3 + 1)
    beside = scored(kernels, of, attempt(final=[*final, lines("a.py", 9, 5)]), "a.py").final.line
    assert (beside.intersection, beside.predicted_size) == (4, 3 + 1 - 3)


def test_reversed_lines_of_a_final_context_that_is_the_one_step(kernels: Kernels) -> None:
    """Lines 1 and 2, and 9 to 3 apart from them: 2 - 5 lines were viewed, none again."""
    final = [lines("a.py", 1, 2), lines("a.py", 9, 3)]
    result = scored(kernels, task(gold("a.py", 1, 10)), attempt(final=final), "a.py")
    found = result.trajectory.line
    assert (found.viewed_size, found.repeated_size, found.redundancy) == (2 - 5, 0, 0.0)


@pytest.mark.parametrize("last", [2**62, 2**62 + 5, 2**70])
def test_lines_beyond_all_bounds_count_as_the_last_of_them(kernels: Kernels, last: int) -> None:
    """Lines 11 to 2**62 of gold, all of which a view has, beside line 1 and 9 to 3: 1 - 5 lines."""
    views = [lines("a.py", 11, last), lines("a.py", 1, 1), lines("a.py", 9, 3)]
    trajectory = attempt(views, final=views, patch="no diff")
    result = scored(kernels, task(gold("a.py", 11, last)), trajectory, "a.py")
    line, steps, size = result.final.line, result.trajectory.line, 2**62 - 10
    assert (line.intersection, line.gold_size, line.predicted_size) == (size, size, size + 1 - 5)
    assert line.coverage == 1.0
    assert (steps.coverage, steps.gold_sum) == ((1.0,), size)
    assert (steps.viewed_size, steps.repeated_size) == (size + 1 - 5, 0)
    assert result.contextbench_editloc.gold_size == size
    by_default = scored(kernels, task(gold("a.py", 11, last)), trajectory, "a.py", profile=False)
    assert by_default.contextbench_editloc.gold_size == size


def test_lines_of_additional_gold_count_in_bytes_alone(kernels: Kernels) -> None:
    """Of lines 3 to 7 two are initial gold, 3 and 4 of 1 to 4, and two additional, 6 and 7."""
    of = task(gold("a.py", 1, 4), gold("a.py", 6, 9, GoldRole.ADDITIONAL))
    views = [lines("a.py", 3, 7)]
    result = scored(kernels, of, attempt(views, final=views), "a.py")
    line, span = result.final.line, result.final.span
    assert (line.intersection, line.gold_size, line.predicted_size) == (2, 4, 5)
    assert (span.intersection, span.gold_size, span.predicted_size) == (40, 80, 50)
    assert result.trajectory.line.coverage == (2 / 4,)


@pytest.mark.parametrize(
    ("ranges", "size"),
    [
        ([], 0),
        ([(1, 3), (2, 5)], 5),
        ([(1, 3), (4, 5)], 5),
        ([(9, 3)], -5),
        ([(9, 3), (9, 3)], -10),
        ([(9, 3), (1, 8)], 8),
        ([(9, 3), (1, 7)], 7 - 5),
        ([(9, 3), (9, 12)], 4 - 5),
        ([(0, 5), (-3, -1), (3, 0)], 0),
        ([(1, 2**62), (2**62 + 5, 2**70)], 2**62),
        ([(2**70, 2**62 + 1)], 1),
        ([(2**62 + 5, 3)], 3 - 2**62 + 1),
    ],
)
def test_sizes_with_reversed_ranges(ranges: list[tuple[int, int]], size: int) -> None:
    assert lines_size([ranges]) == size


def diff(*body: str, name: str = "+++ b/a.py") -> str:
    return "\n".join(("diff --git a/a.py b/a.py", "--- a/a.py", name, *body))


@pytest.mark.parametrize(
    ("patch", "deleted"),
    [
        pytest.param(
            diff("@@ -3,3 +3,2 @@", " c", "-d", "-e"), {("a.py", 4), ("a.py", 5)}, id="plain"
        ),
        pytest.param(diff("@@ -3,2 +3,3 @@", " c", "+d", " e"), set(), id="an insertion"),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "-c", "@@ -3 +3 @@", "-c"),
            {("a.py", 3), ("a.py", 4)},
            id="hunks overlap",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "", "-d"),
            {("a.py", 3), ("a.py", 4)},
            id="a blank line without its blank",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "--- sql", "-d"),
            {("a.py", 3)},
            id="a deleted line that begins with dashes",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "--i;", "-d"),
            {("a.py", 3), ("a.py", 4), ("a.py", 5)},
            id="one dash less",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "\\ No newline at end of file", "-d"),
            {("a.py", 3), ("a.py", 4)},
            id="no newline",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", "+++ b/b.py", "-d", "@@ -9 +9 @@", "-x"),
            {("a.py", 3), ("a.py", 4), ("b.py", 9)},
            id="a name within a hunk",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", name="+++ b/a.py\r"),
            {("a.py\r", 3)},
            id="a name keeps its CR",
        ),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", name="+++ b/a.py\t2024"),
            {("a.py\t2024", 3)},
            id="a name keeps its date",
        ),
        pytest.param(diff("@@ -3 +3 @@", "-c", name='+++ "b/a.py"'), set(), id="a quoted name"),
        pytest.param(diff("@@ -3 +3 @@", "-c", name="+++ a.py"), set(), id="a name without b/"),
        pytest.param(
            diff("@@ -3 +3 @@", "-c", name="+++ /dev/null"), set(), id="a deleted file, the first"
        ),
        pytest.param(
            diff(
                "@@ -3 +3 @@",
                "-c",
                "diff --git a/b.py b/b.py",
                "--- a/b.py",
                "+++ /dev/null",
                "@@ -8 +0,0 @@",
                "-x",
            ),
            {("a.py", 3), ("a.py", 8)},
            id="a deleted file, after another",
        ),
        pytest.param("I could not solve it.", set(), id="a sentence"),
    ],
)
def test_deleted_lines(patch: str, deleted: set[tuple[str, int]]) -> None:
    assert deleted_lines(patch) == deleted


def test_deleted_lines_compared_with_initial_gold(kernels: Kernels) -> None:
    """Lines 4, 5 and 9 are deleted; 4 and 5 lie in the four gold lines 2 to 5."""
    of = task(gold("a.py", 2, 5), gold("a.py", 9, 9, GoldRole.ADDITIONAL))
    patch = diff("@@ -4 +4 @@", "-d", "-e", "@@ -9 +9 @@", "-i")
    found = scored(kernels, of, attempt(final=[seen("a.py")], patch=patch), "a.py")
    editloc = found.contextbench_editloc
    assert (editloc.intersection, editloc.gold_size, editloc.predicted_size) == (2, 4, 3)
    assert editloc.recall == editloc.precision == 2 / 3


def test_deleted_lines_hit_no_gold_range_that_counts_no_lines(kernels: Kernels) -> None:
    """A gold range that begins at line 0 has no lines, so that line 4 lies in none."""
    of = task(gold("a.py", 0, 5), gold("a.py", 9, 10))
    trajectory = attempt(final=[seen("a.py")], patch=diff("@@ -4 +4 @@", "-d"))
    editloc = scored(kernels, of, trajectory, "a.py").contextbench_editloc
    assert (editloc.intersection, editloc.gold_size, editloc.predicted_size) == (0, 2, 1)


@pytest.mark.parametrize("patch", ["", None])
def test_an_attempt_without_a_patch_has_the_score_of_the_gold_patch(
    kernels: Kernels, patch: str | None
) -> None:
    of = task(gold("a.py", 2, 5), patch=diff("@@ -4 +4 @@", "-d"))
    trajectory = attempt(final=[seen("a.py")], patch=patch)
    assert scored(kernels, of, trajectory, "a.py").contextbench_editloc.recall == 1.0
    by_default = scored(kernels, of, trajectory, "a.py", profile=False).contextbench_editloc
    if patch is None:
        assert (by_default.outcome, by_default.cause) == (
            Outcome.NOT_SCORED,
            Cause.MISSING_PATCH,
        )
    else:
        assert (by_default.recall, by_default.precision) == (0.0, 0.0)


def test_without_any_patch_there_is_no_edit_location(kernels: Kernels) -> None:
    of = task(gold("a.py", 2, 5), patch="")
    found = scored(kernels, of, attempt(final=[seen("a.py")], patch=""), "a.py")
    assert found.contextbench_editloc.cause is Cause.MISSING_PATCH


def test_a_text_that_is_not_a_diff_deletes_nothing(kernels: Kernels) -> None:
    of = task(gold("a.py", 2, 5), patch="")
    trajectory = attempt(final=[seen("a.py")], patch="Sorry.")
    found = scored(kernels, of, trajectory, "a.py").contextbench_editloc
    assert (found.outcome, found.recall, found.predicted_size) == (Outcome.SCORED, 0.0, 0)
    by_default = scored(kernels, of, trajectory, "a.py", profile=False).contextbench_editloc
    assert (by_default.outcome, by_default.cause) == (Outcome.ASSIGNED, Cause.NOT_A_DIFF)
