package dev.heddle;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.heddle.Attempts.Outcome;
import dev.heddle.v1.ForkThreadRequest;
import dev.heddle.v1.ResumeThreadRequest;
import dev.heddle.v1.StartThreadRequest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls with all their attempts, for threads that wait and for those that do not. */
final class Calls {
  private static final int KEY_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Connections connections;

  Calls(Connections connections) {
    this.connections = connections;
  }

  <T> T invoke(Method method, MessageLite request, Parser<T> parser, CallOptions options) {
    Attempts attempts = attempts(method, request, options);
    if (Thread.currentThread().isInterrupted()) {
      attempts.giveUp(Failure.cancelled());
    } else {
      attempts.start();
    }
    return result(await(attempts), parser);
  }

  private static Outcome await(Attempts attempts) {
    try {
      return attempts.hasDeadline() ? attempts.outcome.get(Math.max(0, attempts.left().toNanos()), TimeUnit.NANOSECONDS)
          : attempts.outcome.get();
    } catch (TimeoutException late) {
      attempts.giveUp(Failure.timedOut());
    } catch (InterruptedException stopped) {
      attempts.giveUp(Failure.cancelled());
      Thread.currentThread().interrupt();
    } catch (ExecutionException never) {
      throw new IllegalStateException(never);
    }
    return attempts.outcome.join();
  }

  /** The future is done on one of the client's threads for callbacks, which may wait. */
  <T> CompletableFuture<T> invokeAsync(Method method, MessageLite request, Parser<T> parser, CallOptions options) {
    Attempts attempts = attempts(method, request, options);
    Future<?> timer = attempts.hasDeadline()
        ? connections.threads().schedule(attempts.left(), () -> attempts.giveUp(Failure.timedOut())) : null;
    CompletableFuture<T> result = new CompletableFuture<>();
    attempts.outcome.whenCompleteAsync((outcome, never) -> {
      if (timer != null) {
        timer.cancel(false);
      }
      try {
        result.complete(result(outcome, parser));
      } catch (RuntimeException failed) {
        result.completeExceptionally(failed);
      }
    }, connections.threads().callbacks());
    result.whenComplete((answer, failed) -> {
      if (result.isCancelled()) {
        attempts.giveUp(Failure.cancelled());
      }
    });
    attempts.start();
    return result;
  }

  private Attempts attempts(Method method, MessageLite request, CallOptions options) {
    Settings settings = connections.settings();
    Duration timeout = options.timeout == null ? settings.timeout : options.timeout;
    TraceContext trace = settings.trace == null ? null : settings.trace.get();
    return new Attempts(connections, method, following(request).toByteArray(), key(method, options.key), trace, timeout);
  }

  private static ByteString key(Method method, ByteString given) {
    if (!method.keyed()) {
      return null;
    }
    if (given != null && given.size() != KEY_BYTES) {
      throw new IllegalArgumentException("a key has 16 bytes, not " + given.size());
    }
    if (given != null) {
      return given;
    }
    byte[] made = new byte[KEY_BYTES];
    RANDOM.nextBytes(made);
    return ByteString.copyFrom(made);
  }

  /** There is one way to follow a thread, which is Subscribe. */
  private static MessageLite following(MessageLite request) {
    if (request instanceof StartThreadRequest start) {
      return start.toBuilder().setSubscribe(false).build();
    }
    if (request instanceof ResumeThreadRequest resume) {
      return resume.toBuilder().setSubscribe(false).build();
    }
    if (request instanceof ForkThreadRequest fork) {
      return fork.toBuilder().setSubscribe(false).build();
    }
    return request;
  }

  private static <T> T result(Outcome outcome, Parser<T> parser) {
    if (outcome.failure() != null) {
      throw outcome.failure().exception();
    }
    try {
      return Frames.parse(outcome.payload(), parser, "response");
    } catch (Frames.Fault unreadable) {
      throw unreadable.failure.exception();
    }
  }
}
