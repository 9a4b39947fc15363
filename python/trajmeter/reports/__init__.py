"""Human-readable reports. A report shows scores and never computes them.

All reports share one table model (``tables``, ``cells``), with one renderer for terminals
(``terminal``) and one for Markdown (``markdown``).
"""
