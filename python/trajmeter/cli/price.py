"""``trajmeter price``: what the tokens of a model cost."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from trajmeter.cli._fields import PlainFormat, print_fields
from trajmeter.cli._process import ExitCode

__all__ = ["price"]


def price(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="Model name as it appears in logs, such as openai/gpt-5-mini.",
        ),
    ],
    prompt_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=0, show_default=False, help="Prompt tokens.")
    ] = None,
    completion_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=0, show_default=False, help="Completion tokens.")
    ] = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Show what tokens cost according to the bundled price table; an unknown model costs 0.

    Without numbers of tokens, the prices of a million of each are shown.

    **Example**

        trajmeter price gpt-5-mini --prompt-tokens 1200 --completion-tokens 300
    """
    from trajmeter.prices import price_table

    if prompt_tokens is None and completion_tokens is None:
        fields = _rates(model)
    else:
        fields = _cost(model, prompt_tokens or 0, completion_tokens or 0)
    fields["price_table"] = price_table()
    if output_format is PlainFormat.JSON:
        sys.stdout.write(json.dumps(fields, indent=2) + "\n")
    else:
        print_fields(fields)
    return ExitCode.OK


def _cost(model: str, prompt_tokens: int, completion_tokens: int) -> dict[str, object]:
    from trajmeter.prices import price_usd

    cost = price_usd(model, prompt_tokens, completion_tokens)
    return {
        "model": model,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost_usd": cost or 0.0,
        "priced": cost is not None,
    }


def _rates(model: str) -> dict[str, object]:
    from trajmeter.prices import million_token_prices_usd

    prices = million_token_prices_usd(model)
    prompt, completion = (None, None) if prices is None else prices
    return {
        "model": model,
        "prompt_usd_per_million": prompt,
        "completion_usd_per_million": completion,
        "priced": prices is not None,
    }
