"""The table of attempts as markup: what the browser will decompress."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.reports.page.reports_of_attempts import HOSTILE, few_attempts, many_attempts
from trajmeter.errors import InputError
from trajmeter.reports.page.attempt_markup import attempt_markup
from trajmeter.reports.page.attempts import (
    BLOCK,
    AttemptTable,
    DetailBlock,
    NumberColumn,
    TextColumn,
)


def scripts(table: AttemptTable) -> dict[str, str]:
    found = re.findall(
        r'<script type="[\w/]+" id="attempts-([\w-]+)">(.*?)</script>',
        "".join(attempt_markup(table)),
        re.DOTALL,
    )
    return dict(found)


def unpacked(text: str) -> bytes:
    return gzip.decompress(base64.b64decode(text))


def unpacked_json(text: str) -> Any:
    return json.loads(unpacked(text))


def test_columns_are_kept_to_the_last_bit_and_missing_values_stay_missing() -> None:
    table = few_attempts()
    found = scripts(table)
    directory = json.loads(found["directory"])
    assert (directory["rows"], directory["block"]) == (6, BLOCK)
    assert [column["kind"] for column in directory["columns"]] == [
        *("text", "text", "text", "number", "integer", "boolean"),
    ]
    f1 = np.frombuffer(unpacked(found["column-3"]), dtype="<f8")
    np.testing.assert_array_equal(f1, [0.5, 0.25, np.nan, 1.0, 0.75, 0.0004])
    outcomes = np.frombuffer(unpacked(found["column-2"]), dtype="<i4")
    assert outcomes.tolist() == [0, 0, 1, 0, -1, 2]
    assert unpacked_json(found["texts-2"]) == ["scored", "not_scored", HOSTILE]


def test_details_are_found_by_block_and_place() -> None:
    found = scripts(many_attempts(BLOCK + 10))
    assert [name for name in found if name.startswith("details")] == ["details-0", "details-1"]
    second = unpacked_json(found["details-1"])
    assert len(second) == 10
    facts, turns, answer, reasoning = second[3]
    number = BLOCK + 3
    assert facts == {
        "title": "Figures",
        "facts": [["cause", "missing_gold"], ["reason", f"none of attempt {number}"]],
    }
    assert turns["numbers"] == [0]
    assert answer["text"].splitlines()[1] == f"second line of attempt {number}"
    assert reasoning["folded"] is True


def test_no_text_leaves_its_script_and_controls_are_shown_as_such() -> None:
    column = TextColumn("a</script>", "\u202eb", np.zeros(1, np.int32), ("c\x1b[31m</script>",))
    table = AttemptTable("</h2><b>", (column,), [(DetailBlock("d\u2066", text="\ud800\te"),)])
    markup = "".join(attempt_markup(table))
    assert "<b>" not in markup
    assert markup.count("</script>") == 4  # directory, codes, texts and one block of details
    found = scripts(table)
    (described,) = json.loads(found["directory"])["columns"]
    assert (described["name"], described["label"]) == ("a</script>", r"\u202eb")
    assert unpacked_json(found["texts-0"]) == [r"c\x1b[31m</script>"]
    assert unpacked_json(found["details-0"]) == [[{"title": r"d\u2066", "text": "\ud800\te"}]]


def test_the_same_table_has_the_same_bytes() -> None:
    assert "".join(attempt_markup(few_attempts())) == "".join(attempt_markup(few_attempts()))


def test_a_table_without_rows_or_columns_has_no_details() -> None:
    empty = NumberColumn("a", "a", np.empty(0))
    for columns in ((), (empty,)):
        found = scripts(AttemptTable("Attempts", columns, ()))
        assert json.loads(found["directory"])["rows"] == 0
        assert not [name for name in found if name.startswith("details")]


@pytest.mark.parametrize("kept", [5, 7])
def test_details_of_another_number_of_attempts_are_refused(kept: int) -> None:
    table = few_attempts()
    details = [(), *table.details][:kept]
    with pytest.raises(InputError, match="6 rows, but details of another number"):
        list(attempt_markup(replace(table, details=details)))


def test_a_column_of_another_length_is_refused() -> None:
    table = few_attempts()
    short = NumberColumn("short", "short", np.zeros(2))
    with pytest.raises(InputError, match="column 'short' has 2 values, the first has 6"):
        list(attempt_markup(replace(table, columns=(*table.columns, short))))
