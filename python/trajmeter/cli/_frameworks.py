"""The frameworks that ``--agent`` names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness import Framework, load_agent
from trajmeter.frameworks.results import evaluation_stem

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["load_frameworks"]


def load_frameworks(references: Sequence[str]) -> list[Framework]:
    """Load the agents, each under a name of its own.

    Args:
        references: Each ``MODULE:OBJECT`` or ``NAME=MODULE:OBJECT``.

    Raises:
        ConfigurationError: There is none, one cannot be loaded, or two would share the name of
            their result files.
    """
    if not references:
        raise ConfigurationError("name at least one agent with --agent MODULE:OBJECT")
    frameworks: list[Framework] = []
    for reference in references:
        name, separator, target = reference.partition("=")
        framework = load_agent(target if separator else reference)
        name = name if separator else framework.name
        if not name.strip():
            raise ConfigurationError(f"agent {reference!r}: expected a name before the '='")
        stem = evaluation_stem(name, "")
        if any(evaluation_stem(other.name, "") == stem for other in frameworks):
            raise ConfigurationError(
                f"two agents are called {name!r}, or would share the name of their result files; "
                f"name one with --agent NAME={reference}"
            )
        frameworks.append(replace(framework, name=name))
    return frameworks
