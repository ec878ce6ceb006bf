package dev.heddle;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of a client: one for times, and as many as are needed for work that waits. None of them keeps a program alive. */
final class Threads {
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> make("heddle-clock", work));
  private final ExecutorService workers = Executors.newCachedThreadPool(work -> make("heddle-worker", work));

  Threads() {
    clock.setRemoveOnCancelPolicy(true);
  }

  Thread make(String name, Runnable work) {
    Thread made = new Thread(work, name);
    made.setDaemon(true);
    return made;
  }

  void work(Runnable work) {
    workers.execute(work);
  }

  <T> Future<T> ask(Callable<T> work) {
    return workers.submit(work);
  }

  /** For functions of the program that wait for answers. After the end they run where they are. */
  Executor callbacks() {
    return work -> {
      try {
        workers.execute(work);
      } catch (RejectedExecutionException closed) {
        work.run();
      }
    };
  }

  /** Runs later, or never if the client ends before. */
  Future<?> schedule(Duration wait, Runnable work) {
    try {
      return clock.schedule(work, wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      return CompletableFuture.completedFuture(null);
    }
  }

  Future<?> every(Duration period, Runnable work) {
    long nanos = Math.max(1_000_000, period.toNanos());
    try {
      return clock.scheduleWithFixedDelay(work, nanos, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      return CompletableFuture.completedFuture(null);
    }
  }

  /** Runs later, or at once if the client ends. */
  void later(Duration wait, Runnable work) {
    try {
      clock.schedule(work, wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      work.run();
    }
  }

  /** True: the thread was interrupted meanwhile. */
  boolean stop(Collection<Connection> connections) {
    clock.shutdownNow();
    workers.shutdown();
    try {
      for (Connection connection : connections) {
        connection.join(PATIENCE);
      }
      // A function of the program that calls close() runs on one of these threads itself.
      if (!Thread.currentThread().getName().startsWith("heddle-")) {
        workers.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        clock.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      }
      return false;
    } catch (InterruptedException stopped) {
      return true;
    } finally {
      workers.shutdownNow();
    }
  }
}
