"""OpenTelemetry spans in the semantic conventions for generative AI."""

from __future__ import annotations

from trajmeter.readers.opentelemetry.files import OPENTELEMETRY_SPANS

__all__ = ["OPENTELEMETRY_SPANS"]
