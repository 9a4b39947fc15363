"""A host that is not installed is named, with what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("host", "package", "extra"),
    [
        ("inspect", "inspect_ai", "inspect"),
        ("pydantic_evals", "pydantic_evals", "pydantic-evals"),
        ("opentelemetry", "opentelemetry", "opentelemetry"),
        ("deepeval", "deepeval", "deepeval"),
    ],
)
def test_a_host_that_is_missing_is_named(host: str, package: str, extra: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from trajmeter.errors import ExtraMissingError\n"
        f"try:\n    import trajmeter.hosts.{host}\n"
        "except ExtraMissingError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", program]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.strip().endswith(f" is missing: pip install 'trajmeter[{extra}]'")


@pytest.mark.parametrize("host", ["callables", "trl", "verifiers"])
def test_hosts_that_call_functions_are_not_imported(host: str) -> None:
    program = (
        "import sys\n"
        "for name in ('langsmith', 'agentevals', 'openevals', 'trl', 'verifiers'):\n"
        "    sys.modules[name] = None\n"
        f"import trajmeter.hosts.{host}\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
