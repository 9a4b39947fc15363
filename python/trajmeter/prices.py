"""Prices of tokens, from the table bundled with genai-prices; no request is made."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError, InputError

if TYPE_CHECKING:
    from datetime import datetime

    from genai_prices.types import PriceCalculation

__all__ = ["million_token_prices_usd", "price_table", "price_usd"]

# Bedrock model names end in a version, such as "-v1:0"; this colon does not separate a provider.
_VERSION = re.compile(r"-v\d+:\d+$")
_BEDROCK = "aws"
_NEEDED = "costs need genai-prices: pip install 'trajmeter[prices]'"
_MILLION = 1_000_000


def price_usd(
    model: str, input_tokens: int, output_tokens: int, *, at: datetime | None = None
) -> float | None:
    """Cost of one or more calls, by a model's price per token.

    Names are trimmed, and may start with a provider: ``openai/gpt-5-mini``,
    ``openai:gpt-5-mini``, ``openai/azure:gpt-5-mini``. The nearest provider that sells the model
    sets the price; without one, the model's maker does.

    Args:
        model: Name of the model; dated and upper-case spellings are known.
        input_tokens: Tokens of all prompts.
        output_tokens: Tokens of all replies.
        at: When the calls were made; today by default.

    Returns:
        US dollars, or ``None`` for a model without a known price.

    Raises:
        InputError: A token count is negative.
        ExtraMissingError: genai-prices is not installed.

    Example:
        >>> price_usd("openai/gpt-5-mini", 1_000_000, 0)
        0.25
        >>> price_usd("a-model-nobody-sells", 1, 1) is None
        True
    """
    if input_tokens < 0 or output_tokens < 0:
        raise InputError(
            f"token counts must be 0 or more, got {input_tokens} input and {output_tokens} output"
        )
    price = _priced(model, input_tokens, output_tokens, at)
    return None if price is None else float(price.total_price)


def million_token_prices_usd(model: str) -> tuple[float, float] | None:
    """Prices of a million prompt tokens and of a million reply tokens, in calls of usual length.

    Some models cost more per token in calls with long prompts.

    Args:
        model: Name of the model, as for :func:`price_usd`.

    Returns:
        US dollars, or ``None`` for a model without a known price.

    Raises:
        ExtraMissingError: genai-prices is not installed.

    Example:
        >>> million_token_prices_usd("openai/gpt-5-mini")
        (0.25, 2.0)
    """
    price = _priced(model, 1, 1, None)
    if price is None:
        return None
    return float(price.input_price * _MILLION), float(price.output_price * _MILLION)


def _priced(
    model: str, input_tokens: int, output_tokens: int, at: datetime | None
) -> PriceCalculation | None:
    """What the tokens cost, or ``None`` for a model without a known price."""
    try:
        from genai_prices import Usage, calc_price
    except ModuleNotFoundError as error:
        raise ExtraMissingError(_NEEDED) from error
    name, providers = _split(model)
    if not name:
        return None
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    for provider in (*providers, None):
        with suppress(LookupError):
            return calc_price(usage, name, provider_id=provider, genai_request_timestamp=at)
    return None


def price_table() -> str:
    """Name and version of the price table, to be recorded with every cost.

    Raises:
        ExtraMissingError: genai-prices is not installed.
    """
    try:
        import genai_prices
    except ModuleNotFoundError as error:
        raise ExtraMissingError(_NEEDED) from error
    return f"genai-prices {genai_prices.__version__}"


@lru_cache(maxsize=1024)
def _split(model: str) -> tuple[str, tuple[str, ...]]:
    """The model's bare name, and the providers named in front of it, nearest first."""
    *before, name = model.strip().split("/")
    version = _VERSION.search(name)
    suffix = version.group() if version else ""
    *more, name = name.removesuffix(suffix).split(":")
    providers = [part.strip().lower() for part in reversed([*before, *more]) if part.strip()]
    if suffix:
        providers.append(_BEDROCK)
    return name.strip() + suffix, tuple(providers)
