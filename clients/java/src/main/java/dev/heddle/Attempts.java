package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.Metadata;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One call, as often as it takes. It never waits in a thread. */
final class Attempts {
  /** After these the outcome of a change is open although the server answered. */
  private static final Set<String> OPEN_OUTCOMES =
      Set.of(Reason.STORAGE_FAILED, Reason.DEADLINE_EXCEEDED, Reason.CANCELLED, Reason.INTERNAL);
  private static final Duration LONGEST_DEADLINE = Duration.ofHours(24);

  /** The answer, or the failure. */
  record Outcome(ByteString payload, Failure failure) {}

  final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  private final Connections connections;
  private final Method method;
  private final byte[] payload;
  private final ByteString key;
  private final TraceContext trace;
  private final Duration timeout;
  private final long began = System.nanoTime();

  private Pending pending;
  private boolean isDone;
  private int count;
  private long sent;
  private long received;
  private boolean isSent;
  /** A change may have been made, and no answer has said so. */
  private boolean outcomeIsOpen;
  private boolean hasNewToken;

  Attempts(Connections connections, Method method, byte[] payload, ByteString key, TraceContext trace, Duration timeout) {
    this.connections = connections;
    this.method = method;
    this.payload = payload;
    this.key = key;
    this.trace = trace;
    this.timeout = timeout;
  }

  Method method() {
    return method;
  }

  boolean hasDeadline() {
    return !timeout.isZero();
  }

  Duration left() {
    return timeout.minusNanos(System.nanoTime() - began);
  }

  byte[] metadata() {
    Metadata.Builder beside = Metadata.newBuilder();
    if (key != null) {
      beside.setIdempotencyKey(key);
    }
    if (hasDeadline()) {
      beside.setDeadlineMs(Math.max(1, Math.min(LONGEST_DEADLINE.toMillis(), left().toMillis())));
    }
    if (trace != null) {
      beside.setTraceparent(trace.traceparent()).setTracestate(trace.tracestate());
    }
    return beside.build().toByteArray();
  }

  void start() {
    synchronized (this) {
      if (isDone) {
        return;
      }
      count++;
    }
    Connection usable = connections.usable();
    if (usable != null) {
      send(usable);
      return;
    }
    connections.connection().thenAccept(dialed -> {
      if (dialed.failure() != null) {
        failed(dialed.failure().copied());
      } else {
        send(dialed.connection());
      }
    });
  }

  private void send(Connection connection) {
    Pending made = new Pending(this, connection, payload);
    synchronized (this) {
      if (isDone) {
        return;
      }
      pending = made;
    }
    connection.call(made);
  }

  void answered(Pending from, ByteString answer, int size, Failure failure) {
    synchronized (this) {
      if (isDone || pending != from) {
        return;
      }
      pending = null;
      sent += from.sent();
      received += size;
      if (failure == null) {
        isDone = true;
      } else {
        isSent = isSent || (from.sent() > 0 && !failure.isUnserved);
      }
    }
    if (failure == null) {
      finish(new Outcome(answer, null));
      return;
    }
    if (failure.isRefusal() && Reason.retry(failure.reason).equals("reconnect")) {
      from.connection().leave();
    }
    failed(failure);
  }

  /** The time is over, or the program does not want the answer any more. */
  void giveUp(Failure failure) {
    Pending current;
    synchronized (this) {
      if (isDone) {
        return;
      }
      isDone = true;
      current = pending;
      pending = null;
      if (current != null) {
        isSent = isSent || current.sent() > 0;
        sent += current.sent();
      }
      note(failure, isOpen(failure, failure.reason));
    }
    if (current != null) {
      current.giveUp();
    }
    finish(new Outcome(null, failure));
  }

  private void failed(Failure failure) {
    Duration wait;
    boolean needsToken;
    int attempt;
    synchronized (this) {
      if (isDone) {
        return;
      }
      boolean hadToken = hasNewToken;
      wait = waitBeforeAnother(failure);
      needsToken = hasNewToken && !hadToken;
      isDone = wait == null;
      attempt = count;
    }
    if (wait == null) {
      finish(new Outcome(null, failure));
      return;
    }
    if (needsToken) {
      connections.leaveCurrent();
    }
    connections.tell(hooks -> hooks.retry(method.path(), attempt, wait, failure.shortReason()));
    connections.log(System.Logger.Level.DEBUG,
        "a call is sent again: " + method.path() + ", attempt " + attempt + ", " + failure.shortReason());
    connections.sleep(this, wait);
  }

  private boolean isOpen(Failure failure, String reason) {
    return switch (failure.kind) {
      case TIMED_OUT, CANCELLED -> isSent;
      case LOST -> !failure.isUnserved;
      case REFUSED -> OPEN_OUTCOMES.contains(reason);
      default -> false;
    };
  }

  private void note(Failure failure, boolean isOpen) {
    outcomeIsOpen = outcomeIsOpen || (isOpen && (method.keyed() || !method.repeatable()));
    failure.attempts = count;
    failure.mayHaveHappened = outcomeIsOpen;
  }

  /** The wait until the next attempt; null: this error is the call's. */
  private Duration waitBeforeAnother(Failure failure) {
    Failure behind = failure.reasonBehind();
    String reason = behind.isRefusal() ? behind.reason : "";
    boolean isOpen = isOpen(failure, reason);
    note(failure, isOpen);
    Settings settings = connections.settings();
    if (count > settings.retries || connections.isClosed() || !mayRepeat(failure, reason, isOpen)) {
      return null;
    }
    Duration wait = settings.backoff(count - 1);
    if (count == 1 && !isOpen && !Reason.retry(reason).equals("wait") && failure.kind != Kind.CANNOT_CONNECT) {
      // The server has said that it did not serve the call, and another connection may.
      wait = Duration.ZERO;
    }
    if (behind.retryAfter.compareTo(wait) > 0) {
      wait = behind.retryAfter;
    }
    return hasDeadline() && left().compareTo(wait) <= 0 ? null : wait;
  }

  private boolean mayRepeat(Failure failure, String reason, boolean isOpen) {
    if (isOpen && !method.repeatable()) {
      return false;
    }
    String decided = Reason.retry(reason);
    if (decided.equals("token")) {
      if (hasNewToken || !connections.settings().hasTokenSource) {
        return false;
      }
      hasNewToken = true;
      return true;
    }
    if (failure.isRefusal()) {
      return decided.equals("wait") || decided.equals("reconnect");
    }
    return failure.kind == Kind.CANNOT_CONNECT || (failure.kind == Kind.LOST && (reason.isEmpty() || !decided.isEmpty()));
  }

  private void finish(Outcome made) {
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    String reason = made.failure() == null ? "" : made.failure().shortReason();
    Hooks.CallEnded ended;
    synchronized (this) {
      ended = new Hooks.CallEnded(method.path(), count, took, sent, received, reason);
    }
    connections.tell(hooks -> hooks.call(ended));
    outcome.complete(made);
  }
}
