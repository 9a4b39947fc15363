"""Installs the package in every supported way, with cargo and without.

Each install happens in a fresh environment, builds in isolation, and then computes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROBE = """
import trajmeter, trajmeter.kernels
from importlib.metadata import requires, version
from importlib.util import find_spec
print(trajmeter.backend(), trajmeter.__version__ == version("trajmeter"), bool(find_spec("typer")))
"""

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.timeout(1800),  # each compiles the extension, some on a busy machine
    pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed"),
]


def _run(*command: str | Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, capture_output=True, check=False, cwd=ROOT, env=environment, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _environment(tmp_path: Path, *, kernels: str) -> dict[str, str]:
    """The variables of a build; no program at all is on its PATH where cargo must not be."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target" / "packaging")}
    environment.pop("TRAJMETER_BUILD", None)
    if kernels == "python":
        empty = tmp_path / "empty"
        empty.mkdir(exist_ok=True)
        environment["PATH"] = str(empty)
    return environment


def _pip(*arguments: str | Path, environment: dict[str, str], python: Path | None = None) -> None:
    target = ("--python", python) if python else ()
    pip = (sys.executable, "-m", "pip", "--quiet", *target)
    constraints = ("--constraint", "constraints.txt", "--build-constraint", "constraints.txt")
    _run(*pip, *arguments, *constraints, environment=environment)


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the source archive and, in a folder for each, both wheels."""
    directory = tmp_path_factory.mktemp("archives")
    environment = _environment(directory, kernels="rust")
    program = "import sys, trajmeter_build as build; build.build_sdist(sys.argv[1])"
    backend = {**environment, "PYTHONPATH": str(ROOT / "build_backend")}
    _run(sys.executable, "-c", program, directory, environment=backend)
    for kernels in ("python", "rust"):
        _pip(
            *("wheel", ".", "--no-deps", "--wheel-dir", directory / kernels),
            environment=_environment(directory, kernels=kernels),
        )
    return directory


def _only(directory: Path, pattern: str) -> Path:
    (found,) = directory.glob(pattern)
    return found


@pytest.fixture(params=["python", "rust"])
def kernels(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize("way", ["directory", "extra", "archive", "editable"])
def test_an_install_computes(way: str, kernels: str, archives: Path, tmp_path: Path) -> None:
    archive = _only(archives, "*.tar.gz")
    # An editable install finds an extension that an earlier one left behind, hence fresh sources.
    shutil.unpack_archive(archive, tmp_path, filter="data")
    requirement: dict[str, list[str | Path]] = {
        "directory": ["."],
        "extra": [".[cli]"],
        "archive": [archive],
        "editable": ["--editable", tmp_path / archive.name.removesuffix(".tar.gz")],
    }
    environment = _environment(tmp_path, kernels=kernels)
    python = tmp_path / "venv" / "bin" / "python"
    _run(
        *(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"),
        environment=environment,
    )
    _pip("install", *requirement[way], environment=environment, python=python)
    printed = _run(python, "-I", "-c", PROBE, environment=environment)
    assert printed.split() == [kernels, "True", str(way == "extra")]


def test_a_wheel_holds_the_types_and_the_twin_and_no_tests(kernels: str, archives: Path) -> None:
    wheel = _only(archives / kernels, "*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {
        "trajmeter/py.typed",
        "trajmeter/kernels/_rust.pyi",
        "trajmeter/kernels/_python/__init__.py",
    } <= set(names)
    assert {name.split("/")[0] for name in names} == {"trajmeter", "trajmeter-0.1.0.dist-info"}
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    if kernels == "rust":
        assert len(compiled) == 1
        assert "-cp310-abi3-" in wheel.name
    else:
        assert compiled == []
        assert wheel.name.endswith("-py3-none-any.whl")


def test_the_source_archive_holds_all_that_either_build_needs(archives: Path) -> None:
    with tarfile.open(_only(archives, "*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "build_backend/trajmeter_build.py",
        "pyproject.toml",
        "python/trajmeter/kernels/_rust.pyi",
        "python/trajmeter/py.typed",
        "rust/core/src/lib.rs",
        "rust/py/src/lib.rs",
    } <= names
    assert [name for name in names if name.endswith((".so", ".pyc"))] == []


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("rust", "TRAJMETER_BUILD is 'rust', but cargo is not installed or does not run"),
        ("java", "TRAJMETER_BUILD is 'java', expected 'auto', 'rust' or 'python'"),
    ],
)
def test_a_build_that_cannot_be_made_says_why(choice: str, message: str, tmp_path: Path) -> None:
    environment = {**_environment(tmp_path, kernels="python"), "TRAJMETER_BUILD": choice}
    failed = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--wheel-dir", tmp_path],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env=environment,
        text=True,
    )
    assert failed.returncode != 0
    assert message in failed.stderr + failed.stdout


def test_rust_can_be_declined_where_cargo_is_installed(tmp_path: Path) -> None:
    environment = _environment(tmp_path, kernels="rust")
    _pip(
        *("wheel", ".", "--no-deps", "--wheel-dir", tmp_path),
        environment={**environment, "TRAJMETER_BUILD": "python"},
    )
    assert _only(tmp_path, "*.whl").name.endswith("-py3-none-any.whl")
