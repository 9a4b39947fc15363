"""Text that can be encoded as UTF-8."""

from __future__ import annotations

from typing import Any

__all__ = ["storable"]


def storable(value: Any) -> Any:  # noqa: ANN401 - whatever a row holds
    r"""Replace every unpaired surrogate, which cannot be encoded as UTF-8, by ``\udXXX``.

    File names that are not UTF-8 contain such surrogates. As almost no row does, writers call this
    only after writing the unchanged row has failed.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value
