"""What holds for the files of the repository themselves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from trajmeter.kernels import Kernels

ROOT = Path(__file__).parents[1]
MANIFEST = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
LONGEST_FILE = 400  # lines; what outgrows it holds more than one thing
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def _tracked_texts() -> dict[str, str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: there is no list of its files")
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - the developer's own git
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return {
        str(path.relative_to(ROOT)): path.read_bytes().decode("utf-8", errors="replace")
        for path in paths
        if path.is_file()
    }


def test_no_file_names_a_place_on_the_machine_it_was_written_on() -> None:
    places = (f"{ROOT}/", f"{Path.home()}/")
    texts = _tracked_texts()
    assert "pyproject.toml" in texts
    assert [name for name, text in texts.items() if any(place in text for place in places)] == []


def test_a_source_file_is_one_noun_of_the_domain_and_short() -> None:
    sources = {
        name: text for name, text in _tracked_texts().items() if name.endswith((".py", ".rs"))
    }
    assert [name for name, text in sources.items() if text.count("\n") > LONGEST_FILE] == []
    vague = {"common", "helpers", "misc", "shared", "utils", "util"}
    assert [name for name in sources if vague & set(re.split(r"[/._]", name))] == []


def test_both_build_systems_know_one_version() -> None:
    in_pyproject = re.search(r'^version = "(.+)"$', MANIFEST, re.MULTILINE)
    cargo = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    in_cargo = re.search(r'^version = "(.+)"$', cargo, re.MULTILINE)
    assert in_pyproject
    assert in_cargo
    assert in_pyproject[1] == in_cargo[1]


def test_every_extra_but_ray_is_in_all() -> None:
    extras = MANIFEST.split("[project.optional-dependencies]")[1].split("\n[")[0]
    names = set(re.findall(r"^([a-z]+) = ", extras, re.MULTILINE)) - {"all", "ray"}
    named = re.search(r'^all = \["trajmeter\[(.+)\]"\]$', extras, re.MULTILINE)
    assert named
    assert named[1].split(",") == sorted(names)


def test_every_build_requirement_is_one_that_developers_have() -> None:
    backend = (ROOT / "build_backend" / "trajmeter_build.py").read_text(encoding="utf-8")
    required = re.findall(r'^_[A-Z]+ = "(.+)"$', backend, re.MULTILINE)
    assert len(required) == 3
    group = re.search(r"^build = (\[.+\])$", MANIFEST, re.MULTILINE)
    assert group
    assert [line for line in required if f'"{line}"' not in group[1]] == []


def test_the_makefile_describes_every_target_it_offers() -> None:
    phony = set(re.findall(r"^\.PHONY: ([a-z-]+)$", MAKEFILE, re.MULTILINE))
    described = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    assert {"build", "ci", "test"} <= described
    assert phony == described


def test_the_readme_names_every_kernel() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    kernels = [name for name in vars(Kernels) if not name.startswith("_")]
    assert "trajectory" in kernels
    assert [name for name in kernels if f"`{name.removesuffix('_batched')}`" not in text] == []
