"""The comparison of agent frameworks, from a scenario to a report.

A scenario (``scenario``) is asked of agents by the harness (``harness``), which writes result files
(``results``) of several runs and their average (``repeats``). Results of one scenario are put side
by side (``comparison``, with ``aggregates`` and ``scorecard``) and shown (``report``); ``compare``
does this in one call.
"""

from __future__ import annotations
