package dev.heddle;

import com.google.protobuf.ByteString;
import java.time.Duration;

/** Changes to one call: {@code CallOptions.none().timeout(Duration.ofSeconds(5))}. */
public final class CallOptions {
  private static final CallOptions NONE = new CallOptions(null, null);

  final Duration timeout;
  final ByteString key;

  private CallOptions(Duration timeout, ByteString key) {
    this.timeout = timeout;
    this.key = key;
  }

  /** No change. */
  public static CallOptions none() {
    return NONE;
  }

  /** The time of the call with all its attempts; zero means no bound. */
  public CallOptions timeout(Duration timeout) {
    return new CallOptions(timeout, key);
  }

  /** The key of a change, 16 bytes: the same key has one result. */
  public CallOptions key(ByteString key) {
    return new CallOptions(timeout, key);
  }
}
