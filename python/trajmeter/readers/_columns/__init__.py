"""Columns: trajectories as record batches, read in Rust where that is certain to be right."""
