"""Names of an agent with its model, as fc-eval's files spell them: ``agent:model``."""

from __future__ import annotations

__all__ = ["UNKNOWN_MODEL", "agent_key", "is_same_agent", "normalise_model", "split_key"]

UNKNOWN_MODEL = "unknown"
"""What stands for the model of an agent that was configured without one."""

_UNKNOWN_AGENT = "unknown"


def agent_key(agent: str | None, model: str | None) -> str:
    """Name an agent with its model; where neither is known the name is empty."""
    if agent is None and model is None:
        return ""
    return f"{agent or _UNKNOWN_AGENT}:{model or UNKNOWN_MODEL}"


def split_key(key: str) -> tuple[str, str]:
    """Tell agent and model apart; a model may hold further colons."""
    agent, _, model = key.partition(":")
    return agent, model


def normalise_model(model: str) -> str:
    """Spell a model as reports do: the slash behind its provider becomes a dash."""
    return model.replace("/", "-")


def is_same_agent(key: str, other: str) -> bool:
    """Whether two names differ in the spelling of the model at most."""
    (agent, model), (other_agent, other_model) = split_key(key), split_key(other)
    return agent == other_agent and normalise_model(model) == normalise_model(other_model)
