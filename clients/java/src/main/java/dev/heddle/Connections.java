package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.ClientHello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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
  private final Threads threads = new Threads();
  private final Tools tools;

  private Connection current;
  private CompletableFuture<Dialed> dialing;
  private final Set<Connection> all = new HashSet<>();
  private final Set<Socket> opening = new HashSet<>();
  private final Set<Connection> greeting = new HashSet<>();
  private final Set<Subscription> subscriptions = new HashSet<>();
  private final Set<Attempts> sleeping = ConcurrentHashMap.newKeySet();
  private boolean isClosed;

  Connections(Target target, Settings settings) {
    this.target = target;
    this.settings = settings;
    this.tools = new Tools(this, settings);
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
        result = dial();
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

  private synchronized List<Connection> all() {
    return new ArrayList<>(all);
  }

  // Dialling

  private Dialed dial() {
    byte[] hello;
    try {
      hello = hello();
    } catch (Frames.Fault failed) {
      return new Dialed(null, failed.failure);
    }
    List<String> failures = new ArrayList<>();
    for (Target.Host host : target.hosts()) {
      Dialed made = dial(host, hello);
      Failure failure = made.failure();
      if (failure == null) {
        return made;
      }
      // Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
      boolean isLast = failures.size() == target.hosts().size() - 1;
      boolean isFinal = failure.isRefusal() && (isLast || !Reason.retry(failure.reason).equals("reconnect"));
      if (failure.isFault() || failure.kind == Kind.CLOSED || isFinal) {
        return made;
      }
      failures.add(host + ": " + failure.describe());
    }
    return new Dialed(null, new Failure(Kind.CANNOT_CONNECT, "no server can be reached: " + String.join("; ", failures)));
  }

  private Dialed dial(Target.Host host, byte[] hello) {
    long began = System.nanoTime();
    Connection made = null;
    try {
      made = open(host, hello);
      greets(made);
      Failure failure = made.ready.get(Math.max(1, settings.connectTimeout.toNanos() - (System.nanoTime() - began)), TimeUnit.NANOSECONDS);
      if (failure != null) {
        return new Dialed(null, isClosed() ? Failure.closed() : failure.copied());
      }
    } catch (IOException failed) {
      String text = failed.getMessage() == null ? failed.toString() : failed.getMessage();
      return new Dialed(null, isClosed() ? Failure.closed() : new Failure(Kind.LOST, text));
    } catch (TimeoutException | InterruptedException | ExecutionException late) {
      Failure failure = new Failure(Kind.LOST, "it did not answer in " + settings.connectTimeout.toMillis() + " ms");
      made.end(failure);
      return new Dialed(null, isClosed() ? Failure.closed() : failure);
    } finally {
      synchronized (this) {
        greeting.remove(made);
      }
    }
    synchronized (this) {
      if (!isClosed) {
        all.add(made);
      }
    }
    if (isClosed()) {
      made.end(new Failure(Kind.LOST, "the client is closed"));
      return new Dialed(null, Failure.closed());
    }
    log(System.Logger.Level.DEBUG, "connected to " + host);
    tell(hooks -> hooks.connected(host.toString()));
    return new Dialed(made, null);
  }

  private void greets(Connection connection) throws IOException {
    synchronized (this) {
      if (!isClosed) {
        greeting.add(connection);
        return;
      }
    }
    connection.end(new Failure(Kind.LOST, "the client is closed"));
    throw new IOException("the client is closed");
  }

  private Connection open(Target.Host host, byte[] hello) throws IOException {
    IOException last = null;
    for (InetAddress address : InetAddress.getAllByName(host.name())) {
      try {
        return open(new InetSocketAddress(address, host.port()), host, hello);
      } catch (IOException failed) {
        last = failed;
      }
    }
    throw last != null ? last : new IOException("the host has no address");
  }

  private Connection open(InetSocketAddress address, Target.Host host, byte[] hello) throws IOException {
    Socket raw = new Socket();
    Future<?> timer = null;
    try {
      synchronized (this) {
        if (isClosed) {
          throw new IOException("the client is closed");
        }
        opening.add(raw);
      }
      raw.setTcpNoDelay(true);
      raw.connect(address, (int) Math.max(1, Math.min(Integer.MAX_VALUE, settings.connectTimeout.toMillis())));
      if (!target.usesTls() && settings.tls == null) {
        return new Connection(this, raw, raw, hello);
      }
      timer = threads.schedule(settings.connectTimeout, () -> close(raw));
      return new Connection(this, raw, Tls.over(raw, target, settings.tls, host.name(), host.port()), hello);
    } catch (IOException | RuntimeException failed) {
      close(raw);
      throw failed;
    } finally {
      synchronized (this) {
        opening.remove(raw);
      }
      if (timer != null) {
        timer.cancel(false);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      return;  // It was closed before.
    }
  }

  private byte[] hello() throws Frames.Fault {
    String token = settings.token == null ? System.getenv().getOrDefault("HEDDLE_TOKEN", "") : token();
    return ClientHello.newBuilder().setClientName(settings.clientName).setToken(token).addAllFeatures(tools.features())
        .addUnwantedNotifications("thread_started").build().toByteArray();
  }

  private String token() throws Frames.Fault {
    Throwable cause;
    Future<String> asked = threads.ask(() -> settings.token.token());
    try {
      String token = asked.get(settings.connectTimeout.toNanos(), TimeUnit.NANOSECONDS);
      if (token != null) {
        return token;
      }
      cause = new NullPointerException("it gave none");
    } catch (ExecutionException failed) {
      cause = failed.getCause();
    } catch (TimeoutException | InterruptedException late) {
      asked.cancel(true);
      cause = late;
    }
    if (cause instanceof HeddleException own) {
      throw new Frames.Fault(own.failure().copied());
    }
    Failure failure = new Failure(Kind.CANNOT_CONNECT, "the function for the token failed: " + cause);
    failure.cause = cause;
    throw new Frames.Fault(failure);
  }

  // Subscriptions and calls that wait

  /** True: the subscription is told when its connection goes. False: the client is closed. */
  synchronized boolean add(Subscription subscription) {
    return !isClosed && (subscriptions.add(subscription) || true);
  }

  synchronized void remove(Subscription subscription) {
    subscriptions.remove(subscription);
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
    Collection<Subscription> moving;
    synchronized (this) {
      moving = new ArrayList<>(subscriptions);
    }
    moving.forEach(subscription -> subscription.leave(connection));
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
    List<Subscription> following;
    List<Socket> unfinished;
    List<Connection> ungreeted;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      following = new ArrayList<>(subscriptions);
      unfinished = new ArrayList<>(opening);
      ungreeted = new ArrayList<>(greeting);
    }
    following.forEach(Subscription::close);
    tools.stop();
    unfinished.forEach(Connections::close);
    ungreeted.forEach(connection -> connection.end(new Failure(Kind.LOST, "the client is closed")));
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
