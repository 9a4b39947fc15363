"""Benchmarks that check each answer, then time it against alternatives."""
