"""Packages whose names are imported on first use."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from trajmeter import metrics, records, snapshots
from trajmeter.lazy import lazy_getattr

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "lazy_package"


@pytest.fixture
def package() -> Iterator[ModuleType]:
    made, below = ModuleType(_NAME), ModuleType(f"{_NAME}.below")
    vars(below)["thing"] = object()
    sys.modules |= {_NAME: made, f"{_NAME}.below": below}
    vars(made)["__all__"] = ["lost", "thing"]
    vars(made)["__getattr__"] = lazy_getattr(_NAME, {"thing": "below", "lost": "below"})
    yield made
    del sys.modules[_NAME], sys.modules[f"{_NAME}.below"]


def test_a_name_is_that_of_its_module(package: ModuleType) -> None:
    assert package.thing is sys.modules[f"{_NAME}.below"].thing


def test_all_names_are_listed(package: ModuleType) -> None:
    assert dir(package) == ["lost", "thing"]
    assert dir(metrics) == sorted(metrics.__all__)


def test_a_name_is_looked_up_once(package: ModuleType) -> None:
    found = package.thing
    del sys.modules[f"{_NAME}.below"].thing
    assert package.thing is found


def test_other_names_are_not_attributes(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'lazy_package' has no attribute 'other'"):
        _ = package.other
    assert not hasattr(snapshots, "other")


def test_names_are_listed_before_they_are_loaded() -> None:
    assert {"Question", "Trajectory"} <= {*dir(records)}
