"""Plug-in for pytest: the fixture ``assert_scores``, and its figures in every report.

The module imports only pytest, because every pytest session loads it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

    from trajmeter.records import Task, Trajectory
    from trajmeter.scoring.scorer import Scorer

__all__ = ["AssertScores", "assert_scores"]

_PREFIX = "trajmeter."
_FILES = ("tasks", "snapshots")
_OPTIONS = frozenset({"metrics", "tasks", "snapshots", "profiles", "judge"})
_UNSCORED = ("fail", "skip")


class AssertScores(Protocol):
    """Asserts claims about an attempt; see :func:`trajmeter.testing.assert_scores`."""

    def __call__(
        self,
        attempt: Trajectory | Iterable[Mapping[str, Any] | BaseModel],
        *claims: str,
        task: Task | str | None = None,
    ) -> None:
        """Assert the claims."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the file of figures."""
    parser.getgroup("trajmeter").addoption(
        "--trajmeter-report",
        metavar="FILE",
        help="write every figure that assert_scores checked to FILE, as JSON lines",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the report that collects the figures of all workers."""
    config.addinivalue_line(
        "markers",
        "trajmeter(tasks=None, snapshots=None, metrics=None, profiles=(), unscored='fail'): what "
        "assert_scores scores with",
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Report(_report_file(config)), "trajmeter-report")


def _report_file(config: pytest.Config) -> Path | None:
    """The file of figures, whose folder is created before the tests, which may change theirs."""
    given = config.getoption("--trajmeter-report")
    if given is None:
        return None
    file = Path(given).absolute()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("a").close()
    except OSError as error:
        raise pytest.UsageError(
            f"--trajmeter-report: {given}: cannot be written: {error.strerror}"
        ) from error
    return file


@pytest.fixture
def assert_scores(request: pytest.FixtureRequest) -> AssertScores:
    """Assert claims about an attempt, with the options of the marker ``trajmeter``.

    Paths in the marker are relative to the root of the project. With ``unscored="skip"``, a test
    whose figures were not scored is skipped.
    """
    from trajmeter.errors import ConfigurationError
    from trajmeter.testing import Claim, judge

    options: dict[str, Any] = {}
    for marker in reversed([*request.node.iter_markers("trajmeter")]):  # the nearest wins
        if marker.args:
            raise ConfigurationError(
                f"the marker trajmeter got {marker.args[0]!r} without a name, expected options "
                "such as tasks='gold.jsonl'"
            )
        options |= marker.kwargs
    unscored = options.pop("unscored", "fail")
    if unscored not in _UNSCORED:
        raise ConfigurationError(f"unscored is {unscored!r}, expected 'fail' or 'skip'")
    strange = sorted(options.keys() - _OPTIONS)
    if strange:
        raise ConfigurationError(
            f"the marker trajmeter has no option {strange[0]!r}, only unscored, "
            f"{', '.join(sorted(_OPTIONS))}"
        )

    properties = request.node.user_properties
    # A test that is rerun has those of the earlier run.
    properties[:] = [each for each in properties if not each[0].startswith(_PREFIX)]

    def check(
        attempt: Trajectory | Iterable[Mapping[str, Any] | BaseModel],
        *claims: str,
        task: Task | str | None = None,
    ) -> None:
        __tracebackhide__ = True
        families = dict.fromkeys(Claim.read(claim).name.partition(".")[0] for claim in claims)
        scorer = _scorer(request.config, {"metrics": tuple(families), **options})
        judged = judge(attempt, claims, task=task, scorer=scorer)
        for name, score in judged.figures.items():
            cause = score.cause or score.outcome
            value = score.value if score.counts else cause.value
            properties.append((f"{_PREFIX}{name}", value))
        if judged.failed or (judged.unscored and unscored == "fail"):
            raise AssertionError(judged.describe())
        if judged.unscored:
            pytest.skip(judged.describe())

    return check


_SCORERS = pytest.StashKey["dict[str, Scorer]"]()


def _scorer(config: pytest.Config, options: Mapping[str, Any]) -> Scorer:
    """A scorer with these options, shared by tests with equal options."""
    from trajmeter.scoring.scorer import Scorer

    scorers = config.stash.setdefault(_SCORERS, {})
    key = repr(sorted(options.items()))
    if key not in scorers:
        paths = {
            name: config.rootpath / options[name]
            for name in _FILES
            if isinstance(options.get(name), (str, Path))
        }
        scorers[key] = Scorer(**{**options, **paths})
    return scorers[key]


class _Report:
    """Collects figures from test reports, whichever process the tests ran in."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._found: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the figures of a test, whose report has those of its subtests too."""
        if report.when != "call" or hasattr(report, "context"):
            return
        for name, value in report.user_properties:
            if name.startswith(_PREFIX):
                is_value = isinstance(value, (int, float))
                self._found.append(
                    {
                        "test": report.nodeid,
                        "outcome": report.outcome,
                        "figure": name.removeprefix(_PREFIX),
                        "value": value if is_value else None,
                        "unscored": None if is_value else value,
                    }
                )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the mean of each figure and the number of values it covers."""
        values: dict[str, list[float | None]] = {}
        for found in self._found:
            values.setdefault(found["figure"], []).append(found["value"])
        if not values:
            return
        terminalreporter.section("trajmeter")
        for name, of_figure in values.items():
            known = [value for value in of_figure if value is not None]
            mean = f"{math.fsum(known) / len(known):.3f}" if known else "-"
            terminalreporter.write_line(f"{name}: {mean}, {len(known)} of {len(of_figure)} scored")

    def pytest_sessionfinish(self) -> None:
        """Write the file of figures."""
        if self._file is not None:
            lines = "".join(f"{json.dumps(found)}\n" for found in self._found)
            self._file.write_text(lines, encoding="utf-8")
