"""Reads trajectories as record batches, in Rust where the result is certain."""
