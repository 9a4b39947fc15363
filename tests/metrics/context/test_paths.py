"""Which file a path of a log means."""

# ruff: noqa: S108 - paths of logs, which nothing opens

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.metrics.context.paths import file_path, find, find_any, gold_as_written, is_leak

FILES = {
    "setup.py",
    "a.py",
    "src/a.py",
    "src/pkg/__init__.py",
    "__init__.py",
    ".github/x.yml",
    "doc.md",
}


@pytest.mark.parametrize(
    ("raw", "file"),
    [
        # As it is, and normalised.
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src//a.py", "src/a.py"),
        ("src/./a.py", "src/a.py"),
        ("src/pkg/../a.py", "src/a.py"),
        ("'src/a.py'", "src/a.py"),
        (' "src/a.py" ', "src/a.py"),
        ("`src/a.py`", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        (".github/x.yml", ".github/x.yml"),
        ("setup.py", "setup.py"),
        ("/../a.py", "a.py"),  # nothing lies above the root of the file system
        # Below the root of a container.
        ("/testbed/src/a.py", "src/a.py"),
        ("/testbed/a.py", "a.py"),
        ("/app/setup.py", "setup.py"),
        ("/repo/a.py", "a.py"),
        ("/home/widget/a.py", "a.py"),
        ("/workspace/acme__widget__1.0/a.py", "a.py"),
        ("/workspace/src/a.py", "src/a.py"),
        ("/workspace/a.py", "a.py"),
        ("/widget/a.py", "a.py"),
        ("/src/a.py", "src/a.py"),
        # Below folders of other names, with a folder and a name left.
        ("widget/src/a.py", "src/a.py"),
        ("/home/me/code/widget/src/a.py", "src/a.py"),
        ("C:\\code\\src\\a.py", "src/a.py"),
        ("/tmp/checkout/src/a.py", "src/a.py"),
        ("../src/a.py", "src/a.py"),
        # By a bare name that one file has.
        ("/srv/code/setup.py", "setup.py"),
        ("../setup.py", "setup.py"),
        ("other/doc.md", "doc.md"),
        # By a bare name that several files have: nowhere.
        ("/srv/code/a.py", None),
        ("lib/__init__.py", None),
        ("../a.py", None),
        # Scratch files and installed copies.
        ("/tmp/setup.py", None),
        ("/opt/lib/python3.11/site-packages/src/a.py", None),
        ("/opt/lib/site-packages/setup.py", None),
        # No files.
        ("src", None),
        ("/", None),
        ("", None),
        (".", None),
        ("..", None),
        ("nope.py", None),
        ("--include=*.py", None),
        ("../../etc/passwd", None),
    ],
)
def test_the_file_of_a_path(raw: str, file: str | None) -> None:
    assert find(raw, FILES, "acme/widget") == file


@pytest.mark.parametrize("repo", ["widget", "acme/widget", "acme__widget"])
def test_a_checkout_is_known_by_the_repository_however_it_is_written(repo: str) -> None:
    assert find("/widget/a.py", FILES, repo) == "a.py"
    assert find("/gadget/a.py", FILES, repo) is None


def test_a_file_of_an_odd_name_is_found_by_it() -> None:
    assert find("'q'.py", {"'q'.py"}, None) == "'q'.py"


@given(st.text(), st.sampled_from([None, "acme/widget"]))
def test_a_path_leads_to_a_file_of_the_snapshot_or_nowhere(raw: str, repo: str | None) -> None:
    assert find(raw, FILES, repo) in {*FILES, None}
    assert find_any(raw, FILES) in {*FILES, None}


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("/testbed/src/a.py", "src/a.py"),
        ("/workspace/acme__widget/src/a.py", "src/a.py"),
        ("/home/widget/src/a.py", "src/a.py"),
        ("/widget/src/a.py", "src/a.py"),
        ("/srv/a.py", "srv/a.py"),
        ("/tmp/a.py", None),
        ("/usr/lib/site-packages/a.py", None),
        ("", None),
        ("..", None),
        ("tmp/a.py", "tmp/a.py"),  # a folder of the repository's own
    ],
)
def test_the_path_below_the_root_without_a_snapshot(raw: str, path: str | None) -> None:
    assert file_path(raw, "acme/widget") == path


@pytest.mark.parametrize(
    ("raw", "leaks"),
    [
        ("/home/fix.patch", True),
        ("test.patch", True),
        ("'./test.patch'", True),
        ("fix.patch.py", False),
        ("my-fix.patch", False),
        ("", False),
    ],
)
def test_patches_of_the_benchmark_leak(raw: str, leaks: bool) -> None:
    assert is_leak(raw) is leaks


@pytest.mark.parametrize(
    ("raw", "file"),
    [
        ("/testbed/src/a.py", "src/a.py"),
        ("'src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        # Down to the bare name, whatever lies before it.
        ("/tmp/setup.py", "setup.py"),
        ("/opt/site-packages/requests/__init__.py", "__init__.py"),
        ("lib/a.py", "a.py"),
        ("../src/a.py", "src/a.py"),
        ("src/../a.py", "a.py"),
        ("src", None),
        ("nope.py", None),
        ("", None),
    ],
)
def test_the_file_of_a_path_in_contextbench(raw: str, file: str | None) -> None:
    assert find_any(raw, FILES) == file


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("/testbed/src/a.py", "src/a.py"),
        ("/workspace/acme__widget/src/a.py", "src/a.py"),
        ("/workspace/a.py", "a.py"),
        ("/app/src/a.py", "app/src/a.py"),
        # Absolute paths keep their dots, relative ones lose them.
        ("/.github/x.yml", ".github/x.yml"),
        ("/workspace/acme__widget/.github/x.yml", ".github/x.yml"),
        (".github/x.yml", "github/x.yml"),
        (".size-limit.js", "size-limit.js"),
        ("../a.py", "a.py"),
    ],
)
def test_the_path_of_gold_in_contextbench(raw: str, path: str) -> None:
    assert gold_as_written(raw) == path
