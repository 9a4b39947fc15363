"""Measurements: a positive number, or why it is missing; and keys of agents with models."""

from __future__ import annotations

from math import inf, nan

import pytest
from pydantic import ValidationError

from trajmeter.records import InvalidReason, Measurement, Measurements, measured
from trajmeter.records.measurements import agent_key, is_same_agent, normalise_model, split_key


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (1.5, 1.5),
        (3, 3.0),
        (5e-324, 5e-324),
        (None, InvalidReason.MISSING),
        ("1.5", InvalidReason.NOT_A_NUMBER),
        (True, InvalidReason.NOT_A_NUMBER),
        ([1.5], InvalidReason.NOT_A_NUMBER),
        ({}, InvalidReason.NOT_A_NUMBER),
        (nan, InvalidReason.NON_FINITE),
        (-inf, InvalidReason.NON_FINITE),
        (10**400, InvalidReason.NON_FINITE),
        (0, InvalidReason.NOT_POSITIVE),
        (-0.0, InvalidReason.NOT_POSITIVE),
        (-2, InvalidReason.NOT_POSITIVE),
    ],
)
def test_values_in_place_of_a_number(raw: object, found: float | InvalidReason) -> None:
    assert measured(raw) == found
    if raw != {}:  # as a record, an empty object is a missing value
        measurement = Measurement.model_validate(raw)
        assert found in (measurement.value, measurement.reason)
        assert (measurement.value is None) != (measurement.reason is None)


def test_a_measurement_has_a_value_or_a_reason() -> None:
    assert Measurement(value=2.0).reason is None
    assert Measurement(value=-2.0) == Measurement(reason=InvalidReason.NOT_POSITIVE)
    assert Measurement(value=2.0, reason=InvalidReason.FAILED).value is None
    assert Measurement() == Measurement(reason=InvalidReason.MISSING)
    with pytest.raises(ValidationError):
        Measurement.model_validate({"reason": "tired"})


def test_records_survive_json() -> None:
    record = Measurements(
        seconds={"m.f": Measurement(value=1.5), "m.g": Measurement(reason=InvalidReason.SKIPPED)}
    )
    assert Measurements.model_validate_json(record.model_dump_json()) == record
    plain = Measurements.model_validate({"seconds": {"m.f": 1.5, "m.g": {"reason": "skipped"}}})
    assert plain.seconds == record.seconds


@pytest.mark.parametrize(
    ("key", "agent", "model"),
    [("a:m", "a", "m"), ("a:m:v2", "a", "m:v2"), ("a", "a", ""), ("", "", ""), (":m", "", "m")],
)
def test_the_first_colon_separates(key: str, agent: str, model: str) -> None:
    assert split_key(key) == (agent, model)


def test_names_are_put_together() -> None:
    assert agent_key("a", "m") == "a:m"
    assert agent_key("a", None) == "a:unknown"
    assert agent_key(None, "m") == "unknown:m"
    assert agent_key(None, None) == ""


def test_models_are_the_same_in_either_spelling() -> None:
    assert normalise_model("maker/large/v1") == "maker-large-v1"
    assert is_same_agent("a:maker/large", "a:maker-large")
    assert not is_same_agent("a:maker/large", "b:maker/large")
    assert not is_same_agent("a:large", "a:small")
