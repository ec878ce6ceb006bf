"""The trace of a call, if the program uses OpenTelemetry."""

from __future__ import annotations

try:
    from opentelemetry import propagate as _propagate
except ImportError:
    _propagate = None


def trace_headers() -> tuple[str, str]:
    """`traceparent` and `tracestate`; empty without a trace."""
    if _propagate is None:
        return "", ""
    carrier: dict[str, str] = {}
    _propagate.inject(carrier)
    return carrier.get("traceparent", ""), carrier.get("tracestate", "")
