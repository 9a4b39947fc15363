"""The context kernel: worked cases, laws, and both backends alike on good and bad input."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.contexts import (
    LEAKED,
    RULES,
    TEN_LINES,
    World,
    tables,
    trajectories,
    views,
    worlds,
)
from tests.kernels.outcomes import alike, outcome
from trajmeter.errors import (
    ArrayError,
    ConfigurationError,
    InputError,
    OffsetsError,
    TotalOverflowError,
)
from trajmeter.kernels import GRANULARITIES, ContextFile, ContextRules, GoldLines
from trajmeter.kernels._python.context_file import new_file
from trajmeter.records import Extent, Turn, View

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

CASES = json.loads((Path(__file__).parents[1] / "cases" / "context_views.json").read_text())[
    "cases"
]


def _answers() -> list[Any]:
    return [
        pytest.param(case, view, rules, id=f"{case['name']}, {view['view']}, {rules}")
        for case in CASES
        for view in case["views"]
        for rules in RULES
        if rules in view
    ]


def _file(case: dict[str, Any]) -> ContextFile:
    if "size" not in case:
        return ContextFile(0, None)
    return ContextFile(0, tables(case["size"], case["line_starts"], case["definitions"]))


@pytest.mark.parametrize(("case", "view", "rules"), _answers())
def test_a_view_covers_what_the_case_says(
    case: dict[str, Any], view: dict[str, Any], rules: ContextRules
) -> None:
    file = new_file(_file(case), rules)
    lines, covered = file.cover(*view["view"])
    found = [] if covered is None else file.definitions(*covered)
    definitions = sorted(index for start, end in found for index in range(start, end))
    expected_lines, expected_bytes, expected_definitions = view[rules]
    assert (lines and list(lines)) == expected_lines
    assert (covered and list(covered)) == expected_bytes
    assert definitions == expected_definitions


@pytest.mark.parametrize(("case", "view", "rules"), _answers())
def test_a_view_counts_as_much_as_it_covers(
    kernels: Kernels, case: dict[str, Any], view: dict[str, Any], rules: ContextRules
) -> None:
    extent, start, end = view["view"]
    world = World({"a.py": _file(case)})
    seen = View(path="a.py", extent=Extent(extent), start=start, end=end)
    _, _, _, final, _ = world.kernel(kernels, rules).score(None, [seen])
    lines, covered, definitions = view[rules]
    length = [0 if found is None else found[1] - found[0] for found in (covered, lines)]
    assert [size for _, _, size in final] == [1, len(definitions), *length]


# Ten lines of ten bytes; f is lines 1 to 5, g lines 2 and 3, h lines 8 and 9.
def _lines(path: str, start: int, end: int) -> View:
    return View(path=path, extent=Extent.LINES, start=start, end=end)


def test_a_trajectory_by_hand(kernels: Kernels) -> None:
    a, b = ContextFile(0, TEN_LINES), ContextFile(1, TEN_LINES)
    world = World(
        {"a.py": a, "b.py": b, LEAKED: b},
        [GoldLines(a, 1, 4, in_lines=True), GoldLines(b, 8, 8, in_lines=True)],
    )
    turns = [
        Turn(views=(_lines("a.py", 3, 6), _lines("a.py", 5, 7))),
        Turn(views=None),
        Turn(views=(_lines("a.py", 1, 3), _lines("gone.py", 1, 9))),
        Turn(views=()),
        Turn(views=(View(path=LEAKED), _lines("b.py", 12, 14))),
    ]
    num_steps, has_final_context, tally, final, steps = world.kernel(kernels).score(turns, None)
    assert num_steps == 4
    assert has_final_context
    # Six views; gone.py leads nowhere; lines 12 to 14 are behind the end; one leak.
    assert tally == (6, 1, 1, 1)
    file, symbol, span, line = final
    # Both files; f and g of the three definitions (a's f and g, b's h); lines 1 to 7 of a.
    assert file == (2, 2, 2)
    assert symbol == (2, 3, 2)
    assert span == (40, 50, 70)
    assert line == (4, 5, 7)
    # Lines after each step: 3 and 4 of five; 1 to 4; the same; the same.
    coverage, covered_sum, viewed, union = steps[GRANULARITIES.index("line")]
    assert coverage == (2 / 5, 4 / 5, 4 / 5, 4 / 5)
    assert covered_sum == 2 + 4 + 4 + 4
    # The first step shows lines 3 to 7, the second 1 to 3, of which 3 again.
    assert viewed == 5 + 3
    assert union == 7
    # Definitions: f and g in the first step (lines 3 to 7 touch both), again in the second.
    coverage, covered_sum, viewed, union = steps[GRANULARITIES.index("symbol")]
    assert coverage == (2 / 3, 2 / 3, 2 / 3, 2 / 3)
    assert (covered_sum, viewed, union) == (8, 4, 2)
    # Files: a, a again, nothing, b (by its leaked name and its own: once).
    coverage, covered_sum, viewed, union = steps[GRANULARITIES.index("file")]
    assert coverage == (1 / 2, 1 / 2, 1 / 2, 1.0)
    assert (covered_sum, viewed, union) == (1 + 1 + 1 + 2, 3, 2)


def test_names_add_to_ranges_and_as_written_replace_them(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    seen = [_lines("a.py", 1, 1), View(path="a.py", symbols=("h", "nothing"))]
    sizes = {rules: world.kernel(kernels, rules).score(None, seen) for rules in RULES}
    symbol = GRANULARITIES.index("symbol")
    assert sizes["default"][3][symbol] == (0, 0, 2)  # f, which line 1 lies in, and h
    assert sizes["as_written"][3][symbol] == (0, 0, 1)  # h


def test_names_in_one_step_leave_the_ranges_of_others(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    turns = [
        Turn(views=(_lines("a.py", 1, 1),)),
        Turn(views=(_lines("a.py", 8, 8), View(path="a.py", symbols=("g",)))),
    ]
    _, _, _, final, _ = world.kernel(kernels, "as_written").score(turns, None)
    assert final[GRANULARITIES.index("symbol")] == (0, 0, 2)  # f of the first step, g by name


def test_as_written_only_listed_files_count(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    seen = [_lines("a.py", 1, 2).model_copy(update={"listed": False})]
    default = world.kernel(kernels).score(None, seen)
    as_written = world.kernel(kernels, "as_written").score(None, seen)
    assert [size for _, _, size in default[3]] == [1, 2, 20, 2]
    assert [size for _, _, size in as_written[3]] == [0, 2, 20, 2]
    assert as_written[1]  # there is a span


@pytest.mark.parametrize("rules", RULES)
def test_names_alone_are_context_by_default(kernels: Kernels, rules: ContextRules) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    named = View(path="a.py", symbols=("f",), listed=False)
    _, has_final_context, _, _, _ = world.kernel(kernels, rules).score(None, [named])
    assert has_final_context is (rules == "default")


@pytest.mark.parametrize("rules", RULES)
def test_as_written_the_final_context_is_the_step_of_a_trajectory_without_steps(
    kernels: Kernels, rules: ContextRules
) -> None:
    file = ContextFile(0, TEN_LINES)
    world = World({"a.py": file}, [GoldLines(file, 1, 4, in_lines=True)])
    num_steps, _, tally, _, steps = world.kernel(kernels, rules).score((), [_lines("a.py", 1, 1)])
    coverage = steps[GRANULARITIES.index("line")][0]
    assert (num_steps, coverage) == ((0, ()) if rules == "default" else (1, (0.25,)))
    assert tally == (1, 0, 0, 0)


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_both_backends_agree(
    rust: Kernels, twin: Kernels, rules: ContextRules, data: st.DataObject
) -> None:
    world, turns, final_views = data.draw(trajectories())

    def score(backend: Kernels) -> object:
        return world.kernel(backend, rules).score(turns, final_views)

    assert alike(outcome(score, rust), outcome(score, twin))


@pytest.mark.parametrize("rules", RULES)
@given(data=st.data())
def test_trackers_agree_with_each_other_and_end_where_scoring_does(
    rust: Kernels, twin: Kernels, rules: ContextRules, data: st.DataObject
) -> None:
    world, turns, final_views = data.draw(trajectories())
    compiled = [world.kernel(backend, rules) for backend in (rust, twin)]
    trackers = [kernel.tracker() for kernel in compiled]
    for turn in turns:
        if turn.views is not None:
            one, other = (tracker.update(turn.views) for tracker in trackers)
            for name in ("step", *GRANULARITIES):
                assert getattr(one, name) == getattr(other, name)
            assert repr(one) == repr(other)
    for kernel, tracker in zip(compiled, trackers, strict=True):
        assert alike(outcome(tracker.sizes, final_views), outcome(kernel.score, turns, final_views))


@given(data=st.data())
def test_sizes_and_coverage_stay_within_their_bounds(twin: Kernels, data: st.DataObject) -> None:
    world, turns, _ = data.draw(trajectories())
    result = outcome(world.kernel(twin).score, turns, None)
    if not isinstance(result, tuple):
        return
    num_steps, _, _, final, steps = result
    for (shared, gold, predicted), (coverage, covered, viewed, union) in zip(
        final, steps, strict=True
    ):
        assert 0 <= shared <= min(gold, predicted)
        assert predicted == union <= viewed
        if coverage is not None:
            assert len(coverage) == num_steps
            assert all(before <= after for before, after in pairwise((0, *coverage, 1)))
            assert sum(coverage) == pytest.approx(covered / gold)


@given(data=st.data())
def test_the_order_of_views_within_a_step_does_not_matter(
    twin: Kernels, data: st.DataObject
) -> None:
    world = data.draw(worlds())
    step = data.draw(st.lists(views(world), max_size=4))
    kernel = world.kernel(twin)
    forwards = outcome(kernel.score, [Turn(views=tuple(step))], None)
    backwards = outcome(kernel.score, [Turn(views=tuple(reversed(step)))], None)
    assert alike(forwards, backwards)


@pytest.mark.parametrize(
    ("files", "lines", "length"), [(3, 2_000, 300), (2, 100_000, 2)], ids=["crowded", "sparse"]
)
@pytest.mark.parametrize("rules", RULES)
def test_long_trajectories_go_another_way_to_the_same_sizes(
    rust: Kernels, twin: Kernels, rules: ContextRules, files: int, lines: int, length: int
) -> None:
    definitions = [(start, start + 90) for start in range(0, 10 * lines, 70)]
    known = tables(10 * lines, range(0, 10 * lines + 1, 10), definitions)
    world = World({f"{code}.py": ContextFile(code, known) for code in range(files)})
    world.gold = [
        GoldLines(file, 50 * code + 1, 50 * code + 600, in_lines=True)
        for code, file in enumerate(world.files.values())
    ]
    turns = [
        Turn(
            views=tuple(
                _lines(f"{place % files}.py", 1 + place % lines, place % lines + length)
                for place in range(step * 7919, step * 7919 + 3 * 104729, 104729)
            )
        )
        for step in range(400)
    ]
    expected = world.kernel(twin, rules).score(turns, None)
    assert world.kernel(rust, rules).score(turns, None) == expected


def test_each_path_is_asked_for_once(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    kernel = world.kernel(kernels)
    turn = Turn(views=(View(path="a.py"), View(path="gone.py"), View(path="a.py")))
    for _ in range(3):
        kernel.score([turn, turn], turn.views)
    assert world.asked == ["a.py", "gone.py"]


def test_errors_of_resolve_are_raised_on_every_call(kernels: Kernels) -> None:
    def resolve(path: str) -> Any:
        raise LookupError(path)

    kernel = kernels.context(kernels.context_files(resolve, "default"), ())
    for _ in range(2):
        with pytest.raises(LookupError, match=r"a\.py"):
            kernel.score(None, [View(path="a.py")])


def test_an_unknown_extent_is_refused_and_nothing_is_added(kernels: Kernels) -> None:
    world = World({"a.py": ContextFile(0, TEN_LINES)})
    tracker = world.kernel(kernels).tracker()
    extent: Any = "pages"
    bad = View.model_construct(path="a.py", extent=extent, symbols=(), listed=True)
    with pytest.raises(InputError, match="extent of a view is pages, expected lines, bytes, whole"):
        tracker.update([View(path="a.py"), bad])
    num_steps, _, tally, final, _ = tracker.sizes(None)
    assert (num_steps, tally) == (0, (0, 0, 0, 0))
    assert final[0] == (0, 0, 0)


def _looks_like_a_view(extent: str, start: object, end: object) -> Any:
    return SimpleNamespace(
        path="a.py", extent=extent, start=start, end=end, symbols=(), listed=True
    )


@pytest.mark.parametrize("rules", RULES)
def test_numbers_of_other_kinds_are_numbers(kernels: Kernels, rules: ContextRules) -> None:
    kernel = World({"a.py": ContextFile(0, TEN_LINES)}).kernel(kernels, rules)
    view = _looks_like_a_view("lines", np.int64(3), np.int32(4))
    *_, final, steps = kernel.score([Turn.model_construct(views=(view,))], None)
    assert final[-1] == (0, 0, 2)
    assert {type(number) for _, *sizes in steps for number in sizes} == {int}


@pytest.mark.parametrize("extent", ["lines", "bytes", "whole"])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("start", "end", "kind"), [(1.5, 3, "float"), (1, "3", "str")])
def test_a_value_that_is_not_a_number_is_refused(
    kernels: Kernels, rules: ContextRules, extent: str, start: object, end: object, kind: str
) -> None:
    kernel = World({"a.py": ContextFile(0, TEN_LINES)}).kernel(kernels, rules)
    with pytest.raises(TypeError, match=f"'{kind}' object cannot be interpreted as an integer"):
        kernel.score(None, [_looks_like_a_view(extent, start, end)])


def test_sums_beyond_64_bits_are_refused(kernels: Kernels) -> None:
    world = World({f"{code}.py": ContextFile(code, None) for code in range(3)})
    everything = [_lines(path, 1, 2**62) for path in world.files]
    kernel = world.kernel(kernels)
    with pytest.raises(TotalOverflowError, match="sum of step sizes of granularity 3 exceeds"):
        kernel.score([Turn(views=(view,)) for view in everything], None)
    with pytest.raises(TotalOverflowError, match="final context of granularity 3 exceeds"):
        kernel.score(None, everything)
    world.gold = [GoldLines(file, 1, 2**62, in_lines=True) for file in world.files.values()]
    with pytest.raises(TotalOverflowError, match="gold size of granularity 3 exceeds"):
        world.kernel(kernels)


@pytest.mark.parametrize(
    ("size", "line_starts", "definitions", "error", "message"),
    [
        (-1, [0], [], InputError, "size is -1"),
        (2**62 + 1, [0], [], InputError, "size is 4611686018427387905, expected at most 46"),
        (5, [], [], OffsetsError, "line_starts is empty"),
        (5, [1, 3], [], InputError, r"line_starts\[0\] is 1, expected 0"),
        (5, [0, 3, 3], [], InputError, "line_starts do not rise at index 2"),
        (5, [0, 6], [], OffsetsError, r"line_starts\[1\] is 6, expected at most 5"),
        (5, [0], [(-1, 2)], InputError, "definition_start is negative at index 0"),
        (5, [0], [(0, 2), (3, 2)], InputError, "definition_end lies before .* at index 1"),
        (5, [0], [(3, 4), (2, 4)], InputError, "definition_start falls at index 1"),
    ],
)
def test_broken_tables_are_refused_where_they_are_made(
    size: int,
    line_starts: list[int],
    definitions: list[tuple[int, int]],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        tables(size, line_starts, definitions)


def test_tables_that_are_not_arrays_are_refused() -> None:
    good, listed = tables(5, [0]), cast("Any", [0])
    with pytest.raises(ArrayError, match="line_starts is a list"):
        dataclasses.replace(good, line_starts=listed)
    with pytest.raises(ArrayError, match="definition_end is a list"):
        dataclasses.replace(good, definition_end=listed)


def test_unknown_rules_are_refused(kernels: Kernels) -> None:
    wrong: Any = "theirs"
    with pytest.raises(ConfigurationError, match="rules is 'theirs', expected 'default' or"):
        kernels.context_files(World({}).resolve, wrong)
