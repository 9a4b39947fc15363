"""Commands whose help says of an option and an argument what a person needs, and no type's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Command", "Group"]


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - its class has moved between versions
        """The options and arguments, ``--help`` among them."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A command that has others below it."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - as above
        """The options and arguments, ``--help`` among them."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: Sequence[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""  # typer shows <bool> for want of one
        elif parameter.param_type_name == "argument" and parameter.metavar:
            parameter.display_type_rich = _nothing  # <list[Path]> beside the name
    return list(parameters)


def _nothing(ctx: object) -> str:
    del ctx
    return ""
