"""Metrics: what scores a (Task, Trajectory), and the families that come with the package."""
