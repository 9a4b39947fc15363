"""Keys of predictions, apart from their formats, which reading other files does not import."""

from __future__ import annotations

__all__ = ["KEYS_OF_A_RUN", "PREDICTION_KEYS"]

PREDICTION_KEYS = frozenset(
    {"instance_id", "model_name_or_path", "model_patch", "original_inst_id", "traj_data"}
)
"""Keys of ContextBench predictions; a test checks them against their reader."""

KEYS_OF_A_RUN = frozenset(
    {"conversation", "conversations", "events", "history", "messages", "traj", "trajectory"}
)
"""Keys under which data sets store the run in addition to its patch. Predictions have none of them,
which distinguishes the two."""
