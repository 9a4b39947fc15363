"""The published cases of statistics, through the functions that users call."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.cli import main
from trajmeter.statistics.draws import draws, picks
from trajmeter.statistics.multiple import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KINDS = ("summary", "compare", "holm", "repeats", "agreement", "gate", "cli")
_CASES = {
    "summary": 19,
    "compare": 7,
    "holm": 1,
    "repeats": 2,
    "agreement": 3,
    "gate": 3,
    "cli": 2,
}


@pytest.fixture(scope="module")
def published(reference_data: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((reference_data / "statistics/cases.json").read_text())
    return document


def rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def differing(found: Any, expected: Any, place: str) -> Iterator[str]:
    """Where a value is not the expected one."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            yield from differing(found[key], value, f"{place}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for index, value in enumerate(expected):
            yield from differing(found[index], value, f"{place}[{index}]")
    elif isinstance(expected, float) and found is not None:
        if not math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{place}: {found!r}, expected {expected!r}"
    elif found != expected:
        yield f"{place}: {found!r}, expected {expected!r}"


def summary(case: dict[str, Any]) -> list[dict[str, Any]]:
    options = dict(case["options"])
    found = trajmeter.summarize(rows(case["table"]), figures=[options.pop("figure")], **options)
    return [
        {"group": group.group, **figure.model_dump(mode="json")}
        for group in found.groups
        for figure in group.figures
    ]


def compared(case: dict[str, Any]) -> dict[str, Any]:
    options = dict(case["options"])
    figures = [options.pop("figure")]
    pairs = trajmeter.compare_scores([rows(case["a"]), rows(case["b"])], figures=figures, **options)
    return pairs.pairs[0].figures[0].model_dump(mode="json")


def repeats(case: dict[str, Any]) -> dict[str, Any]:
    options = dict(case["options"])
    found = trajmeter.summarize(rows(case["table"]), success=options.pop("figure"), **options)
    listed = [each.model_dump(mode="json") for each in found.groups[0].repeats]
    return {"by_k": listed, **listed[0]}


def agreed(case: dict[str, Any]) -> dict[str, Any]:
    judges = [
        [
            {"task_id": item[0], "judge.score": item[judge]}
            for item in case["items"]
            if item[judge] is not None
        ]
        for judge in (1, 2)
    ]
    found = trajmeter.agreement(judges, figures=["judge.score"], **case["options"])
    return found.figures[0].model_dump(mode="json")


def gated(case: dict[str, Any], folder: Path, out: pytest.CaptureFixture[str]) -> dict[str, Any]:
    options = case["options"]
    file = folder / "table.jsonl"
    write(file, case["table"])
    arguments = ["summarize", str(file), "--figure", options["figure"], "--format", "json"]
    for gate, threshold in options["gates"].items():
        arguments += [f"--{gate.replace('_', '-')}", f"{options['figure']}={threshold}"]
    arguments += ["--min-tasks", str(options["min_tasks"])]
    code = main(arguments)
    return {"exit_code": code, "gates": json.loads(out.readouterr().out)["gates"]}


def write(file: Path, table: dict[str, Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows(table)))


@pytest.mark.parametrize("kind", KINDS)
def test_published_cases(
    published: dict[str, Any],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [case for case in published["cases"] if case["kind"] == kind]
    assert len(cases) >= _CASES[kind]
    wrong: list[str] = []
    for case in cases:
        if kind == "cli":
            for name, table in case["files"].items():
                write(tmp_path / name, table)
            code = main(case["args"])
            said = capsys.readouterr().err
            wrong += differing(code, case["expected"]["exit_code"], case["name"])
            wrong += [text for text in case["expected"]["stderr_says"] if text not in said]
            continue
        functions: dict[str, Callable[[dict[str, Any]], Any]] = {
            "summary": summary,
            "compare": compared,
            "repeats": repeats,
            "agreement": agreed,
            "holm": lambda case: holm(case["p_values"]),
            "gate": lambda case: gated(case, tmp_path, capsys),
        }
        found = functions[kind](case)
        wrong += differing(found, case["expected"], case["name"])
    assert not wrong


def test_published_draws(published: dict[str, Any]) -> None:
    known = published["draws"]
    assert picks(known["seed"], range(3), 5).tolist() == known["picks_of_5"]
    found = [[f"{each:016x}" for each in row] for row in draws(known["seed"], range(2), 3).tolist()]
    assert found == known["draws_hex"]
