"""Ends of definitions, which some grammars place after comments that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trajmeter.snapshots._definitions import definitions
from trajmeter.snapshots._languages import language_of

if TYPE_CHECKING:
    from trajmeter.snapshots._definitions import Naming

SCALA = b"""\
trait Loan:
  def due: Int =
    days + 1

  /** Lends it again. */
  def renew(): Unit = add(1)

  // The rest is private.
end Loan

class Shelf {
  def size = books
    .size

  // Nothing is lent.
  def free = size
}
"""


@pytest.mark.parametrize(
    ("naming", "ends"),
    [
        ("default", [b"end Loan", b"days + 1", b"add(1)", b"}", b".size", b"size"]),
        ("contextbench", [b"end Loan", b"again. */\n  ", b"add(1)", b"}", b".size", b"size"]),
    ],
)
def test_definitions_without_braces_end_with_their_last_token(
    naming: Naming, ends: list[bytes]
) -> None:
    language = language_of("a.scala")
    assert language is not None
    found = definitions(SCALA, language, naming)
    assert [each.name for each in found] == ["Loan", "due", "renew", "Shelf", "size", "free"]
    for each, end in zip(found, ends, strict=True):
        assert SCALA[each.start : each.end].endswith(end)
