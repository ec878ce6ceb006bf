package dev.heddle;

import java.util.Objects;

/** The W3C trace context of a call; either may be empty. */
public record TraceContext(String traceparent, String tracestate) {
  /** Neither is null. */
  public TraceContext {
    Objects.requireNonNull(traceparent, "traceparent");
    Objects.requireNonNull(tracestate, "tracestate");
  }
}
