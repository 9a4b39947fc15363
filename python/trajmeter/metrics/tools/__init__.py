"""Tool-call matching: what an agent called, against what a reference calls."""
