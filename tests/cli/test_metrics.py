from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.metrics import registry

if TYPE_CHECKING:
    from collections.abc import Callable

    Run: TypeAlias = Callable[..., tuple[int, str, str]]


def test_every_metric_is_listed(run: Run) -> None:
    code, out, err = run("metrics", "list")
    assert (code, err) == (0, "")
    header, _, *lines = out.splitlines()
    assert header.split() == ["metric", "version", "from", "profiles", "description"]
    assert [line.split()[0] for line in lines] == sorted(registry.BUILT_IN)


def test_lists_and_descriptions_are_data_too(run: Run) -> None:
    listed = json.loads(run("metrics", "list", "-f", "json")[1])
    assert [each["metric"] for each in listed] == sorted(registry.BUILT_IN)
    assert run("metrics", "list", "-f", "csv")[1].splitlines()[0].startswith("metric,version,")
    shown = json.loads(run("metrics", "show", "context.final", "-f", "json")[1])
    assert (shown["metric"], shown["profiles"]) == ("context", ["contextbench"])
    (coverage,) = (
        each for each in shown["columns"] if each["column"] == "context.final.line.coverage"
    )
    assert (coverage["range"], coverage["better"]) == ("0..1", "higher")


def test_a_metric_is_shown_with_every_column(run: Run) -> None:
    code, out, err = run("metrics", "show", "metrics.py@length")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "description Length of the final output." in lines
    assert "length.value number 0.. higher The figure; true is 1 and false is 0." in lines
    assert "length.details json Details from which the score was computed." in lines


def test_a_rule_is_shown_with_its_own_columns(run: Run) -> None:
    code, out, err = run("metrics", "show", "latency")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert {"from built-in", "profiles transform-gym"} <= set(lines)
    columns = {line.split()[0] for line in lines if line.startswith("rules.")}
    assert "rules.latency.score" in columns
    assert "rules.tool_usage.score" not in columns


def test_an_unknown_metric_is_an_error(run: Run) -> None:
    code, out, err = run("metrics", "show", "contxt")
    assert (code, out) == (2, "")
    assert "did you mean 'context'?" in err
