"""Scores of attempts by the default conventions, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.context.repositories import (
    attempt,
    file,
    gold,
    lines,
    seen,
    snapshot,
    task,
    ten_lines,
)
from trajmeter.errors import UnknownNameError
from trajmeter.kernels import GRANULARITIES, Kernels
from trajmeter.metrics.context import ContextResult, PreparedTask, prepare, score
from trajmeter.records import Cause, Extent, GoldRole, Outcome, Task, Trajectory, View

if TYPE_CHECKING:
    from random import Random

# f is lines 1 to 3, g line 2 within it, h lines 7 and 8.
DEFINITIONS = (
    ("function_definition", 0, 30, "f"),
    ("function_definition", 12, 18, "g"),
    ("class_definition", 60, 80, "h"),
)


def scored(
    kernels: Kernels,
    of: Task,
    trajectory: Trajectory,
    *paths: str,
) -> ContextResult:
    files = {path: ten_lines(DEFINITIONS) for path in paths}
    return score(prepare(of, snapshot(files), kernels=kernels), trajectory)


def test_files_half_of_gold_and_a_third_of_the_viewed_files(kernels: Kernels) -> None:
    """Gold {utils, main}, seen {utils, config, test}: 1 of 2, and 1 of 3."""
    paths = ("src/utils.py", "src/main.py", "src/config.py", "tests/test.py")
    result = scored(
        kernels,
        task(gold(paths[0], 1, 1), gold(paths[1], 1, 1)),
        attempt([seen(paths[0])], [seen(paths[2]), seen(paths[3])]),
        *paths,
    )
    found = result.final.file
    assert (found.intersection, found.gold_size, found.predicted_size) == (1, 2, 3)
    assert found.coverage == 1 / 2
    assert found.precision == 1 / 3
    assert found.f1 == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))  # 0.4
    assert found.f1 == pytest.approx(0.4)


def test_spans_that_overlap_by_half(kernels: Kernels) -> None:
    """Gold [0, 100) and [200, 300), seen [50, 150) and [250, 350): 50 + 50 bytes of 200."""
    content = file("x" * 49 + "\n" + ("x" * 49 + "\n") * 9)  # ten lines of 50 bytes
    of = task(gold("file.py", 1, 2), gold("file.py", 5, 6))
    views = [
        View(path="file.py", extent=Extent.BYTES, start=50, end=150),
        View(path="file.py", extent=Extent.BYTES, start=250, end=350),
    ]
    prepared = prepare(of, snapshot({"file.py": content}), kernels=kernels)
    found = score(prepared, attempt(views)).final.span
    assert (found.intersection, found.gold_size, found.predicted_size) == (100, 200, 200)
    assert (found.coverage, found.precision, found.f1) == (0.5, 0.5, 0.5)


def test_symbols_are_the_definitions_that_views_touch(kernels: Kernels) -> None:
    """Gold line 2 lies in f and g; line 3 lies in f, lines 5 to 7 reach into h."""
    result = scored(
        kernels,
        task(gold("a.py", 2, 2)),
        attempt([lines("a.py", 3, 3), lines("a.py", 5, 7)]),
        "a.py",
    )
    found = result.final.symbol
    assert (found.intersection, found.gold_size, found.predicted_size) == (1, 2, 2)
    assert (found.coverage, found.precision, found.f1) == (0.5, 0.5, 0.5)


def test_definitions_are_distinguished_by_position_and_kind(kernels: Kernels) -> None:
    """Two methods of one name are two; the same node twice is one; an empty one is none."""
    twins = (
        ("method", 0, 10, "run"),
        ("method", 0, 10, "run"),
        ("arrow_function", 0, 10, "run"),
        ("method", 50, 60, "run"),
        ("method", 5, 5, "run"),
    )
    of = task(gold("a.py", 1, 1))
    prepared = prepare(of, snapshot({"a.py": ten_lines(twins)}), kernels=kernels)
    found = score(prepared, attempt([View(path="a.py", symbols=("run",))])).final.symbol
    assert (found.intersection, found.gold_size, found.predicted_size) == (2, 2, 3)


@pytest.mark.parametrize(
    ("name", "size"), [("f", 1), (" f ", 1), ("Widget.f", 1), ("a.b.h", 1), ("F", 0), ("f.", 0)]
)
def test_a_name_means_the_definition_of_its_last_part(
    kernels: Kernels, name: str, size: int
) -> None:
    result = scored(kernels, task(), attempt([View(path="a.py", symbols=(name,))]), "a.py")
    assert result.final.symbol.predicted_size == size


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.sampled_from("fgh")), max_size=5),
    st.sampled_from([None, "contextbench"]),
    st.randoms(use_true_random=False),
)
def test_definitions_mean_the_same_in_any_order(
    found: list[tuple[int, int, str]], profile: str | None, chance: Random
) -> None:
    definitions = [("function", min(a, b), max(a, b), name) for a, b, name in sorted(found)]
    mixed = chance.sample(definitions, len(definitions))
    named = View(path="a.py", symbols=("f", "x.g"))
    of, trajectory = task(gold("a.py", 2, 6)), attempt([named], [lines("a.py", 4, 8)])
    results = [
        score(prepare(of, snapshot({"a.py": ten_lines(each)}), profile=profile), trajectory)
        for each in (definitions, mixed)
    ]
    assert results[0] == results[1]


def test_a_name_that_a_definition_bears_is_not_looked_for_by_its_last_part(
    kernels: Kernels,
) -> None:
    named = (("function", 0, 10, "a.f"), ("function", 20, 30, "f"))
    prepared = prepare(task(), snapshot({"a.py": ten_lines(named)}), kernels=kernels)
    found = score(prepared, attempt([View(path="a.py", symbols=("a.f",))])).final.symbol
    assert found.predicted_size == 1


def test_gold_that_leads_nowhere_is_one_file_however_it_is_written(kernels: Kernels) -> None:
    of = task(gold("gone.py", 1, 2), gold("/testbed/gone.py", 2, 3), gold("./gone.py", 3, 3))
    result = score(prepare(of, snapshot({"a.py": ten_lines()}), kernels=kernels), attempt([]))
    assert (result.final.file.gold_size, result.final.line.gold_size) == (None, None)
    assert result.trajectory.line.gold_sum == 3
    assert result.trajectory.file.gold_sum == 1


def test_coverage_step_by_step_its_mean_and_redundancy(kernels: Kernels) -> None:
    """Gold lines 1 to 4; seen 1-2, then 2-3, then nothing, then 1-4: 2, 3, 3 and 4 of 4."""
    result = scored(
        kernels,
        task(gold("a.py", 1, 4)),
        attempt(
            [lines("a.py", 1, 2)],
            None,
            [lines("a.py", 2, 3)],
            [],
            [lines("a.py", 1, 2), lines("a.py", 2, 4)],
        ),
        "a.py",
    )
    assert result.trajectory.num_steps == 4
    found = result.trajectory.line
    assert found.coverage == (2 / 4, 3 / 4, 3 / 4, 4 / 4)
    assert (found.covered_sum, found.gold_sum) == (2 + 3 + 3 + 4, 4 * 4)
    assert found.auc_coverage == 12 / 16
    # Sizes 2, 2, 0 and 4 (the last step's own overlap counts once), 4 of them distinct.
    assert (found.viewed_size, found.repeated_size) == (8, 4)
    assert found.redundancy == 4 / 8


def test_the_final_context_is_the_declared_one_else_the_union(kernels: Kernels) -> None:
    of = task(gold("a.py", 1, 4))
    steps = [lines("a.py", 1, 2)], [lines("a.py", 6, 6)]
    union = scored(kernels, of, attempt(*steps), "a.py")
    declared = scored(kernels, of, attempt(*steps, final=[lines("a.py", 4, 4)]), "a.py")
    assert union.final.line.coverage == 2 / 4
    assert union.final.line.precision == 2 / 3
    assert declared.final.line.coverage == 1 / 4
    assert declared.final.line.precision == 1.0
    assert declared.trajectory == union.trajectory


def test_gold_counts_in_every_role(kernels: Kernels) -> None:
    of = task(gold("a.py", 1, 2), gold("a.py", 5, 6, GoldRole.ADDITIONAL))
    result = scored(kernels, of, attempt([lines("a.py", 5, 6)]), "a.py")
    assert result.final.line.coverage == 2 / 4


def test_each_extent_covers_what_it_says(kernels: Kernels) -> None:
    """Whole files count for everything, named ones for files alone."""
    of = task(gold("a.py", 1, 10), gold("b.py", 1, 10))
    views = [View(path="a.py", extent=Extent.WHOLE), seen("b.py")]
    result = scored(kernels, of, attempt(views), "a.py", "b.py")
    coverage = {name: getattr(result.final, name).coverage for name in GRANULARITIES}
    assert coverage == {"file": 1.0, "symbol": 0.5, "span": 0.5, "line": 0.5}


def test_views_are_counted_by_their_outcome(kernels: Kernels) -> None:
    views = [
        lines("/testbed/a.py", 1, 2),
        lines("a.py", 5, 3),
        lines("gone.py", 1, 2),
        lines("gone.py", 3, 4),
        seen("/home/fix.patch"),
    ]
    of = task(gold("a.py", 1, 2), gold("old.py", 1, 2))
    found = scored(kernels, of, attempt(views, final=views[:3]), "a.py").views
    assert found.total == 5 + 3
    assert found.unresolved_paths == 2  # gone.py and the patch
    assert found.unresolved_gold_paths == 1
    assert found.empty_ranges == 2  # lines 5 to 3, in the step and in the final context
    assert found.leaked_patches == 1


def test_gold_in_a_file_that_the_snapshot_lacks_counts_as_a_file_and_as_lines(
    kernels: Kernels,
) -> None:
    of = task(gold("a.py", 1, 2), gold("/testbed/old.py", 1, 2))
    result = scored(kernels, of, attempt([lines("a.py", 1, 2)]), "a.py")
    sizes = {name: getattr(result.final, name).gold_size for name in GRANULARITIES}
    assert sizes == {"file": 2, "symbol": 2, "span": 20, "line": 4}


def test_gold_is_found_as_views_are(kernels: Kernels) -> None:
    of = task(gold("/workspace/acme__widget__1.0/.ci/a.py", 1, 2))
    result = scored(kernels, of, attempt([lines("/testbed/.ci/a.py", 1, 2)]), ".ci/a.py")
    assert result.final.span.coverage == 1.0
    assert result.views.unresolved_gold_paths == 0


EMPTY = attempt([seen("gone.py")])


def outcomes(result: ContextResult) -> dict[str, tuple[Outcome, Cause | None]]:
    groups = {
        f"{part}.{name}": getattr(getattr(result, part), name)
        for part in ("final", "trajectory")
        for name in GRANULARITIES
    }
    groups |= {
        "edit_location": result.edit_location,
        "contextbench_editloc": result.contextbench_editloc,
        "views": result.views,
    }
    return {name: (group.outcome, group.cause) for name, group in groups.items()}


def test_nothing_predicted_at_one_granularity(kernels: Kernels) -> None:
    """A file without a range: coverage 0, no precision, F1 0, and redundancy of nothing."""
    result = scored(kernels, task(gold("a.py", 1, 2)), attempt([seen("b.py")]), "a.py", "b.py")
    found = result.final.line
    assert found.outcome is Outcome.SCORED
    assert (found.coverage, found.precision, found.f1) == (0.0, None, 0.0)
    assert (found.intersection, found.gold_size, found.predicted_size) == (0, 2, 0)
    steps = result.trajectory.line
    assert steps.outcome is Outcome.SCORED
    assert (steps.coverage, steps.auc_coverage, steps.redundancy) == ((0.0,), 0.0, None)


def test_no_gold_abstains_but_redundancy_needs_none(kernels: Kernels) -> None:
    result = scored(kernels, task(), attempt([lines("a.py", 1, 2)], [lines("a.py", 1, 2)]), "a.py")
    found = result.final.line
    assert (found.outcome, found.cause) == (Outcome.ABSTAINED, None)
    assert (found.coverage, found.precision, found.f1) == (None, None, None)
    assert (found.intersection, found.gold_size, found.predicted_size) == (0, 0, 2)
    steps = result.trajectory.line
    assert steps.outcome is Outcome.SCORED
    assert (steps.coverage, steps.auc_coverage) == (None, None)
    assert steps.redundancy == 2 / 4


def test_both_sides_empty_abstain(kernels: Kernels) -> None:
    result = scored(kernels, task(), attempt([seen("a.py")]), "a.py")
    assert result.final.line.outcome is Outcome.ABSTAINED
    assert result.trajectory.line.outcome is Outcome.ABSTAINED
    assert result.trajectory.file.redundancy == 0.0


def test_no_gold_recorded_is_missing_gold(kernels: Kernels) -> None:
    result = scored(kernels, Task(id="t"), attempt([seen("a.py")]), "a.py")
    missing = (Outcome.NOT_SCORED, Cause.MISSING_GOLD)
    found = outcomes(result)
    assert found.pop("views") == (Outcome.SCORED, None)
    assert set(found.values()) == {missing}
    assert result.trajectory.num_steps == 1


def test_a_final_context_that_leads_nowhere_voids_the_final_figures_alone(
    kernels: Kernels,
) -> None:
    of = task(gold("a.py", 1, 2))
    result = scored(kernels, of, attempt([lines("a.py", 1, 2)], final=[seen("gone.py")]), "a.py")
    for name in GRANULARITIES:
        group = getattr(result.final, name)
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.NO_CONTEXT_EXTRACTED)
    assert result.trajectory.line.coverage == (1.0,)


@pytest.mark.parametrize("trajectory", [attempt(), attempt(None, None), Trajectory(task_id="t")])
def test_without_steps_trajectory_figures_are_not_scored(
    kernels: Kernels, trajectory: Trajectory
) -> None:
    final = trajectory.model_copy(update={"final_views": (lines("a.py", 1, 1),)})
    result = scored(kernels, task(gold("a.py", 1, 2)), final, "a.py")
    assert result.trajectory.num_steps == 0
    for name in GRANULARITIES:
        group = getattr(result.trajectory, name)
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.NO_STEPS)
    assert result.final.line.coverage == 1 / 2


def test_without_a_snapshot_files_and_lines_are_compared_by_path(kernels: Kernels) -> None:
    of = task(gold("/testbed/src/a.py", 1, 4), gold("src/b.py", 1, 4))
    prepared = prepare(of, None, kernels=kernels)
    result = score(prepared, attempt([lines("/app/src/a.py", 3, 6), lines("src/b.py", 2, -1)]))
    assert result.final.file.coverage == 1.0
    assert result.final.line.coverage == 2 / 8  # to the end of a file, which is not known
    assert result.final.line.predicted_size == 4
    missing = (Outcome.NOT_SCORED, Cause.MISSING_SNAPSHOT)
    found = outcomes(result)
    assert found["final.symbol"] == found["final.span"] == missing
    assert found["trajectory.symbol"] == found["trajectory.span"] == missing
    assert result.views.unresolved_paths is None
    assert result.views.unresolved_gold_paths is None


def test_a_snapshot_without_definitions_leaves_symbols_out(kernels: Kernels) -> None:
    of = task(gold("a.py", 1, 2))
    prepared = prepare(of, snapshot({"a.py": ten_lines(None)}), kernels=kernels)
    result = score(prepared, attempt([lines("a.py", 1, 1)]))
    missing = (Outcome.NOT_SCORED, Cause.MISSING_DEFINITIONS)
    found = outcomes(result)
    assert found["final.symbol"] == found["trajectory.symbol"] == missing
    assert result.final.span.coverage == 1 / 2


def test_results_equal_the_validated_models_of_their_values(kernels: Kernels) -> None:
    of = task(gold("a.py", 1, 2))
    for trajectory in (attempt([lines("a.py", 1, 1)]), attempt(), EMPTY):
        result = scored(kernels, of, trajectory, "a.py")
        assert ContextResult.model_validate(result.model_dump()) == result
        assert ContextResult.model_validate_json(result.model_dump_json()) == result


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no profile 'benchcontext'; profiles: contextbench"):
        prepare(task(), None, profile="benchcontext")


def test_one_prepared_task_serves_many_attempts(kernels: Kernels) -> None:
    prepared: PreparedTask = prepare(
        task(gold("a.py", 1, 2)), snapshot({"a.py": ten_lines()}), kernels=kernels
    )
    first = score(prepared, attempt([lines("a.py", 1, 1)]))
    score(prepared, attempt([lines("b.py", 1, 1), lines("a.py", 1, 9)]))
    assert score(prepared, attempt([lines("a.py", 1, 1)])) == first
