"""Runs what the documents show: README.md, every page below docs/ and each example's README.md.

A ``python`` block is executed, and its ``>>>`` examples are compared with what they print; the
blocks of a page share their names. One that begins with ``# name.py`` is a file of that name, which
later commands find. In a ``console`` block each ``$ trajmeter`` command is run and
its standard output compared. As in doctest, ``...`` stands for anything and white space is equal.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(
    r"^\$ (?P<command>trajmeter (?:.|\\\n)*?)(?<!\\)\n(?P<output>(?:(?!\$ ).*\n?)*)", re.MULTILINE
)
HOSTS = {
    "deepeval": "deepeval",
    "inspect": "inspect_ai",
    "opentelemetry": "opentelemetry.sdk",
    "pydantic-evals": "pydantic_evals",
}
"""Package of each host that is not installed for development, by its page below docs/hosts."""
FILE = re.compile(r"# (?P<name>\w+\.py)\n")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

pytestmark = pytest.mark.documents


@pytest.fixture
def beside_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which the documents' paths exist, and which keeps what the commands write."""
    for name in ("examples", "docs"):
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    scripts = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path


def _failure_of_python(source: str, names: dict[str, object], place: str) -> str | None:
    if file := FILE.match(source):
        Path(file["name"]).write_text(source, encoding="utf-8")
        return None
    example = doctest.DocTestParser().get_doctest(source, names, place, place, 0)
    if not example.examples:
        exec(compile(source, place, "exec"), names)  # noqa: S102 - running the page is the test
        return None
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=LENIENT)
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)
    return "".join(report) if runner.failures else None


def _failure_of_command(command: str, expected: str, place: str) -> str | None:
    shown = subprocess.run(  # noqa: S602 - a page's command line is meant for a shell
        command, shell=True, check=False, capture_output=True, text=True
    )
    right = doctest.OutputChecker().check_output(expected, shown.stdout, LENIENT)
    if right and shown.returncode == 0:
        return None
    return (
        f"{place}: $ {command}\nended with {shown.returncode}; expected:\n{expected}\n"
        f"printed:\n{shown.stdout}\nstandard error:\n{shown.stderr}"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.usefixtures("beside_the_examples")
def test_a_page_shows_what_really_happens(page: Path) -> None:
    if page.parent.name == "hosts" and page.stem in HOSTS:
        pytest.importorskip(HOSTS[page.stem], reason=f"{page.stem} is not installed")
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    failures: list[str | None] = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("text")) + 1
        place = f"{page.relative_to(ROOT)}:{line}"
        if block["language"] in {"python", "pycon"}:
            failures.append(_failure_of_python(block["text"], names, place))
        elif block["language"] == "console":
            failures.extend(
                _failure_of_command(shown["command"], shown["output"], place)
                for shown in COMMAND.finditer(block["text"])
            )
    assert [failure for failure in failures if failure] == []
