"""Measurements: a positive number, or the reason there is none."""

from __future__ import annotations

from math import inf, nan

import pytest
from pydantic import ValidationError

from trajmeter.records import InvalidReason, Measurement, Measurements, measured


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
def test_what_stands_in_the_place_of_a_number(raw: object, found: float | InvalidReason) -> None:
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
