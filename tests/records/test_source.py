"""Where records were read from."""

from __future__ import annotations

import pytest

from trajmeter.records import Source
from trajmeter.records.source import source_at


@pytest.mark.parametrize(
    "place", [{}, {"line": 3}, {"record": "[0]"}, {"line": 3, "record": "first"}]
)
def test_a_place_that_is_not_validated_equals_one_that_is(place: dict[str, int | str]) -> None:
    made, validated = source_at("a.jsonl", **place), Source(file="a.jsonl", **place)  # type: ignore[arg-type]
    assert made == validated
    assert (hash(made), repr(made), str(made)) == (hash(validated), repr(validated), str(validated))
    assert made.model_dump_json() == validated.model_dump_json()
    assert Source.model_validate(made.model_dump()) == made
