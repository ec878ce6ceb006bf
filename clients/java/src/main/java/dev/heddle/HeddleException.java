package dev.heddle;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;

/** The error of every call. {@link RefusedException} has a subclass for each code, such as {@link NotFoundException}. */
public class HeddleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Failure failure;

  HeddleException(Failure failure) {
    super(failure.describe(), failure.cause != null ? failure.cause : behind(failure));
    this.failure = failure;
  }

  private static Throwable behind(Failure failure) {
    return failure.behind == null ? null : failure.behind.exception();
  }

  /** The kinds of errors. */
  public enum Kind {
    /** The server answered with an error. */
    REFUSED("Refused"),
    /** No server could be reached, and nothing was sent. */
    CANNOT_CONNECT("CannotConnect"),
    /** The connection ended before the answer came. */
    LOST("Lost"),
    /** The call's time was over. */
    TIMED_OUT("TimedOut"),
    /** The server sent something that no server of this protocol sends. */
    PROTOCOL("Protocol"),
    /** A message is larger than a frame may be. */
    TOO_LARGE("TooLarge"),
    /** The client is closed. */
    CLOSED("Closed"),
    /** The program cancelled the call, or interrupted its thread. */
    CANCELLED("Cancelled"),
    /** A turn ended without a result. */
    TURN_FAILED("TurnFailed");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** The name of the kind in documents and in logs. */
    public String title() {
      return title;
    }
  }

  Failure failure() {
    return failure;
  }

  /** The kind of the error. */
  public Kind kind() {
    return failure.kind;
  }

  /** The code of a refusal, such as `NOT_FOUND`; otherwise empty. */
  public String code() {
    return failure.code;
  }

  /** A stable name to switch on ({@link Reason}), of a refusal or of a turn that failed; otherwise empty. */
  public String reason() {
    return failure.reason;
  }

  /** True for a refusal, or a failed turn, with this reason. */
  public boolean isReason(String reason) {
    return failure.reason.equals(reason);
  }

  /** Facts about the error, as text by name. */
  public Map<String, String> details() {
    return Collections.unmodifiableMap(failure.details);
  }

  /** The time to wait before the next attempt, or zero. */
  public Duration retryAfter() {
    return failure.retryAfter;
  }

  /** The name of the line in the server's log, or empty. */
  public String debugId() {
    return failure.debugId;
  }

  /** The number of times that the call was sent, or was tried to be sent. */
  public int attempts() {
    return failure.attempts;
  }

  /** True if a change may have been made although no answer came. The same call with the same key tells. */
  public boolean mayHaveHappened() {
    return failure.mayHaveHappened;
  }
}
