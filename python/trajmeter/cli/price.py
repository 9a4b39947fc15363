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
    prompt_tokens: Annotated[int, typer.Option(metavar="N", min=0, help="Prompt tokens.")] = 0,
    completion_tokens: Annotated[
        int, typer.Option(metavar="N", min=0, help="Completion tokens.")
    ] = 0,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Show what tokens cost according to the bundled price table; an unknown model costs 0.

    **Example**

        trajmeter price gpt-5-mini --prompt-tokens 1200 --completion-tokens 300
    """
    from trajmeter.prices import price_table, price_usd

    cost = price_usd(model, prompt_tokens, completion_tokens)
    fields = {
        "model": model,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "cost_usd": cost or 0.0,
        "priced": cost is not None,
        "price_table": price_table(),
    }
    if output_format is PlainFormat.JSON:
        sys.stdout.write(json.dumps(fields, indent=2) + "\n")
    else:
        print_fields(fields)
    return ExitCode.OK
