"""The comparison of agent frameworks, from a scenario to a report.

The harness (``harness``) asks agents the questions of a scenario (``scenario``) and writes result
files (``results``) of several runs and their average (``repeats``). Results of one scenario are
compared (``comparison``, with ``aggregates`` and ``scorecard``) and shown (``report``); ``compare``
does this in one call.
"""

from __future__ import annotations
