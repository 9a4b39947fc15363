from __future__ import annotations

import importlib
import importlib.machinery
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trajmeter
from trajmeter import errors
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).parents[1]
OPTIONAL = (
    "deepeval",
    "genai_prices",
    "inspect_ai",
    "jinja2",
    "opentelemetry",
    "pyarrow",
    "pydantic_ai",
    "pydantic_evals",
    "radon",
    "rich",
    "scipy",
    "tree_sitter",
    "typer",
    "yaml",
)


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def _public_modules() -> list[ModuleType]:
    found = pkgutil.walk_packages(trajmeter.__path__, prefix="trajmeter.")
    return [trajmeter, *(each for m in found if _is_public(m.name) for each in _imported(m.name))]


def _imported(name: str) -> Iterator[ModuleType]:
    """The module; nothing if it is that of a host which is not installed here."""
    try:
        yield importlib.import_module(name)
    except errors.ExtraMissingError:
        if not name.startswith("trajmeter.hosts."):
            raise


def _constants_then_classes_then_functions(name: str) -> tuple[bool, bool, str]:
    return not name.isupper(), not name[0].isupper(), name


PUBLIC_MODULES = _public_modules()
LATE = (
    "importlib.metadata",
    "trajmeter.metrics.record_aggregator",
    "trajmeter.metrics.rules.summary",
    "trajmeter.metrics.turns.summary",
    "trajmeter.readers._read",
    "trajmeter.records.question",
    "trajmeter.records.result_file",
    "trajmeter.scoring.sessions.session",
    "trajmeter.snapshots._open",
    "trajmeter.statistics",
    "trajmeter.summaries",
    "trajmeter.writers",
)
"""What a scorer is set up without; each takes milliseconds to import."""


@pytest.mark.skipif(
    not LazyModel.model_config["defer_build"], reason="this pydantic builds models at once"
)
def test_setting_up_a_scorer_loads_and_builds_nothing_that_it_does_not_need() -> None:
    program = (
        "import sys, trajmeter\n"
        "from trajmeter.records.record import LazyModel\n"
        "trajmeter.Scorer(['context', 'tools', 'turns', 'rules'])\n"
        f"print([name for name in {LATE} if name in sys.modules])\n"
        "def below(kind):\n"
        "    return [kind, *(each for one in kind.__subclasses__() for each in below(one))]\n"
        "print([each for each in below(LazyModel)[1:] if each.__pydantic_complete__])\n"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n[]\n"


def test_importing_the_package_loads_no_optional_dependency() -> None:
    program = "import sys, trajmeter; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout.split()
    assert "trajmeter" in loaded
    assert set(OPTIONAL) & set(loaded) == set()


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_a_public_module_lists_its_names_in_order_and_has_them_all(module: ModuleType) -> None:
    names = getattr(module, "__all__", [])
    assert names == sorted(set(names), key=_constants_then_classes_then_functions)
    assert [name for name in names if not hasattr(module, name)] == []
    assert names or hasattr(module, "__path__"), "only a package may leave all to its modules"


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_a_public_module_says_what_it_is_for(module: ModuleType) -> None:
    assert module.__doc__


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unheard_of'"):
        trajmeter.unheard_of  # noqa: B018 - reading the attribute is what is tested


def test_the_package_completes_its_public_names_and_no_others() -> None:
    assert dir(trajmeter) == sorted(trajmeter.__all__)


def _error_classes() -> list[type[errors.TrajmeterError]]:
    named = [getattr(errors, name) for name in errors.__all__]
    return [each for each in named if isinstance(each, type)]


def test_every_error_has_a_unique_code() -> None:
    codes = [error.__dict__["code"] for error in _error_classes()]
    assert len(set(codes)) == len(codes)
    assert [code for code in codes if not re.fullmatch(r"[a-z]+(_[a-z]+)*", code)] == []


def test_every_error_class_is_public() -> None:
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert defined == {error.__name__ for error in _error_classes()}


def test_every_code_of_the_rust_core_is_that_of_an_exception() -> None:
    source = (ROOT / "rust" / "core" / "src" / "error.rs").read_text(encoding="utf-8")
    codes = set(re.findall(r'=> "([a-z_]+)",', source))
    assert {"negative_span", "overflow"} <= codes
    assert codes <= {error.code for error in _error_classes()}


@pytest.mark.parametrize("error", _error_classes(), ids=lambda error: error.code)
def test_every_error_is_tested_where_it_is_raised(error: type[errors.TrajmeterError]) -> None:
    if error is errors.TrajmeterError:
        return  # the base is never raised itself
    this = Path(__file__)
    files = [path for path in this.parent.rglob("*.*") if path.suffix in {".json", ".py"}]
    texts = [path.read_text(encoding="utf-8") for path in files if path != this]
    assert any(error.__name__ in text or f'"{error.code}"' in text for text in texts)


def test_pytest_leaves_the_modules_of_the_package_as_they_are() -> None:
    """Its loader parses them, which may fail in threads."""
    spec = importlib.import_module("trajmeter.readers.fceval").__spec__
    assert spec is not None
    assert type(spec.loader) is importlib.machinery.SourceFileLoader
