"""Benchmarks: each checks its answer, then times it beside its peers."""
