"""``trajmeter view``."""

from __future__ import annotations

import io
import json
import os
import shlex
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.outputs import Terminal
from tests.snapshots.git_repositories import commit
from trajmeter.cli import _pager

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def log(folder: Path) -> str:
    """Three attempts at two tasks, the first of which views a file of a repository."""
    views = [{"path": "/testbed/a.py", "extent": "lines", "start": 2, "end": 3}]
    usage = {"input_tokens": 1000, "output_tokens": 5, "cost_usd": 0.5}
    call = {"name": "bash", "arguments": {"command": "sed -n 2,3p a.py"}, "result": "two\nthree"}
    attempts = [
        {
            "task_id": "mend-1",
            "agent": "crab",
            "turns": [{"tool_calls": [call], "views": views, "usage": usage}, {"text": "Done."}],
        },
        {"task_id": "mend-2", "agent": "crab", "turn_count": 2},
        {"task_id": "mend-2", "agent": "heron", "usage": usage},
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(each) + "\n" for each in attempts))
    return "log.jsonl"


@pytest.fixture
def repos(folder: Path) -> str:
    """A repository at whose first commit the task starts."""
    first = commit(folder / "repos" / "shelf", {"a.py": b"one\ndef two():\n    pass\n"})
    commit(folder / "repos" / "shelf", {"a.py": b"later\nsecond\nthird\n"})
    gold = [{"path": "a.py", "first_line": 1, "last_line": 2}]
    task = {"id": "mend-1", "repo": "crab/shelf", "commit": first, "gold_ranges": gold}
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    return "repos"


def test_several_are_listed(run: Run, log: str) -> None:
    code, out, err = run("view", log)
    assert code == 0
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["#1", "mend-1", "crab", "-", "-", "2", "-"],
        ["#2", "mend-2", "crab", "-", "-", "2", "-"],
        ["#3", "mend-2", "heron", "-", "-", "-", "1,000", "tokens", "in,", "5", "out,", "$0.5000"],
    ]
    assert err == (
        "trajmeter: 3 trajectories; show one by its task id, or by its number, such as '#1'\n"
    )
    code, out, _ = run("view", log, "mend-2")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["#2", "#3"]


def test_one_is_shown(run: Run, log: str) -> None:
    code, out, err = run("view", log, "mend-1")
    assert (code, err) == (0, "")
    assert out == (
        "mend-1\n"
        "agent crab · log.jsonl:1 · 2 turns · 1 call\n"
        "\n"
        "Turn 1 of 2\n"
        "1,000 tokens in · 5 out · $0.5000 · 1,005 tokens so far · $0.5000 so far\n"
        '  bash(command="sed -n 2,3p a.py")\n'
        "  result\n"
        "    two\n"
        "    three\n"
        "  view /testbed/a.py:2-3\n"
        "\n"
        "Turn 2 of 2\n"
        "  Done.\n"
    )
    assert run("view", log, "#1")[1] == out
    assert run("view", log, "#3")[1].startswith("mend-2\nagent heron")


def test_an_id_that_nothing_has_is_an_error(run: Run, log: str) -> None:
    code, out, err = run("view", log, "mend-3")
    assert (code, out) == (2, "")
    assert "log.jsonl: no trajectory 'mend-3'; without an id, all are listed\n" in err
    err = run("view", log, "1")[2]
    assert "no trajectory '1'; without an id, all are listed; a number is written as '#1'" in err


def test_beside_its_task_and_repository(run: Run, log: str, repos: str) -> None:
    code, out, err = run("view", log, "#1", "-t", "tasks.jsonl", "--repos", repos, "--no-cache")
    assert (code, err) == (0, "")
    assert "  gold (initial): a.py:1-2\n    1  one\n    2  def two():\n" in out
    # Of lines 1 and 2 the second was viewed: 11 of 15 bytes, and the only definition.
    assert "gold seen: 100% of files, 100% of definitions, 73% of bytes, 50% of lines\n" in out
    assert "  view /testbed/a.py:2-3\n    2  def two():\n    3      pass\n" in out


def test_a_repository_without_a_task_is_read_at_its_head(
    run: Run, log: str, repos: str, folder: Path
) -> None:
    for where in ("repos", "repos/shelf"):
        _, out, _ = run("view", log, "mend-1", "--repos", where)
        assert "  view /testbed/a.py:2-3\n    2  second\n    3  third\n" in out
    commit(folder / "repos" / "other", {})
    code, out, err = run("view", log, "mend-1", "--repos", "repos")
    assert (code, err) == (0, "trajmeter: 2 repositories in repos: name one, or the task\n")
    assert "  view /testbed/a.py:2-3\n\n" in out


def test_a_folder_without_git_is_read_as_it_is(
    run: Run, log: str, repos: str, folder: Path
) -> None:
    (folder / "plain").mkdir()
    (folder / "plain" / "a.py").write_bytes(b"one\n2\n")
    code, out, err = run("view", log, "mend-1", "--repos", "plain")
    assert (code, err) == (0, "")
    assert "  view /testbed/a.py:2-3\n    2  2\n" in out
    code, out, err = run("view", log, "mend-1", "--repos", "plain", "-t", "tasks.jsonl")
    assert (code, err) == (0, "")
    assert "  view /testbed/a.py:2-3\n    2  2\n" in out
    # Of 6 bytes of gold the last 2 were viewed; a folder has no definitions.
    assert "gold seen: 100% of files, 33% of bytes, 50% of lines\n" in out


@pytest.mark.parametrize("options", [["--cache", "kept"], ["--no-cache"]])
def test_a_cache_needs_repositories(run: Run, log: str, options: list[str]) -> None:
    code, out, err = run("view", log, *options)
    assert (code, out) == (2, "")
    assert err == "trajmeter: error: --cache and --no-cache need --repos DIR\n"


def test_what_was_not_found_is_reported(run: Run, log: str, repos: str, folder: Path) -> None:
    commit(folder / "empty" / "other", {})
    code, out, err = run("view", log, "mend-1", "-t", "tasks.jsonl", "--repos", "empty")
    assert code == 0
    assert "gold seen: 100% of files, 50% of lines" in out
    assert err.startswith("trajmeter: 1 task found no repository in empty")
    _, _, err = run("view", log, "#2", "-t", "tasks.jsonl")
    assert err == "trajmeter: no task 'mend-2' among 1\n"


def test_a_search_leaves_out_turns(run: Run, log: str) -> None:
    code, out, _ = run("view", log, "mend-1", "--grep", "done")
    assert (code, out) == (0, "Turn 2 of 2\n  Done.\n")
    code, _, err = run("view", log, "mend-1", "--grep", "[")
    assert code == 2
    assert "'[' is not a regular expression" in err


def test_a_search_without_an_id_leaves_out_trajectories(run: Run, log: str, folder: Path) -> None:
    code, out, err = run("view", log, "--grep", "mend-2|no such")
    assert code == 0
    assert "mend-2" in out
    assert "mend-1" not in out
    assert err.startswith("trajmeter: 2 trajectories; ")
    code, out, err = run("view", log, "--grep", "no such")
    assert (code, out, err) == (0, "", f"trajmeter: {log}: nothing matches 'no such'\n")
    lines = (folder / log).read_text().splitlines()
    (folder / "one.jsonl").write_text(lines[0])
    nothing = "trajmeter: one.jsonl: nothing matches 'no such'\n"
    assert run("view", "one.jsonl", "--grep", "no such") == (0, "", nothing)


def test_a_number_ends_the_reading(run: Run, log: str, folder: Path) -> None:
    with (folder / log).open("a") as file:
        file.write("{\n")
    assert run("view", log, "#1")[0] == 0
    assert run("view", log, "#9")[0] == 2


def test_a_page(run: Run, log: str, folder: Path) -> None:
    code, out, err = run("view", log, "mend-1", "--html", "out/run.html", "--grep", "three")
    assert (code, out, err) == (0, "", "trajmeter: wrote out/run.html\n")
    text = (folder / "out" / "run.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "<title>mend-1</title>" in text
    assert "<mark>three</mark>" in text
    for name, message in (("run.txt", "expected a file that ends in .html"), ("out", "expected")):
        code, _, err = run("view", log, "mend-1", "--html", name)
        assert code == 2
        assert message in err
    code, out, err = run("view", log, "--html", "all.html")
    assert (code, "mend-2" in out, (folder / "all.html").exists()) == (2, True, False)
    assert "all.html was not written, as a page shows one trajectory" in err


def test_unreadable_lines_are_reported_and_the_rest_is_shown(
    run: Run, log: str, folder: Path
) -> None:
    with (folder / log).open("a") as file:
        file.write('{"task_id": "mend-9", "turns":\n')
    code, out, err = run("view", log, "mend-1")
    assert code == 4
    assert out.startswith("mend-1\n")
    assert err.startswith("unreadable: log.jsonl:4: ")


def test_logs_are_read_as_in_scoring(
    run: Run, log: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (folder / log).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    code, out, _ = run("view", "-", "#3")
    assert (code, out.splitlines()[0]) == (0, "mend-2")
    (folder / "odd.jsonl").write_text('{"which": "mend-7", "said": "Done."}\n')
    code, out, _ = run("view", "odd.jsonl", "--map", "task_id=which,final_output=said")
    assert code == 0
    assert out.splitlines()[0] == "mend-7"
    assert out.endswith("End\n  final output\n    Done.\n")
    for options, message in (
        (["--input-format", "nothing"], "nothing"),
        (["--profile", "best"], "metric 'context' has no profile 'best'"),
        (["--map", "turns"], "--map 'turns': expected FIELD=COLUMN"),
    ):
        code, _, err = run("view", log, *options)
        assert code == 2
        assert message in err
    assert run("view", "absent.jsonl")[0] == 2


def test_a_profile_decides_what_has_been_seen(run: Run, log: str, repos: str) -> None:
    _, out, _ = run("view", log, "#1", "-t", "tasks.jsonl", "--repos", repos, "-p", "contextbench")
    # ContextBench compares lines with initial gold alone, and this gold has no role that is not.
    assert "gold seen: 100% of files, 100% of definitions, 73% of bytes, 50% of lines\n" in out


def _pager_program(folder: Path, body: str) -> str:
    program = folder / "pager"
    program.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return shlex.quote(str(program))


def test_a_terminal_gets_a_pager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "paged"
    program = _pager_program(tmp_path, f"open({str(place)!r}, 'wb').write(sys.stdin.buffer.read())")
    monkeypatch.setenv("PAGER", f"{program} -x")
    stdout = Terminal()
    monkeypatch.setattr(sys, "stdout", stdout)
    _pager.print_lines(iter(["ü", "b"]), pages=True)
    assert (place.read_bytes(), stdout.getvalue()) == ("ü\nb\n".encode(), "")
    _pager.print_lines(iter(["ü", "b"]), pages=False)
    assert stdout.getvalue() == "ü\nb\n"


def test_a_pager_may_be_left_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", _pager_program(tmp_path, "sys.stdin.readline()"))
    monkeypatch.setattr(sys, "stdout", Terminal())
    made = 0

    def lines() -> object:
        nonlocal made
        while made < 10_000_000:
            made += 1
            yield "x" * 100

    _pager.print_lines(lines(), pages=True)  # type: ignore[arg-type] # an iterator of text
    assert made < 10_000_000


@pytest.mark.parametrize("pager", ["", "cat", "/nowhere/to/be/found", "'"])
def test_without_a_pager_lines_are_printed(pager: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", pager)
    stdout = Terminal()
    monkeypatch.setattr(sys, "stdout", stdout)
    _pager.print_lines(["a"], pages=True)
    assert stdout.getvalue() == "a\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals here")
@pytest.mark.parametrize(
    ("environment", "title"),
    [({}, b"\x1b[1mmend-1\x1b[0m\r\n"), ({"NO_COLOR": "1"}, b"mend-1\r\n")],
)
def test_colours_are_for_terminals_that_want_them(
    log: str, environment: dict[str, str], title: bytes
) -> None:
    master, slave = os.openpty()
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "-m", "trajmeter", "view", log, "mend-1"],
        stdout=slave,
        check=False,
        env={**inherited, "PAGER": "cat", "TERM": "xterm", **environment},
    )
    os.close(slave)
    printed = os.read(master, 10_000)
    os.close(master)
    assert done.returncode == 0
    assert printed.startswith(title)
