"""Checks of the hosted workflows, and of the scripts that only they call."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jobs_of(workflow: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text("utf-8")
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_and_say_their_version(workflow: Path) -> None:
    used = re.findall(r"uses: (.+)$", workflow.read_text("utf-8"), re.MULTILINE)
    assert used
    pinned = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [action for action in used if not pinned.fullmatch(action)] == []


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    texts = "".join(path.read_text("utf-8") for path in WORKFLOWS)
    pins = set(re.findall(r"uses: ([\w./-]+)@([0-9a-f]+)", texts))
    assert len({name for name, _ in pins}) == len(pins)


def test_wheels_are_built_by_the_maturin_of_development() -> None:
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")
    pins = (ROOT / "constraints.txt").read_text("utf-8")
    assert re.findall(r"MATURIN_VERSION: v(\S+)", workflow) == re.findall(
        r"^maturin==(\S+)$", pins, re.MULTILINE
    )


def test_every_wheel_is_tested_and_released() -> None:
    jobs = jobs_of("wheels")
    builds = {name for name, job in jobs.items() if name not in {"release", "publish"}}
    assert set(jobs["release"]["needs"]) == builds
    assert jobs["publish"]["needs"] == "release"
    for name in builds:
        steps = jobs[name]["steps"]
        tested = [
            place for place, step in enumerate(steps) if "test_wheel.py" in step.get("run", "")
        ]
        kept = [place for place, step in enumerate(steps) if "upload-artifact" in str(step)]
        assert tested
        assert max(tested) < min(kept), name  # what fails its tests is not kept


def test_only_the_jobs_that_release_may_write() -> None:
    for workflow in WORKFLOWS:
        for name, job in jobs_of(workflow.stem).items():
            assert name in {"release", "publish"} or "permissions" not in job, workflow


@pytest.mark.parametrize(
    ("wheel", "backend"),
    [
        ("trajmeter-0.1.0-py3-none-any.whl", "python"),
        ("trajmeter-0.1.0-cp310-abi3-win_amd64.whl", None),
        ("trajmeter-0.1.0-cp314-cp314t-manylinux_2_28_x86_64.whl", None),
    ],
)
def test_a_wheel_is_tested_with_its_own_kernels(wheel: str, backend: str | None) -> None:
    made = script("test_wheel").environment_of(Path(wheel), {"PYTHONPATH": "python", "HOME": "/"})
    assert made.get("TRAJMETER_TEST_BACKEND") == backend
    assert made["HOME"] == "/"
    assert "PYTHONPATH" not in made  # or the checkout would be tested


@pytest.mark.parametrize(("extras", "wanted"), [("data", "x.whl[data]"), ("", "x.whl")])
def test_a_wheel_is_installed_with_the_tools_of_tests(extras: str, wanted: str) -> None:
    command = script("test_wheel").command_of(Path("python"), Path("x.whl"), extras)
    assert command[-3:-1] == ["--group", "test"]
    assert command[-1].endswith(wanted)


def test_the_lowest_versions_are_those_of_the_manifest() -> None:
    manifest = """
[project]
dependencies = ["numpy>=1.26"]
[project.optional-dependencies]
judge = ["models[openai]>=2.19"]
[project.scripts]
tool = "a>=1"
[dependency-groups]
test = ["pytest>=9"]
host-one = [
    { include-group = "test" },
    "first>=1.2",
    "second[extra]>=0.3; python_version >= '3.11'",
]
host-two = [
    { include-group = "test" },
    "third>=4",
]
dev = ["fourth>=5"]
[tool.x]
host-three = ["fifth>=6"]
"""
    lowest = script("lowest").lowest
    assert lowest(manifest, "hosts") == ["first==1.2", "second==0.3", "third==4"]
    assert lowest(manifest, "package") == ["models==2.19", "numpy==1.26"]
    found = (ROOT / "pyproject.toml").read_text("utf-8")
    assert [line for line in lowest(found, "hosts") if line.startswith("inspect-ai==")]
    assert [line for line in lowest(found, "package") if line.startswith("pyarrow==")]
