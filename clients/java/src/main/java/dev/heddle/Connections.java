package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.HeddleException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The connections of a client: the one for new calls, those that go, and the one that is being made. */
final class Connections {
  /** A connection, or the reason why there is none. */
  record Dialed(Connection connection, Failure failure) {}

  private final Target target;
  private final Settings settings;
  private final Dialer dialer;
  private final Threads threads = new Threads();
  private final Tools tools;

  private Connection current;
  private CompletableFuture<Dialed> dialing;
  private final Set<Connection> all = new HashSet<>();
  private final Set<Feed> feeds = new HashSet<>();
  private final Set<Attempts> sleeping = ConcurrentHashMap.newKeySet();
  private boolean isClosed;

  Connections(Target target, Settings settings) {
    this.target = target;
    this.settings = settings;
    tools = new Tools(this, settings);
    dialer = new Dialer(this, target, settings);
  }

  Settings settings() {
    return settings;
  }

  Tools tools() {
    return tools;
  }

  Threads threads() {
    return threads;
  }

  List<Target.Host> hosts() {
    return target.hosts();
  }

  synchronized boolean isClosed() {
    return isClosed;
  }

  // Hooks and logs

  /** A hook that fails is not the caller's fault. */
  void tell(Consumer<Hooks> what) {
    try {
      what.accept(settings.hooks);
    } catch (RuntimeException failed) {
      log(System.Logger.Level.WARNING, "a hook failed: " + failed);
    }
  }

  void log(System.Logger.Level level, String text) {
    settings.log.log(level, text);
  }

  // Connections for calls and subscriptions

  /** The connection for new calls, or null. */
  synchronized Connection usable() {
    return current != null && current.isUsable() ? current : null;
  }

  /** The connection for new calls. One caller that gives up does not end the dialling for the others. */
  CompletableFuture<Dialed> connection() {
    Connection old;
    CompletableFuture<Dialed> waited;
    synchronized (this) {
      if (current != null && current.isUsable()) {
        return CompletableFuture.completedFuture(new Dialed(current, null));
      }
      if (isClosed) {
        return CompletableFuture.completedFuture(new Dialed(null, Failure.closed()));
      }
      old = current;
      current = null;
      if (dialing == null) {
        dialing = dialLater(this::dialed);
      }
      waited = dialing;
    }
    if (old != null) {
      old.leave();  // Its numbers may have run out.
    }
    return waited;
  }

  private synchronized void dialed(Dialed made) {
    if (made.failure() == null) {
      current = made.connection();
    }
    dialing = null;
  }

  private CompletableFuture<Dialed> dialLater(Consumer<Dialed> first) {
    CompletableFuture<Dialed> made = new CompletableFuture<>();
    Runnable work = () -> {
      Dialed result;
      try {
        result = dialer.dial();
      } catch (RuntimeException unexpected) {
        Failure failure = new Failure(Kind.CANNOT_CONNECT, "the client cannot connect: " + unexpected);
        failure.cause = unexpected;
        result = new Dialed(null, failure);
      }
      first.accept(result);
      made.complete(result);
    };
    try {
      threads.work(work);
    } catch (RejectedExecutionException closed) {
      made.complete(new Dialed(null, Failure.closed()));
    }
    return made;
  }

  /** A connection that does not follow the thread yet; from now on it does. */
  CompletableFuture<Dialed> connectionFor(ByteString thread) {
    return connection().thenCompose(first -> {
      if (first.failure() != null || first.connection().follow(thread)) {
        return CompletableFuture.completedFuture(first);
      }
      for (Connection other : all()) {
        if (other.follow(thread)) {
          return CompletableFuture.completedFuture(new Dialed(other, null));
        }
      }
      return dialLater(made -> {
        if (made.failure() == null) {
          made.connection().follow(thread);
        }
      });
    });
  }

  void leaveCurrent() {
    Connection leaving;
    synchronized (this) {
      leaving = current;
    }
    if (leaving != null) {
      leaving.leave();
    }
  }

  /** HELLO names what has handlers, so a new handler needs a new connection. */
  void renew() {
    all().forEach(Connection::leave);
  }

  /** False: the client is closed. */
  synchronized boolean add(Connection connection) {
    return !isClosed && all.add(connection);
  }

  private synchronized List<Connection> all() {
    return new ArrayList<>(all);
  }

  // Feeds, and calls that wait

  /** The feed is told when its connection goes. False: the client is closed. */
  synchronized boolean add(Feed feed) {
    if (!isClosed) {
      feeds.add(feed);
    }
    return !isClosed;
  }

  synchronized void remove(Feed feed) {
    feeds.remove(feed);
  }

  void sleep(Attempts attempts, Duration wait) {
    sleeping.add(attempts);
    threads.later(wait, () -> wake(attempts));
    if (isClosed()) {
      wake(attempts);
    }
  }

  private void wake(Attempts attempts) {
    if (sleeping.remove(attempts)) {
      attempts.start();
    }
  }

  /** Subscriptions move at once. */
  void leaves(Connection connection) {
    Collection<Feed> moving;
    synchronized (this) {
      moving = new ArrayList<>(feeds);
    }
    moving.forEach(feed -> feed.leave(connection));
  }

  void ended(Connection connection, Failure cause) {
    synchronized (this) {
      if (!all.remove(connection)) {
        return;
      }
    }
    log(System.Logger.Level.DEBUG, "a connection ended: " + cause.describe());
    tell(hooks -> hooks.lost(cause.describe()));
  }

  // The end

  void close() {
    List<Feed> following;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      following = new ArrayList<>(feeds);
    }
    following.forEach(Feed::close);
    tools.stop();
    dialer.close();
    sleeping.forEach(this::wake);
    List<Connection> connections = all();
    connections.forEach(Connection::leave);
    long patience = System.nanoTime() + settings.closeTimeout.toNanos();
    boolean isInterrupted = false;
    for (Connection connection : connections) {
      try {
        connection.gone.get(Math.max(0, isInterrupted ? 0 : patience - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException late) {
        continue;
      } catch (InterruptedException stopped) {
        isInterrupted = true;
      }
    }
    connections.forEach(connection -> connection.end(new Failure(Kind.LOST, "the client is closed")));
    isInterrupted |= threads.stop(connections);
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
