"""What every writer of a results table does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TableWriter", "storable"]


class TableWriter(Protocol):
    """Writes rows, one by one, to a stream that the caller opened and closes."""

    def write(self, values: Sequence[Any]) -> None:
        """Write one row, as :meth:`RowLayout.values` gives it."""

    def finish(self) -> None:
        """Write whatever is still held back; no row may follow."""

    def abandon(self) -> None:
        """Let go of the stream without another word: what was written is thrown away."""


def storable(value: Any) -> Any:  # noqa: ANN401 - whatever a row holds
    r"""The value with every lone half of a surrogate pair, which no file can hold, as ``\udXXX``.

    File names that are no UTF-8 hold such halves; almost no row does, so writers call this only
    where writing the row as it is has failed.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value
