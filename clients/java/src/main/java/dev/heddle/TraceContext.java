package dev.heddle;

/** The W3C trace context of a call; either may be empty. */
public record TraceContext(String traceparent, String tracestate) {}
