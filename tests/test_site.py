"""Checks of the documentation site that need no mkdocs; `make site` builds it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]
API = ROOT / "docs" / "api"
_SHOWN = re.compile(r"^::: (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / ".ci" / "site_pages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_has_its_place_in_the_api() -> None:
    shown = set(_SHOWN.findall("".join(page.read_text("utf-8") for page in API.glob("*.md"))))
    errors = {"trajmeter.TrajmeterError", "trajmeter.__version__"}  # of errors.md, and no object
    assert {f"trajmeter.{name}" for name in trajmeter.__all__} - errors <= shown
    assert "trajmeter.errors" in shown
    listed = set(re.findall(r"`(\w+)`", (API / "index.md").read_text("utf-8")))
    assert set(trajmeter.__all__) - {"__version__"} <= listed


@pytest.mark.parametrize("folder", ["metrics", "formats", "hosts", "guides", "start", "api", "."])
def test_the_navigation_names_every_page(folder: str) -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").split("\nnav:\n")[1]
    named = set(re.findall(r"([\w/-]+\.md)$", navigation, re.MULTILINE))
    found = {
        page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs" / folder).glob("*.md")
    }
    assert found
    assert found - named == set()


def test_nothing_is_loaded_from_elsewhere(pages: ModuleType) -> None:
    local = '<link href="site.css"><img src="a.png"><a href="https://example.org">there</a>'
    assert pages.loaded_from_elsewhere(local) == []
    for html in (
        '<link rel="stylesheet" href="https://fonts.example.org/css">',
        '<script src="//cdn.example.org/a.js"></script>',
        "<img src='http://example.org/a.png'>",
    ):
        assert len(pages.loaded_from_elsewhere(html)) == 1


@pytest.mark.parametrize(
    ("source", "text", "shown"),
    [
        (
            "docs/metrics/turns.md",
            "[there](../columns.md#how-fast)",
            "[there](../columns.md#how-fast)",
        ),
        ("docs/index.md", "[changes](../CHANGELOG.md)", "[changes](changelog.md)"),
        ("docs/start/kernels.md", "[c](../../CONTRIBUTING.md#a)", "[c](../contributing.md#a)"),
        ("CHANGELOG.md", "[docs/report.md](docs/report.md)", "[docs/report.md](report.md)"),
        ("docs/metrics/turns.md", "[code](../../python/trajmeter)", "`python/trajmeter`"),
        ("docs/index.md", "![picture](coverage.svg)", "![picture](coverage.svg)"),
        ("docs/index.md", "[web](https://example.org)", "[web](https://example.org)"),
    ],
)
def test_links_hold_on_the_site(pages: ModuleType, source: str, text: str, shown: str) -> None:
    assert pages.relinked(text, source) == shown


@pytest.fixture
def docstrings() -> Any:
    pytest.importorskip("griffe", reason="mkdocstrings is not installed")
    path = ROOT / ".ci" / "site_docstrings.py"
    spec = importlib.util.spec_from_file_location("site_docstrings", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_a_role_becomes_a_link_that_may_lead_nowhere(docstrings: ModuleType) -> None:
    shown = docstrings.as_markdown("See :func:`~trajmeter.score`.\n\n    Example:\n        >>> 1\n")
    name = "trajmeter.score"
    link = f'<autoref optional identifier="{name}"><code>{name}</code></autoref>'
    assert shown == f"See {link}.\n\n    Examples:\n        >>> 1\n"


def test_a_citation_names_the_version_of_the_package() -> None:
    manifest = (ROOT / "pyproject.toml").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.+)"$', manifest, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [version]
    page = (ROOT / "docs" / "cite.md").read_text("utf-8")
    assert re.findall(r"version = \{(.+)\}", page) == [version]
