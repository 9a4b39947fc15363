"""Summaries: scores aggregated over trajectories, repeated runs, and the scorecard."""
