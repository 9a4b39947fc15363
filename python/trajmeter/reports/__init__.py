"""Reports: what people read. A report shows scores and never computes them.

All reports share one table (``tables``, ``cells``), rendered in one way for a terminal
(``terminal``) and in one for Markdown (``markdown``).
"""
