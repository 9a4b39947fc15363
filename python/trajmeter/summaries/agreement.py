"""Results of agreement: how far judges give the same ratings."""

from __future__ import annotations

from trajmeter.lazy import shown_by
from trajmeter.records import Record
from trajmeter.statistics.agreement import Scale

__all__ = ["AgreementOptions", "FigureAgreement", "JudgeAgreement"]


class AgreementOptions(Record):
    """The options."""

    figures: tuple[str, ...] | None
    """Names and patterns of the figures; ``None`` for all that the judges share."""
    scale: Scale | None
    """What distances between ratings mean; ``None`` to choose by the ratings."""
    level: float
    """Confidence level of the intervals."""
    seed: int
    """Seed of the random draws."""
    resamples: int
    """Number of bootstrap replicates drawn."""


class FigureAgreement(Record):
    """How far judges agree on one figure."""

    figure: str
    """What was rated."""
    scale: Scale
    """What distances between ratings mean."""
    judges: int
    """Number of judges."""
    n_items: int
    """Items that any judge rated."""
    n_compared: int
    """Items that at least two judges rated."""
    n_tasks: int
    """Tasks of these items."""
    exact: float | None
    """Share of these items on which all judges agree."""
    alpha: float | None
    """Krippendorff's alpha: 1 is agreement, 0 chance; ``None`` without variation."""
    alpha_low: float | None
    """Lower limit."""
    alpha_high: float | None
    """Upper limit."""
    kappa: float | None
    """Quadratic weighted kappa of two judges that gave numbers."""
    kappa_low: float | None
    """Lower limit."""
    kappa_high: float | None
    """Upper limit."""
    notes: tuple[str, ...] = ()
    """Caveats: ``no_variation`` (all ratings are equal), ``nothing_compared``, ``one_task``."""


class JudgeAgreement(Record):
    """How far judges agree."""

    trajmeter_version: str
    """Version of this package."""
    options: AgreementOptions
    """The options."""
    judges: tuple[str, ...]
    """The judges."""
    figures: tuple[FigureAgreement, ...]
    """Every figure that at least two judges rated."""

    _repr_html_ = shown_by("agreement_html")
