"""Loads agents by name, in a worker process if their module can be imported there."""

from __future__ import annotations

import importlib
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.harness.agents import FunctionAgent, error_text
from trajmeter.frameworks.harness.workers import AgentWorkers

if TYPE_CHECKING:
    from types import ModuleType

    from trajmeter.frameworks.harness.agents import Agent

__all__ = ["Framework", "load_agent", "load_agent_here"]


@dataclass(frozen=True)
class Framework:
    """One agent framework under comparison."""

    name: str
    """Name in results and reports."""
    agent: Agent | AgentWorkers
    """Its implementation of the scenario: an object, or worker processes that create their own."""
    source: Path | None = None
    """Source file of the implementation."""


def load_agent(reference: str) -> Framework:
    """Load an agent named as ``module:object``.

    The object is a class without constructor arguments, an object with ``query``, or a function of
    the question. The module may be in the current folder.

    The agent lives in a worker process, which can be killed. The module is imported here too,
    because it may register scenario profiles. A module that only exists in this process, such as
    ``__main__``, keeps its agent here, where an agent that blocks the event loop cannot be stopped.

    Args:
        reference: Such as ``my_agents:LangGraphAgent``.

    Returns:
        The agent with its source file, named by its ``name`` if it has one, otherwise by its class,
        function or variable.

    Raises:
        ConfigurationError: The reference is malformed, or the agent cannot be imported or created.
    """
    module = _module(reference)
    if module.__name__ == "__main__" or getattr(module, "__spec__", None) is None:
        return load_agent_here(reference)
    workers = AgentWorkers(reference)
    loaded = workers.load()
    if loaded.error is not None:
        raise ConfigurationError(loaded.error)
    return Framework(loaded.name, workers, Path(loaded.source) if loaded.source else None)


def load_agent_here(reference: str) -> Framework:
    """Load an agent into this process.

    Args:
        reference: As for :func:`load_agent`.

    Returns:
        The agent, as for :func:`load_agent`.

    Raises:
        ConfigurationError: As for :func:`load_agent`.
    """
    module = _module(reference)
    attribute = reference.partition(":")[2]
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ConfigurationError(
                f"agent {reference!r}: {getattr(found, '__name__', found)} has no {part!r}"
            )
        found = getattr(found, part)
    file = inspect.getsourcefile(module) if getattr(module, "__file__", None) else None
    agent = _as_agent(found, reference)
    name = _name(agent) or _name(found) or str(getattr(found, "__name__", attribute))
    return Framework(name, agent, Path(file) if file else None)


def _module(reference: str) -> ModuleType:
    """Import the module of a reference."""
    module_name, separator, attribute = reference.partition(":")
    if not (module_name and separator and attribute):
        raise ConfigurationError(
            f"agent {reference!r}: expected module:object, such as my_agents:answer"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # the module may do anything
        message = f"agent {reference!r}: cannot be imported: {error_text(error)}"
        raise ConfigurationError(message) from error


def _name(holder: object) -> str:
    """The agent's own name, if it has one."""
    try:
        name = getattr(holder, "name", None)
    except Exception:  # noqa: BLE001 - a property is the agent's own code
        return ""
    return name.strip() if isinstance(name, str) else ""


def _as_agent(attribute: Any, reference: str) -> Agent:  # noqa: ANN401 - whatever the module contains
    try:
        agent = attribute() if inspect.isclass(attribute) else attribute
    except (Exception, SystemExit) as error:
        message = f"agent {reference!r}: cannot be created: {error_text(error)}"
        raise ConfigurationError(message) from error
    if callable(getattr(agent, "query", None)):
        return cast("Agent", agent)
    if callable(agent):
        return cast("Agent", FunctionAgent(agent))
    raise ConfigurationError(
        f"agent {reference!r}: expected a class, an object with query, or a function of the "
        f"question, got {type(agent).__name__}"
    )
