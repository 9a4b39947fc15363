"""Defaults of options from ``trajmeter.toml`` and ``[tool.trajmeter]``; the command line wins."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.summaries.tables import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

if sys.version_info < (3, 11):
    pytest.importorskip("tomli", reason="Python 3.10 reads TOML with tomli, which is an extra")


@pytest.fixture
def table(folder: Path) -> str:
    rows = rows_of({f"t{i}": [i / 20] for i in range(12)})
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "t.jsonl"


def options(run: Run, *arguments: str) -> Any:
    code, out, err = run("summarize", *arguments, "-f", "json")
    assert code == 0, err
    return json.loads(out)["options"]


@pytest.mark.parametrize(
    ("file", "prefix"), [("trajmeter.toml", ""), ("pyproject.toml", "tool.trajmeter")]
)
def test_settings_are_defaults(
    run: Run, folder: Path, table: str, file: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = f"[{prefix}]\n" if prefix else ""
    own = f"[{prefix}.summarize]\n" if prefix else "[summarize]\n"
    (folder / file).write_text(f"{top}level = 0.9\nseed = 3\n{own}level = 0.8\nby = 'none'\n")
    found = options(run, table)
    assert (found["level"], found["seed"], found["by"]) == (0.8, 3, [])
    assert options(run, table, "--level", "0.99")["level"] == 0.99
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert options(run, f"../{table}")["level"] == 0.8, "found from below"


def test_lists_flags_and_paths(run: Run, folder: Path, table: str) -> None:
    (folder / "trajmeter.toml").write_text(
        '[summarize]\nfail-under = ["context.line.f1=0.9"]\njunit = "gates.xml"\n'
        "mixed-settings = true\n"
    )
    code, out, _ = run("summarize", table)
    assert (code, "failed" in out) == (1, True)
    assert (folder / "gates.xml").is_file()


def test_a_profile_is_no_path(run: Run, folder: Path) -> None:
    (folder / "trajmeter.toml").write_text('[score]\nprofile = "contextbench"\n')
    code, _, err = run("score", "preds.jsonl", "-t", "gold.jsonl", "-m", "context")
    assert code == 0, err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("levle = 0.9", "levle is not an option; did you mean 'level'?"),
        ("[summarize]\nsed = 1", "summarize.sed is not an option; did you mean 'seed'?"),
        ("[sumarize]\nseed = 1", "sumarize is not an option; did you mean 'summarize'?"),
        ("summarize = 3", "summarize is 3, expected a table of options"),
        ("mixed-settings = 1", "mixed-settings is 1, expected true or false"),
        ("level = [0.9]", "level is [0.9], expected one value"),
        ('[summarize]\nby = "a\\u0000b"', r"by contains a NUL character: 'a\x00b'"),
        ("level = ", "trajmeter.toml: "),
        (
            '[summarize]\noutput = [["a.csv"]]',
            "output contains ['a.csv'], expected text or a number",
        ),
        ("[summarize]\nfigure = [true]", "figure contains True, expected text or a number"),
        ('[summarize]\nby = ""', "by is empty, expected a value"),
        ('[summarize]\nfigure = ["a", ""]', "figure is empty, expected a value"),
        ('level = "much"', "--level"),
    ],
)
def test_mistakes_are_reported(run: Run, folder: Path, table: str, text: str, message: str) -> None:
    (folder / "trajmeter.toml").write_text(text)
    code, out, err = run("summarize", table)
    assert (code, out) == (2, "")
    assert message in err


def test_options_of_other_commands_are_no_mistake(run: Run, folder: Path, table: str) -> None:
    (folder / "trajmeter.toml").write_text('judge = "some-model"\n[compare]\nmargin = ["0.1"]\n')
    assert options(run, table)["level"] == 0.95
    assert run("metrics", "list")[0] == 0


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('cache = "kept"\nrepos = "."', ["--no-cache"]),
        ('repos = "absent"', ["-s", "snapshots.jsonl"]),
        ('repos = "absent"', ["--snapshots=snapshots.jsonl"]),
        ('repos = "absent"\ncache = "kept"', ["-s", "snapshots.jsonl"]),
        ('snapshots = "absent"', ["--repos", "."]),
        ('[score]\njudge-record = "r"', ["--judge-replay", "replies.jsonl"]),
    ],
)
def test_an_option_replaces_a_default_that_it_excludes(
    run: Run, folder: Path, text: str, given: list[str]
) -> None:
    (folder / "trajmeter.toml").write_text(text)
    for name in ("snapshots.jsonl", "replies.jsonl"):
        (folder / name).touch()
    code, _, err = run("score", "preds.jsonl", "-t", "gold.jsonl", *given)
    assert "cannot be used together" not in err
    assert "absent" not in err
    assert code in (0, 4), "an empty file of snapshots cannot be read"
    assert not (folder / "kept").exists()


@pytest.mark.parametrize(
    "text",
    [
        'cache = "kept"',
        "no-cache = true",
        "margin = 0.02",
        'junit = "gates.xml"',
        'inconclusive = "fail"',
        'judge-base-url = "http://127.0.0.1:9"',
        'judge-record = "replies.jsonl"',
        "[score]\njudge-requests-per-minute = 6",
    ],
)
def test_a_default_that_needs_an_absent_option_is_left_out(
    run: Run, folder: Path, text: str
) -> None:
    (folder / "trajmeter.toml").write_text(text)
    assert run("score", "preds.jsonl", "-t", "gold.jsonl")[0] == 0
    assert not {"kept", "gates.xml", "replies.jsonl"} & {each.name for each in folder.iterdir()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('metrics = ["turns, own.py@own"]', "metrics is 'own.py@own', which runs Python code"),
        ('[score]\nmetrics = "own.py"', "metrics is 'own.py', which runs Python code"),
        (
            'judge = "some-model"\njudge-base-url = "http://127.0.0.1:9"',
            "judge-base-url is 'http://127.0.0.1:9', which is sent the API key",
        ),
    ],
)
def test_a_file_neither_runs_code_nor_sends_the_key(
    run: Run, folder: Path, text: str, message: str
) -> None:
    ran = folder / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    (folder / "trajmeter.toml").write_text(text)
    code, _, err = run("score", "preds.jsonl", "-t", "gold.jsonl")
    assert (code, ran.exists()) == (2, False)
    assert f"trajmeter.toml: {message}" in err
    named = ["-m", "turns", "--judge-replay", "replies.jsonl", "--judge-base-url", "http://a"]
    (folder / "replies.jsonl").touch()
    assert message not in run("score", "preds.jsonl", *named)[2]


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("junit", "../other.xml"),
        ("judge-record", "../other.xml"),
        ("output", "link/other.jsonl"),
    ],
)
def test_a_file_names_nothing_to_write_outside_its_folder(
    run: Run, folder: Path, key: str, place: str
) -> None:
    (folder / "link").symlink_to("..")
    other = folder.parent / place.rpartition("/")[2]
    other.write_text("kept")
    places = f'["rows.jsonl", "{place}"]' if key == "output" else f'"{place}"'
    text = f"""{key} = {places}\nfail-under = "turns.run.turn_count=0"\njudge = "some-model"\n"""
    (folder / "trajmeter.toml").write_text(text)
    code, _, err = run("score", "preds.jsonl", "-m", "turns")
    assert (code, other.read_text()) == (2, "kept")
    assert f"{key} is {place!r}, which is not in the folder of this file; name it on the" in err
    (folder / "trajmeter.toml").write_text(text.replace(place, f"link/{folder.name}/a.jsonl"))
    assert "not in the folder" not in run("score", "preds.jsonl", "-m", "turns")[2]


@pytest.mark.parametrize(
    ("key", "command"),
    [("html", ["view", "preds.jsonl"]), ("cache", ["score", "preds.jsonl", "--repos", "."])],
)
def test_pages_and_caches_stay_in_the_folder_of_a_file(
    run: Run, folder: Path, key: str, command: list[str]
) -> None:
    (folder / "trajmeter.toml").write_text(f'{key} = "../other"\n')
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert f"{key} is '../other', which is not in the folder of this file" in err
    assert not (folder.parent / "other").exists()


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("output", ["score", "preds.jsonl", "-m", "turns"]),
        ("tasks", ["score", "preds.jsonl", "-m", "turns"]),
        ("trajectories", ["report", "preds.jsonl"]),
    ],
)
def test_a_file_names_no_other_machine(
    run: Run, folder: Path, key: str, command: list[str]
) -> None:
    before = {*folder.iterdir(), folder / "trajmeter.toml"}
    (folder / "trajmeter.toml").write_text(f'{key} = "s3://user:secret@bucket/x"\n')
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert f"{key} is 's3://bucket/x', which is on another machine; name it on the command" in err
    assert f"with --{key}\n" in err
    assert {*folder.iterdir()} == before


def test_a_remote_output_in_a_file_does_not_matter_beside_the_option(
    run: Run, folder: Path
) -> None:
    (folder / "trajmeter.toml").write_text('output = "s3://bucket/x"\n')
    code, _, err = run("score", "preds.jsonl", "-m", "turns", "-o", "rows.jsonl")
    assert code == 0, err
    assert (folder / "rows.jsonl").is_file()


def test_a_file_may_name_a_uri_of_a_file(run: Run, folder: Path) -> None:
    rows = folder / "rows.jsonl"
    (folder / "trajmeter.toml").write_text(f'output = "{rows.as_uri()}"\n')
    code, _, err = run("score", "preds.jsonl", "-m", "turns")
    assert code == 0, err
    assert rows.is_file()


def test_agents_are_not_taken_from_a_file(run: Run, folder: Path) -> None:
    (folder / "trajmeter.toml").write_text('[run]\nagent = ["own:answer"]\n')
    code, _, err = run("run", ".")
    assert code == 2
    assert "agent is ['own:answer'], which runs Python code; name it on the command line" in err


def test_a_default_beside_the_option_that_it_needs_applies(run: Run, folder: Path) -> None:
    (folder / "trajmeter.toml").write_text('junit = "gates.xml"')
    gate = ["--max-not-scored", "100%"]
    assert run("score", "preds.jsonl", "-t", "gold.jsonl", *gate)[0] == 0
    assert (folder / "gates.xml").is_file()


def test_a_default_figure_is_not_for_score(run: Run, folder: Path, table: str) -> None:
    (folder / "trajmeter.toml").write_text('figure = ["context.line.f1"]\n')
    assert run("score", "preds.jsonl", "-t", "gold.jsonl")[0] == 0
    assert run("summarize", table)[0] == 0
    (folder / "trajmeter.toml").write_text('[score]\nfigure = "context.line.f1"\n')
    assert run("score", "preds.jsonl", "-t", "gold.jsonl")[0] == 0
    lines = (folder / "preds.jsonl").read_text().splitlines(keepends=True)
    (folder / "one.jsonl").write_text(lines[0])  # Inspect takes one attempt at a task
    code, out, _ = run("score", "one.jsonl", "-t", "gold.jsonl", "-f", "inspect")
    assert code == 0
    assert "value" in json.loads(out)


def test_defaults_for_reading_logs_are_not_for_snapshots_without_them(
    run: Run, folder: Path
) -> None:
    (folder / "trajmeter.toml").write_text('map = ["turns=steps"]\ninput-format = "openhands"\n')
    (folder / "code").mkdir()
    (folder / "code" / "a.py").touch()
    code, _, err = run("snapshot", "code")
    assert code == 0, err


def test_default_metrics_are_not_for_merge(run: Run, folder: Path) -> None:
    assert run("score", "preds.jsonl", "-m", "turns", "-o", "scores/")[0] == 0
    (folder / "trajmeter.toml").write_text('metrics = "context"\n')
    code, _, err = run("merge", "scores", "-o", "merged")
    assert code == 0, err
    (folder / "trajmeter.toml").write_text('[merge]\nmetrics = "context"\n')
    code, _, err = run("merge", "scores", "-o", "merged")
    assert (code, "unknown metric of this run 'context'; available: turns" in err) == (2, True)


def test_other_projects_are_left_alone(run: Run, folder: Path, table: str) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\nlevel = 3\n")
    assert options(run, table)["level"] == 0.95


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('max-not-scored = "1%"', ["-o", "scores/", "--shard", "1/1"]),
        ('format = "jsonl"', ["-o", "scores/", "--shard", "1/1"]),
        ('format = "inspect"\nfigure = "context.line.f1"', ["-o", "scores/", "--shard", "1/1"]),
        ('format = "inspect"\nfigure = "context.line.f1"', ["-f", "json"]),
        ('figure = "context.line.f1"', []),
        ('profile = "contextbench"', ["-m", "turns"]),
        ('metrics = "turns"\nprofile = ["contextbench"]', []),
    ],
)
def test_defaults_that_do_not_suit_the_command_line_are_left_out(
    run: Run, folder: Path, text: str, given: list[str]
) -> None:
    (folder / "trajmeter.toml").write_text(f"[score]\n{text}\n")
    code, _, err = run("score", "preds.jsonl", "-t", "gold.jsonl", *given)
    assert code == 0, err


def test_a_profile_for_every_command_applies_where_it_exists(run: Run, folder: Path) -> None:
    (folder / "trajmeter.toml").write_text(
        'profile = ["contextbench", "fc-eval", "framework-comparison"]\n'
    )
    code, out, err = run("score", "preds.jsonl", "-t", "gold.jsonl", "-f", "json")
    assert code == 0, err
    (metric,) = json.loads(out)["metrics"]
    assert metric["parameters"]["profile"] == "contextbench"
    code, _, err = run("convert", "preds.jsonl", "-o", "trajectories.jsonl")
    assert code == 0, err
    (folder / "trajmeter.toml").write_text('profile = "fc-evla"\n')
    code, _, err = run("convert", "preds.jsonl", "-o", "trajectories.jsonl")
    assert (code, "'fc-evla'" in err) == (2, True)


def test_an_error_names_the_defaults_in_use(run: Run, folder: Path, table: str) -> None:
    (folder / "trajmeter.toml").write_text('format = "inspect"\nlevel = 0.9\nseed = 1\n')
    code, _, err = run("summarize", table, "--seed", "2")
    assert code == 2
    assert err.splitlines()[-1].endswith("trajmeter.toml sets format = 'inspect', level = '0.9'")
    (folder / "trajmeter.toml").write_text('profile = "fc-eval"\n')
    code, _, err = run("score", "preds.jsonl", "-m", "tols")
    assert (code, "trajmeter.toml" in err) == (2, False)
