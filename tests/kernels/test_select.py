"""Which backend computes, and what is said where it cannot."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

from trajmeter import kernels
from trajmeter.errors import BackendError, ConfigurationError
from trajmeter.kernels import Kernels
from trajmeter.kernels._constants import KERNEL_NAMES
from trajmeter.kernels._contract import KERNELS

PRINT_BACKEND = "import trajmeter; print(trajmeter.backend())"

# The finder answers for the extension before any other does.
INTERCEPT = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "trajmeter.kernels._rust":
            {answer}
sys.meta_path.insert(0, Finder())
"""
ABSENT = INTERCEPT.format(answer="raise ModuleNotFoundError(f'No module named {name}', name=name)")

OTHER_SOURCES = """
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, self)
    def create_module(self, spec): return None
    def exec_module(self, module): module.measure = None
"""


def run(program: str, backend: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in os.environ if name != "TRAJMETER_BACKEND"}
    if backend is not None:
        environment["TRAJMETER_BACKEND"] = backend
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def test_auto_takes_rust_where_it_is(rust: Kernels) -> None:
    assert rust is kernels.load("rust")
    assert run(PRINT_BACKEND).stdout == "rust\n"
    assert run(PRINT_BACKEND, "auto").stdout == "rust\n"
    assert run(PRINT_BACKEND, "").stdout == "rust\n"
    assert run(PRINT_BACKEND, "rust").stdout == "rust\n"


def test_python_can_be_asked_for() -> None:
    assert run(PRINT_BACKEND, "python").stdout == "python\n"


def test_python_leaves_the_extension_alone() -> None:
    program = f"{PRINT_BACKEND}; import sys; print('trajmeter.kernels._rust' in sys.modules)"
    assert run(program, "python").stdout == "python\nFalse\n"


def test_auto_falls_back_where_the_extension_is_absent() -> None:
    assert run(ABSENT + PRINT_BACKEND).stdout == "python\n"


def test_rust_fails_where_the_extension_is_absent() -> None:
    done = run(ABSENT + PRINT_BACKEND, "rust")
    assert done.returncode == 1
    assert last_line(done.stderr).startswith(
        "trajmeter.kernels._select._ExtensionMissingError: "
        "the Rust extension trajmeter.kernels._rust is not installed"
    )


@pytest.mark.parametrize("backend", ["auto", "rust"])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            "raise ImportError('undefined symbol: xyz')",
            "importing it raised ImportError: undefined",
        ),
        ("raise SystemError('bad init')", "importing it raised SystemError: bad init"),
        (
            "raise ModuleNotFoundError('No module named numpy', name='numpy')",
            "it needs a module that is missing: No module named numpy",
        ),
        (
            OTHER_SOURCES,
            "it was built from other sources and lacks measure_batched, union,",
        ),
    ],
)
def test_a_broken_extension_is_never_passed_over(answer: str, reason: str, backend: str) -> None:
    done = run(INTERCEPT.format(answer=answer) + PRINT_BACKEND, backend)
    assert done.returncode == 1
    message = last_line(done.stderr)
    assert message.startswith(
        "trajmeter.errors.BackendError: the Rust extension trajmeter.kernels._rust is broken: "
        + reason
    )
    assert message.endswith("rebuild or reinstall trajmeter, or set TRAJMETER_BACKEND=python")


def test_an_unknown_backend_is_an_error() -> None:
    done = run(PRINT_BACKEND, "Rust")
    assert last_line(done.stderr) == (
        "trajmeter.errors.ConfigurationError: "
        "TRAJMETER_BACKEND is 'Rust', expected 'auto', 'rust' or 'python'"
    )


def test_no_backend_of_another_name_can_be_loaded() -> None:
    name: Any = "numpy"
    with pytest.raises(ConfigurationError, match="'numpy', expected 'rust' or 'python'"):
        kernels.load(name)


def test_both_backends_have_every_kernel(kernels: Kernels) -> None:
    expected = {name for name in vars(Kernels) if not name.startswith("_")}
    assert expected == set(KERNELS)
    assert tuple(KERNELS) == KERNEL_NAMES
    assert all(callable(getattr(kernels, name)) for name in expected)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_its_check_and_its_twin_have_one_signature(name: str) -> None:
    """As mypy holds the extension's stub to the contract; annotations are compared as written."""
    declared = inspect.signature(getattr(Kernels, name))
    declared = declared.replace(parameters=[*declared.parameters.values()][1:])
    twin = import_module(f"trajmeter.kernels._python.{KERNELS[name].twin}")
    assert inspect.signature(getattr(twin, name)) == declared
    checked = inspect.signature(KERNELS[name].check)
    assert checked.parameters == declared.parameters
    assert inspect.signature(getattr(kernels.load("python"), name)) == declared


def test_a_kernel_that_there_is_not_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="there is no kernel 'absent'"):
        kernels.load("python").absent  # type: ignore[attr-defined]  # noqa: B018 - that is refused


def test_missing_things_are_distinguished_by_exception_class() -> None:
    program = f"{ABSENT}from trajmeter.errors import BackendError\nfrom trajmeter import kernels\n"
    program += (
        "try:\n    kernels.load('rust')\nexcept BackendError as error:\n    print(error.code)"
    )
    assert run(program).stdout == f"{BackendError.code}\n"
