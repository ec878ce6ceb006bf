package dev.heddle;

import dev.heddle.Connections.Dialed;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.ClientHello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes connections: hosts in their order, each with its time for TLS and HELLO. */
final class Dialer {
  private final Connections owner;
  private final Target target;
  private final Settings settings;
  private final Set<Socket> opening = new HashSet<>();
  private final Set<Connection> greeting = new HashSet<>();
  private boolean isClosed;

  Dialer(Connections owner, Target target, Settings settings) {
    this.owner = owner;
    this.target = target;
    this.settings = settings;
  }

  private synchronized boolean isClosed() {
    return isClosed;
  }

  /** Ends what is being made. */
  void close() {
    List<Socket> unfinished;
    List<Connection> ungreeted;
    synchronized (this) {
      isClosed = true;
      unfinished = new ArrayList<>(opening);
      ungreeted = new ArrayList<>(greeting);
    }
    unfinished.forEach(Dialer::close);
    ungreeted.forEach(connection -> connection.end(new Failure(Kind.LOST, "the client is closed")));
  }

  Dialed dial() {
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
    if (!owner.add(made)) {
      made.end(new Failure(Kind.LOST, "the client is closed"));
      return new Dialed(null, Failure.closed());
    }
    owner.log(System.Logger.Level.DEBUG, "connected to " + host);
    owner.tell(hooks -> hooks.connected(host.toString()));
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
        return new Connection(owner, raw, raw, hello);
      }
      timer = owner.threads().schedule(settings.connectTimeout, () -> close(raw));
      return new Connection(owner, raw, Tls.over(raw, target, settings.tls, host.name(), host.port()), hello);
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
    return ClientHello.newBuilder().setClientName(settings.clientName).setToken(token).addAllFeatures(owner.tools().features())
        .addUnwantedNotifications("thread_started").build().toByteArray();
  }

  private String token() throws Frames.Fault {
    Throwable cause;
    Future<String> asked = owner.threads().ask(() -> settings.token.token());
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
}
