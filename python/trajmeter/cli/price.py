"""``trajmeter price``: what tokens of a model cost."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from trajmeter.cli._options import PlainFormat
from trajmeter.cli._plain import print_fields
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.prices import price_table, price_usd

__all__ = ["price"]


def price(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="Name as logs write it, such as openai/gpt-5-mini.",
        ),
    ],
    prompt_tokens: Annotated[int, typer.Option(metavar="N", min=0, help="Prompt tokens.")] = 0,
    completion_tokens: Annotated[
        int, typer.Option(metavar="M", min=0, help="Completion tokens.")
    ] = 0,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="What to print.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Price tokens by the table that comes with the package; an unknown model costs 0.

    **Example**

        trajmeter price gpt-5-mini --prompt-tokens 1200 --completion-tokens 300
    """
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
