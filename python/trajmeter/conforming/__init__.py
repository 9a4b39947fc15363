"""Batches from files and users, converted to the columns of Trajectory records and checked."""
