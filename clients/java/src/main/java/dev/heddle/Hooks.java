package dev.heddle;

import com.google.protobuf.ByteString;
import java.time.Duration;

/**
 * The things that a program can see of its client. No hook gets a token or a message. Hooks run on the client's own threads: they are
 * quick, and wait for no call.
 */
public interface Hooks {
  /** A connection is ready. */
  default void connected(String host) {}

  /** A connection has ended. */
  default void lost(String reason) {}

  /** A call is sent again after the wait. */
  default void retry(String method, int attempt, Duration wait, String reason) {}

  /** A call has ended. */
  default void call(CallEnded call) {}

  /** A subscription goes on, on another connection. */
  default void resumed(ByteString thread, long after) {}

  /** The facts of a call that has ended. The reason is empty if the call has its answer. */
  record CallEnded(String method, int attempts, Duration took, long sentBytes, long receivedBytes, String reason) {}
}
