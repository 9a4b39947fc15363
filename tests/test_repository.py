"""Checks of the repository's own files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from benches.results import DOCUMENTS, with_tables
from trajmeter.snapshots._languages import LANGUAGES

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


def _extras() -> dict[str, str]:
    """The requirements of each extra, as they are written."""
    section = MANIFEST.split("[project.optional-dependencies]")[1].split("\n[")[0]
    return dict(re.findall(r"^([a-z]+) = (\[.+?\])$", section, re.MULTILINE | re.DOTALL))


_APART = {"inspect", "pydantic-evals", "opentelemetry", "deepeval", "ray", "hf"}
"""Extras of tools that cannot all be installed together, of clusters and of remote files."""


def test_all_holds_the_extras_that_most_users_want() -> None:
    extras = _extras()
    everything = extras.pop("all")
    assert everything == f'["trajmeter[{",".join(sorted(extras.keys() - _APART))}]"]'


_MODULES = {
    "huggingface_hub": "fsspec",
    "opentelemetry-sdk": "opentelemetry",
    "pyyaml": "yaml",
    "pydantic-ai-slim": "pydantic_ai",
}
"""Modules of distributions that are named otherwise, or that they bring."""


def test_something_imports_what_an_extra_installs() -> None:
    sources = "".join(
        text for name, text in _tracked_texts().items() if name.startswith("python/trajmeter/")
    )
    imported = set(re.findall(r"^ *(?:from|import) (\w+)", sources, re.MULTILINE))
    extras = _extras()
    del extras["all"]
    required = re.findall(r'"([\w-]+)', " ".join(extras.values()))
    assert {"pyarrow", "pyyaml"} <= set(required)
    modules = {name: _MODULES.get(name, name.replace("-", "_")) for name in required}
    # Grammars are imported by the names of their packages, which a table derives from languages.
    imported |= {language.package.replace("-", "_") for language in LANGUAGES}
    assert [name for name, module in modules.items() if module not in imported] == []


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_documents_show_the_benchmarks_as_they_were_measured(document: Path) -> None:
    shown = with_tables(document)
    assert shown.count("Measured by `python -m benches") == 2
    assert document.read_text(encoding="utf-8") == shown, "run `make readme`"


@pytest.mark.parametrize("task", ["a family of metrics", "a format", "a kernel"])
def test_the_files_that_contributing_names_exist(task: str) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"## Adding {task}\n")[1].split("\n## ")[0]
    paths = re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)
    assert len(paths) > 2
    names = [_names_of(path) for path in paths if "<" in path]
    assert set.intersection(*names), f"{paths} exist together for no name"
    assert [path for path in paths if "<" not in path and not (ROOT / path).exists()] == []


def test_one_word_finds_all_of_a_metric() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Finding a metric\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))
    pages = {page.stem for page in (ROOT / "docs" / "metrics").glob("*.md")}
    folders = {score.parent.name for score in ROOT.glob("python/trajmeter/metrics/*/score.py")}
    assert rows.keys() == pages == folders
    assert [name for name in rows if not (ROOT / "tests" / "metrics" / name).is_dir()] == []
    for noun in re.findall(r"`(\w+)`", " ".join(rows.values())):
        twin = ROOT / f"python/trajmeter/kernels/_python/{noun}.py"
        core = ROOT / "rust/core/src" / noun
        assert twin.exists(), noun
        assert core.is_dir() or core.with_suffix(".rs").exists(), noun
        assert (ROOT / f"tests/kernels/test_{noun}.py").exists(), noun
        assert (ROOT / f"benches/bench_{noun}.py").exists(), noun


def _names_of(path: str) -> set[str]:
    """The names that stand for `<...>` in the paths that exist."""
    before, after = re.split(r"<\w+>", path)
    found = {found.relative_to(ROOT).as_posix() for found in ROOT.glob(f"{before}*{after}")}
    return {name.removeprefix(before).removesuffix(after) for name in found}


@pytest.mark.parametrize("folder", [".", "docs", "docs/metrics", "fuzz"])
def test_the_pages_link_to_files_that_exist(folder: str) -> None:
    pages = list((ROOT / folder).glob("*.md"))
    assert pages
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert missing == []


def test_a_fuzz_target_is_declared_and_explained() -> None:
    targets = {path.stem for path in (ROOT / "fuzz" / "fuzz_targets").glob("*.rs")}
    declared = re.findall(
        r'^path = "fuzz_targets/(\w+).rs"$',
        (ROOT / "fuzz" / "Cargo.toml").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert targets == set(declared)
    readme = (ROOT / "fuzz" / "README.md").read_text(encoding="utf-8")
    assert [target for target in targets if f"- `{target}`" not in readme] == []
