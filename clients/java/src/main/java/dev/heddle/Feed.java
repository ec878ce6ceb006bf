package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.Credit;
import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.SubscriptionEvent;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The messages of a subscription, from one connection after the other. Messages that were read ahead of the program go with their
 * connection and come again.
 */
final class Feed {
  static final long NO_END = Long.MAX_VALUE;

  private static final int SUBSCRIBE = Methods.THREAD_SUBSCRIBE.number();

  private final Connections connections;
  private final SubscribeRequest asked;
  private final ByteString thread;
  private final int credit;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Position position;
  private SubscriptionStream stream;
  private boolean isOpening;
  private boolean hasOpened;
  private boolean isClosed;
  private Failure failure;
  private long returned;
  /** Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly. */
  private int broken;

  /** No thread: notices of all threads. */
  Feed(Connections connections, ByteString thread, SubscribeRequest asked) {
    this.connections = connections;
    this.thread = thread == null ? ByteString.EMPTY : thread;
    this.asked = thread == null ? asked : asked.toBuilder().setThread(thread).build();
    this.credit = asked.getCredit() > 0 ? asked.getCredit() : connections.settings().credit;
    position = new Position(this.asked);
  }

  /** The number of messages of kinds that this client does not know. */
  int skipped() {
    lock.lock();
    try {
      return position.skipped();
    } finally {
      lock.unlock();
    }
  }

  /** True if no message will come any more. */
  boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  /** The last event of an agent that the program has taken. */
  long seenOf(ByteString agent, long other) {
    lock.lock();
    try {
      return position.seenOf(agent, other);
    } finally {
      lock.unlock();
    }
  }

  void saw(ByteString agent, long sequence) {
    lock.lock();
    try {
      position.saw(agent, sequence);
    } finally {
      lock.unlock();
    }
  }

  /** The next message, or a gap to fill before it; null: the time is over, or the subscription is closed. */
  Position.Entry take(long end) {
    lock.lock();
    try {
      while (true) {
        Position.Entry entry = position.poll();
        if (entry != null) {
          if (entry.message() != null) {
            taken(entry);
          }
          return entry;
        }
        if (isClosed || failure != null) {
          return ended();
        }
        openLocked();
        if (!await(end)) {
          return null;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Position.Entry ended() {
    Failure told = failure;
    failure = null;
    isClosed = true;
    if (told != null) {
      throw told.exception();
    }
    return null;
  }

  /** False: the time is over. */
  private boolean await(long end) {
    try {
      if (end == NO_END) {
        changed.await();
        return true;
      }
      return changed.awaitNanos(end - System.nanoTime()) > 0;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw Failure.cancelled().exception();
    }
  }

  /** Returns when the server follows the thread for this subscription. */
  void awaitOpen() {
    lock.lock();
    try {
      openLocked();
      while (!hasOpened) {
        if (failure != null) {
          throw failure.exception();
        }
        if (isClosed) {
          throw new Failure(Kind.CLOSED, "the subscription is closed").exception();
        }
        await(NO_END);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Begins to follow the thread, if it has not begun. */
  void open() {
    lock.lock();
    try {
      openLocked();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    SubscriptionStream current;
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      current = stream;
      stream = null;
      position.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    connections.remove(this);
    if (current != null) {
      current.leave();
    }
  }

  private void taken(Position.Entry entry) {
    broken = 0;
    position.taken(entry.message());
    returned += entry.size();
    if (stream == null || returned < credit / 2) {
      return;
    }
    stream.allow(returned);
    byte[] bytes = Credit.newBuilder().setBytes((int) returned).build().toByteArray();
    stream.connection.send(Frames.CREDIT, SUBSCRIBE, stream.number(), bytes);
    returned = 0;
  }

  // Connections

  private void openLocked() {
    if (stream != null || isOpening || isClosed || failure != null) {
      return;
    }
    isOpening = true;
    if (!connections.add(this)) {
      failure = Failure.closed();
      changed.signalAll();
      return;
    }
    Duration wait = broken > 1 ? connections.settings().backoff(broken - 2) : Duration.ZERO;
    connections.threads().later(wait, () -> keepOpening(0));
  }

  /** Subscribes, as often as it takes. */
  private void keepOpening(int attempt) {
    if (isClosed()) {
      return;
    }
    connections.connectionFor(thread).thenAccept(dialed -> {
      Failure failed = dialed.failure() != null ? dialed.failure().copied() : subscribe(dialed.connection());
      if (failed == null) {
        return;
      }
      String decided = Reason.retry(failed.reason);
      boolean mayPass = failed.kind == Kind.LOST || failed.kind == Kind.CANNOT_CONNECT
          || (failed.isRefusal() && (decided.equals("wait") || decided.equals("reconnect")));
      if (!mayPass) {
        fail(failed);
        return;
      }
      Duration wait = connections.settings().backoff(attempt);
      connections.threads().later(failed.retryAfter.compareTo(wait) > 0 ? failed.retryAfter : wait, () -> keepOpening(attempt + 1));
    });
  }

  private Failure subscribe(Connection connection) {
    SubscriptionStream made = new SubscriptionStream(this, connection, thread, credit);
    Failure failed = null;
    lock.lock();
    try {
      if (!isClosed) {
        returned = 0;
        byte[] payload = position.again(asked).setCredit(credit).build().toByteArray();
        failed = connection.open(SUBSCRIBE, payload, Frames.NOTHING, made, made::number);
      }
      if (made.number() != 0) {
        stream = made;
        isOpening = false;
        if (hasOpened) {
          // With the lock, so that no message comes before the hook.
          connections.tell(hooks -> hooks.resumed(thread, position.cursor()));
        }
      }
    } finally {
      lock.unlock();
    }
    if (made.number() == 0) {
      made.done();
    }
    return failed;
  }

  /** A message has come. */
  void came(SubscriptionStream from, int kind, SubscriptionEvent message, int size) throws Fault {
    lock.lock();
    try {
      if (stream != from) {
        return;
      }
      if (kind == Frames.RESPONSE) {
        if (position.opened(message, !hasOpened)) {
          hasOpened = true;
        }
        changed.signalAll();
        return;
      }
      from.use(size);
      Position.Came came = position.came(message, size);
      if (came == Position.Came.DROPPED) {
        returned += size;
      }
      if (came != Position.Came.GAP) {
        changed.signalAll();
        return;
      }
      stream = null;
    } finally {
      lock.unlock();
    }
    from.leave();
    startAgain();
  }

  /** The stream has ended. */
  void broke(SubscriptionStream from, Failure why) {
    lock.lock();
    try {
      if (stream != from) {
        return;
      }
      stream = null;
      broken = from.ageNanos() > connections.settings().longestBackoff.toNanos() ? 1 : broken + 1;
    } finally {
      lock.unlock();
    }
    if (why.isFault()) {
      fail(why);
      return;
    }
    Failure behind = why.reasonBehind();
    if (behind.isRefusal()) {
      String decided = Reason.retry(behind.reason);
      boolean needsToken = decided.equals("token");
      if ((decided.isEmpty() && why.kind != Kind.LOST) || (needsToken && !connections.settings().hasTokenSource)) {
        fail(behind.copied());
        return;
      }
      if (why.isRefusal() && (decided.equals("reconnect") || needsToken)) {
        from.connection.leave();
      }
    }
    startAgain();
  }

  /** The connection takes nothing new: the subscription moves to another one. */
  void leave(Connection connection) {
    SubscriptionStream current;
    lock.lock();
    try {
      current = stream;
      if (current == null || current.connection != connection) {
        return;
      }
      stream = null;
    } finally {
      lock.unlock();
    }
    current.leave();
    startAgain();
  }

  /** Behind the last message that the program has taken; what was read ahead comes again. */
  private void startAgain() {
    lock.lock();
    try {
      position.forgetAhead();
      openLocked();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Failure why) {
    SubscriptionStream current;
    lock.lock();
    try {
      if (failure == null && !isClosed) {
        failure = why;
      }
      current = stream;
      stream = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (current != null) {
      current.leave();
    }
    connections.remove(this);
  }
}
