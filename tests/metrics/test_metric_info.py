"""What built-in metrics say of themselves."""

from __future__ import annotations

import dataclasses

import pytest

from trajmeter.metrics import Resources, RowLayout, create, describe
from trajmeter.metrics.registry import BUILT_IN
from trajmeter.records import Task, Trajectory

ALL_BUILT_IN = sorted(BUILT_IN)


@pytest.mark.parametrize("name", ALL_BUILT_IN)
def test_a_built_in_metric_states_its_inputs_and_outputs(name: str) -> None:
    (metric,) = create([name])
    assert metric.name == name
    assert metric.version
    fields = {
        *(f"Task.{field}" for field in Task.model_fields),
        *(f"Trajectory.{field}" for field in Trajectory.model_fields),
        *(f"Resources.{field.name}" for field in dataclasses.fields(Resources)),
    }
    assert set(metric.requires) <= fields
    undescribed = [column.name for column in RowLayout([metric]).columns if not column.description]
    assert undescribed == []


@pytest.mark.parametrize("name", ALL_BUILT_IN)
def test_the_profiles_of_a_built_in_metric_can_be_chosen(name: str) -> None:
    for profile in describe(name).profiles:
        (metric,) = create([name], profiles=[profile])
        assert metric.parameters.get("profile") == profile
