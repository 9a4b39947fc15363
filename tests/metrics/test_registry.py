from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from tests.metrics import fakes
from trajmeter import records
from trajmeter.errors import ConfigurationError, ExtraMissingError, UnknownNameError
from trajmeter.metrics import Resources, RowLayout, available, create, describe, registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUILT_IN = sorted(registry._BUILT_IN)  # noqa: SLF001 - the table is what is tested


def make_answer(resources: Resources) -> fakes.AnswerMetric:
    metric = fakes.AnswerMetric()
    metric.parameters = {"profile": resources.profile}
    return metric


def make_nothing(resources: Resources) -> object:
    return resources


def make_without_extra(resources: Resources) -> object:
    raise ExtraMissingError("needs whatthepatch: pip install 'trajmeter[patches]'")


def make_badly(resources: Resources) -> object:
    raise KeyError("absent")


RANK = fakes.RankMetric()
NO_METRIC = "text"


@pytest.fixture(autouse=True)
def families(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two built-in families of this module's, and plug-ins of every kind."""
    family = registry._Family  # noqa: SLF001 - a table of the test's own
    monkeypatch.setattr(
        registry,
        "_BUILT_IN",
        {
            "answer": family("tests.metrics.test_registry_family", profiles=("quirky", "shared")),
            "other": family("tests.metrics.test_registry_family", profiles=("odd", "shared")),
        },
    )
    plugins = {
        "rank": "tests.metrics.test_registry:RANK",
        "made": "tests.metrics.test_registry:make_answer",
        "nothing": "tests.metrics.test_registry:make_nothing",
        "text": "tests.metrics.test_registry:NO_METRIC",
        "extra": "tests.metrics.test_registry:make_without_extra",
        "badly": "tests.metrics.test_registry:make_badly",
        "broken": "tests.metrics.absent:create",
    }
    points = [EntryPoint(name, value, "trajmeter.metrics") for name, value in plugins.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    registry._plugins.cache_clear()  # noqa: SLF001 - found once per process
    yield
    registry._plugins.cache_clear()  # noqa: SLF001 - likewise
