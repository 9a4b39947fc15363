"""Columns: record batches of trajectories, read in Rust where that is certain to be right."""
