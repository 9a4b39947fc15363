"""fc-eval's merge of a trial, and how it looks agents up."""

from __future__ import annotations

from trajmeter.records import Measurements
from trajmeter.trials import deep_merge, merge_measurements, resolve


def test_objects_merge_and_everything_else_is_replaced() -> None:
    earlier = {"a": {"x": 1, "y": {"p": 1}}, "b": [1, 2], "c": {"x": 1}, "d": 1}
    later = {"a": {"y": {"q": 2}, "z": 3}, "b": [3], "c": None, "e": {"error": 1}}
    assert deep_merge(earlier, later) == {
        "a": {"x": 1, "y": {"p": 1, "q": 2}, "z": 3},
        "b": [3],
        "c": None,
        "d": 1,
        "e": {"error": 1},
    }


def test_an_error_is_dropped_where_two_objects_merge() -> None:
    earlier = {"error": 1, "a": {"error": 1, "x": 1}, "b": {"error": 1}}
    assert deep_merge(earlier, {"a": {"y": 2}}) == {"a": {"x": 1, "y": 2}, "b": {"error": 1}}
    assert earlier["a"] == {"error": 1, "x": 1}
    assert deep_merge({"error": 1}, {"error": 2}) == {"error": 2}


def test_an_agent_that_recorded_nothing_wipes_out_the_others() -> None:
    first = Measurements(ratios={"f": 1}, ratios_by_agent={"a:m": {}})
    last = Measurements(ratios={"g": 2})
    assert merge_measurements([first, last]) == {
        "ratios": {"f": 1, "g": 2},
        "ratios_by_agent": {"a:m": {}},
    }
    assert merge_measurements([first, None, last]) == {"ratios": {"g": 2}}
    assert merge_measurements([first, None]) == {}
    assert merge_measurements([]) == {}


def test_a_null_replaces_and_an_absent_field_does_not() -> None:
    first = Measurements(ratios={"f": 1}, advantages_by_agent={"a:m": {}})
    merged = merge_measurements([first, Measurements(last_agent="a:m", discards=("ratios",))])
    assert merged == {"ratios": None, "advantages_by_agent": {"a:m": {}}}


def test_agents_are_looked_up_by_name_then_spelling_then_kind() -> None:
    keys = ["b:x", "a:other", "a:maker/m", "a:maker-m"]
    assert resolve("a:maker-m", keys) == "a:maker-m"
    assert resolve("a:maker/m", keys[:3]) == "a:maker/m"
    assert resolve("a:maker-m", keys[:3]) == "a:maker/m"
    assert resolve("a:new", keys) == "a:other"
    assert resolve("c:new", keys) == "c:new"
    assert resolve("a:m", []) == "a:m"
