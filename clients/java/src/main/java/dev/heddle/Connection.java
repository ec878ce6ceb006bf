package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;
import dev.heddle.Frames.Frame;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.GoAway;
import dev.heddle.v1.Ping;
import dev.heddle.v1.Pong;
import dev.heddle.v1.ServerHello;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/**
 * A connection to one server.
 *
 * <pre>
 * opening   HELLO is on its way.                                                        → open, ended
 * open      calls go.                                                                   → leaving, ended
 * leaving   the server has sent GOAWAY, or the client replaces it: nothing new.          → ended
 * ended     everybody who waited has been told.
 * </pre>
 *
 * <p>A thread reads and another writes. Handlers are called without the connection's lock.
 */
final class Connection {
  private static final long LAST_STREAM = (1L << 32) - 3;
  private static final int BUFFER_BYTES = 64 << 10;
  private static final int DEFAULT_IN_FLIGHT = 256;

  /** The owner of a stream. */
  interface Handler {
    void frame(int kind, ByteString payload, int size) throws Fault;

    void ended(Failure failure);

    /** One answer ends the stream. */
    boolean isCall();
  }

  /** Done when HELLO has come: with null, or with the failure that ended the connection before. */
  final CompletableFuture<Failure> ready = new CompletableFuture<>();
  final CompletableFuture<Void> gone = new CompletableFuture<>();

  private final Connections owner;
  private final Socket socket;
  private final Thread reader;
  private final FrameWriter writer;
  private final Silence silence;
  private final Future<?> watch;

  private final Map<Long, Handler> streams = new HashMap<>();
  private final Set<ByteString> follows = new HashSet<>();
  private final Deque<Pending> waiting = new ArrayDeque<>();
  private ServerHello hello;
  private long aheadMillis;
  private boolean isLeaving;
  private boolean hasEnded;
  private Failure fault;
  private long nextStream = 1;
  private int limit = DEFAULT_IN_FLIGHT;
  private int inFlight;

  Connection(Connections owner, Socket raw, Socket socket, byte[] clientHello) {
    this.owner = owner;
    this.socket = socket;
    writer = new FrameWriter(raw, socket, owner.threads(), why -> end(new Failure(Kind.LOST, why)));
    writer.add(Frames.HELLO, 0, 0, clientHello, Frames.NOTHING);
    reader = owner.threads().make("heddle-reader", this::read);
    silence = new Silence(owner.settings());
    watch = owner.threads().every(silence.period(), () -> silence.look(this, writer));
    reader.start();
    writer.start();
  }

  synchronized boolean isUsable() {
    return !hasEnded && !isLeaving && hello != null && nextStream <= LAST_STREAM;
  }

  synchronized long aheadMillis() {
    return aheadMillis;
  }

  /** The largest frame that the server takes, or 0. */
  synchronized long frameBytes() {
    return hello == null ? 0 : Math.max(0, hello.getLimits().getFrameBytes());
  }

  /** True: the thread was not followed on this connection, and now it is. */
  synchronized boolean follow(ByteString thread) {
    return isUsable() && follows.add(thread);
  }

  synchronized void unfollow(ByteString thread) {
    follows.remove(thread);
  }

  // In

  private void read() {
    Failure failure;
    try {
      InputStream in = new BufferedInputStream(silence.heardBy(socket.getInputStream()), BUFFER_BYTES);
      int largest = Frames.RECEIVED_BYTES;
      while (true) {
        Frame frame = Frames.read(in, largest);
        take(frame);
        if (frame.kind() == Frames.HELLO) {
          largest = (int) Math.min(1 << 30, Math.max(Frames.RECEIVED_BYTES, 2 * frameBytes()));
        }
      }
    } catch (Fault bad) {
      failure = bad.failure;
    } catch (IOException ended) {
      failure = new Failure(Kind.LOST, "the connection ended: " + ended.getMessage());
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError unexpected) {
      failure = Failure.protocol("the server sent something that cannot be handled: " + unexpected);
      failure.cause = unexpected;
    }
    end(failure);
  }

  private void take(Frame frame) throws Fault {
    int kind = frame.kind();
    boolean mayBeFirst = kind == Frames.HELLO || kind == Frames.PING || kind == Frames.PONG || kind == Frames.GOAWAY;
    if (!mayBeFirst && !hasHello()) {
      throw new Fault("the server's first frame is no HELLO");
    }
    boolean isOwnStream = frame.stream() % 2 == 1;
    if (isOwnStream && frame.isAnswer()) {
      answer(frame);
    } else if (kind == Frames.PING) {
      Ping ping = Frames.parse(frame.payload(), Ping.parser(), "PING");
      send(Frames.PONG, 0, 0, Pong.newBuilder().setOpaque(ping.getOpaque()).build().toByteArray());
    } else if (kind == Frames.GOAWAY) {
      goAway(Frames.parse(frame.payload(), GoAway.parser(), "GOAWAY"));
    } else if (kind == Frames.HELLO) {
      greeted(Frames.parse(frame.payload(), ServerHello.parser(), "HELLO"));
    } else if (kind == Frames.REQUEST && frame.stream() != 0 && !isOwnStream) {
      owner.tools().asked(this, frame);
    } else if (kind == Frames.CANCEL) {
      owner.tools().takenBack(this, frame.stream());
    } else if (kind == Frames.ERROR) {
      Failure said = Failure.refused(Frames.parse(frame.payload(), dev.heddle.v1.Error.parser(), "ERROR"));
      owner.log(System.Logger.Level.WARNING, "the server does not take an answer: " + said.describe());
    } else if (kind != Frames.PONG && kind != Frames.EVENT) {
      throw new Fault("the server sent a frame of kind " + kind + " on stream " + frame.stream());
    }
  }

  synchronized boolean hasHello() {
    return hello != null;
  }

  private void answer(Frame frame) throws Fault {
    Handler who;
    synchronized (this) {
      who = streams.get(frame.stream());
      if (who == null) {
        if (frame.stream() < nextStream) {
          return;  // A stream that has ended may be answered late; one that was never opened may not.
        }
        throw new Fault("the server answers on stream " + frame.stream() + ", which was never opened");
      }
      boolean isLast = frame.kind() == Frames.RESPONSE && (frame.flags() & Frames.END_OF_STREAM) != 0;
      if (frame.kind() == Frames.ERROR || who.isCall() || isLast) {
        streams.remove(frame.stream());
      }
    }
    who.frame(frame.kind(), frame.payload(), frame.size());
    endIfDone();
  }

  private void greeted(ServerHello said) throws Fault {
    synchronized (this) {
      if (hello != null) {
        throw new Fault("the server said HELLO twice");
      }
      if (said.getVersion() != 1) {
        throw new Fault("the server speaks version " + said.getVersion() + " of the protocol");
      }
      hello = said;
      if (said.getServerTime() != 0) {
        aheadMillis = said.getServerTime() - System.currentTimeMillis();
      }
      long inFlightLimit = said.getLimits().getRequestsInFlight();
      if (inFlightLimit > 0) {
        limit = (int) Math.min(Integer.MAX_VALUE, inFlightLimit);
      }
    }
    ready.complete(null);
  }

  private void goAway(GoAway notice) throws Fault {
    Failure said = Failure.refused(notice.getError());
    List<Handler> unserved = new ArrayList<>();
    List<Pending> unsent;
    long lastStream = Integer.toUnsignedLong(notice.getLastStream());
    synchronized (this) {
      if (fault == null) {
        fault = said;
      }
      if (hello == null) {
        throw new Fault(said);
      }
      isLeaving = true;
      streams.entrySet().removeIf(entry -> entry.getKey() > lastStream && unserved.add(entry.getValue()));
      unsent = takeWaiting();
    }
    tellUnsent(unsent);
    unserved.forEach(who -> who.ended(Failure.unserved("the server goes: " + said.message)));
    owner.leaves(this);
    endIfDone();
  }

  // Out

  void send(int kind, int method, long stream, byte[] payload) {
    writer.add(kind, method, stream, payload, Frames.NOTHING);
  }

  /** Opens a stream; null, or the failure. The number is given to the handler before the server can answer. */
  Failure open(int method, byte[] payload, byte[] metadata, Handler who, LongConsumer number) {
    synchronized (this) {
      if (!isUsable()) {
        return Failure.unserved("the connection takes no more calls");
      }
      long most = frameBytes();
      if (metadata.length > 0xffff || (most > 0 && payload.length + metadata.length > most)) {
        return new Failure(Kind.TOO_LARGE, "the message has " + payload.length + " bytes; the server takes " + most);
      }
      long stream = nextStream;
      nextStream += 2;
      number.accept(stream);
      streams.put(stream, who);
      writer.add(Frames.REQUEST, method, stream, payload, metadata);
      return null;
    }
  }

  synchronized void cancel(long stream) {
    if (streams.containsKey(stream)) {
      writer.add(Frames.CANCEL, 0, stream, Frames.NOTHING, Frames.NOTHING);
    }
  }

  // Calls in flight

  /** Sends a call, or lets it wait for a place among those in flight. */
  void call(Pending who) {
    Failure failure = null;
    synchronized (this) {
      if (who.isGivenUp()) {
        return;
      }
      if (isUsable() && inFlight >= limit) {
        waiting.add(who);
      } else {
        failure = start(who);
      }
    }
    if (failure != null) {
      who.fail(failure);
    }
  }

  private Failure start(Pending who) {
    Failure failure = who.open();
    if (failure == null) {
      inFlight++;
    }
    return failure;
  }

  synchronized void giveUp(Pending who) {
    if (!waiting.remove(who)) {
      cancel(who.stream());
    }
  }

  /** A call has its answer, so another one may go. */
  void answered() {
    Map<Pending, Failure> failures = new HashMap<>();
    synchronized (this) {
      inFlight--;
      while (inFlight < limit && !waiting.isEmpty()) {
        Pending next = waiting.remove();
        Failure failure = start(next);
        if (failure != null) {
          failures.put(next, failure);
        }
      }
    }
    failures.forEach(Pending::fail);
  }

  private List<Pending> takeWaiting() {
    List<Pending> taken = new ArrayList<>(waiting);
    waiting.clear();
    return taken;
  }

  private static void tellUnsent(List<Pending> unsent) {
    unsent.forEach(who -> who.fail(Failure.unserved("the connection takes no more calls")));
  }

  // The end

  /** Nothing new goes out; the connection closes when everything is answered. */
  void leave() {
    List<Pending> unsent;
    synchronized (this) {
      if (isLeaving || hasEnded) {
        return;
      }
      isLeaving = true;
      unsent = takeWaiting();
    }
    tellUnsent(unsent);
    owner.leaves(this);
    endIfDone();
  }

  private void endIfDone() {
    Failure cause;
    synchronized (this) {
      if (!isLeaving || !streams.isEmpty() || hasEnded) {
        return;
      }
      cause = fault;
    }
    end(cause != null ? cause : new Failure(Kind.LOST, "the connection was replaced"));
  }

  void end(Failure failure) {
    Failure cause;
    List<Handler> handlers;
    List<Pending> unsent;
    boolean mayFinishWriting;
    synchronized (this) {
      if (hasEnded) {
        return;
      }
      hasEnded = true;
      // A GOAWAY that came before says more than the end of the bytes.
      if (fault == null || failure.kind != Kind.LOST) {
        fault = failure;
      }
      cause = fault;
      handlers = new ArrayList<>(streams.values());
      streams.clear();
      unsent = takeWaiting();
      mayFinishWriting = isLeaving;
    }
    writer.finish();
    watch.cancel(false);
    if (!mayFinishWriting) {
      writer.abort();
    }
    ready.complete(cause);
    gone.complete(null);
    tellUnsent(unsent);
    handlers.forEach(who -> who.ended(cause.isFault() ? cause.copied() : Failure.lostBy(cause)));
    owner.ended(this, cause);
  }

  /** Waits for both threads. */
  void join(Duration patience) throws InterruptedException {
    writer.join(patience);
    if (Thread.currentThread() != reader) {
      reader.join(patience.toMillis());
    }
  }
}
