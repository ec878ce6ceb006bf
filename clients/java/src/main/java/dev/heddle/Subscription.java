package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.Credit;
import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.SubscriptionEvent;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The messages of a thread, over all connections. It goes on behind the last event that the program has taken. Messages that were
 * read ahead of it go with their connection and come again, so nothing is skipped and no event comes twice.
 */
public final class Subscription implements Iterator<SubscriptionEvent>, Iterable<SubscriptionEvent>, AutoCloseable {
  private static final int SUBSCRIBE = Methods.THREAD_SUBSCRIBE.number();
  private static final long NO_END = Long.MAX_VALUE;

  private final Connections connections;
  private final SubscribeRequest asked;
  private final ByteString thread;
  private final int credit;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Position position;
  private SubscriptionStream stream;
  private SubscriptionEvent peeked;
  private boolean isOpening;
  private boolean hasOpened;
  private boolean isClosed;
  private Failure failure;
  private long returned;
  /** Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly. */
  private int broken;
  private Missing filling;

  /** Events of an agent that came while there was no connection, and the subscription that reads them. */
  private record Missing(ByteString agent, long after, long until, Subscription events) {}

  Subscription(Connections connections, ByteString thread, SubscribeRequest asked) {
    this.connections = connections;
    this.thread = thread == null ? ByteString.EMPTY : thread;
    this.asked = thread == null ? asked : asked.toBuilder().setThread(thread).build();
    this.credit = asked.getCredit() > 0 ? asked.getCredit() : connections.settings().credit;
    position = new Position(this.asked);
  }

  /** The number of messages of kinds that this client does not know. */
  public int skipped() {
    lock.lock();
    try {
      return position.skipped();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Iterator<SubscriptionEvent> iterator() {
    return this;
  }

  /** Waits for the next message. False: the subscription is closed. */
  @Override
  public boolean hasNext() {
    if (peeked == null) {
      peeked = take(NO_END);
    }
    return peeked != null;
  }

  /** Waits for the next message. */
  @Override
  public SubscriptionEvent next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the subscription is closed");
    }
    SubscriptionEvent made = peeked;
    peeked = null;
    return made;
  }

  /** The next message, or nothing if none comes in this time. Throws NoSuchElementException if the subscription is closed. */
  public Optional<SubscriptionEvent> next(Duration time) {
    SubscriptionEvent made = peeked != null ? peeked : take(System.nanoTime() + time.toNanos());
    peeked = null;
    if (made == null && isClosed()) {
      throw new NoSuchElementException("the subscription is closed");
    }
    return Optional.ofNullable(made);
  }

  /** True if no message will come any more. */
  public boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  /** The next message; null: the time is over, or the subscription is closed. */
  private SubscriptionEvent take(long end) {
    while (true) {
      Missing missing;
      lock.lock();
      try {
        missing = filling;
        if (missing == null) {
          Position.Entry entry = position.poll();
          if (entry != null && entry.message() != null) {
            taken(entry);
            return entry.message();
          }
          if (entry != null) {
            filling = missing(entry);
          } else if (isClosed || failure != null) {
            return ended();
          } else {
            openLocked();
            if (!await(end)) {
              return null;
            }
          }
          continue;
        }
      } finally {
        lock.unlock();
      }
      SubscriptionEvent made = fill(missing, end);
      if (made != null || (end != NO_END && System.nanoTime() >= end)) {
        return made;
      }
    }
  }

  private SubscriptionEvent ended() {
    Failure told = failure;
    failure = null;
    isClosed = true;
    if (told != null) {
      throw told.exception();
    }
    return null;
  }

  private boolean await(long end) {
    try {
      if (end == NO_END) {
        changed.await();
        return true;
      }
      long left = end - System.nanoTime();
      return left > 0 && changed.awaitNanos(left) > Long.MIN_VALUE;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw Failure.cancelled().exception();
    }
  }

  /** Returns when the server follows the thread for this subscription. */
  public void awaitOpen() {
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
  public void open() {
    lock.lock();
    try {
      openLocked();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the subscription. */
  @Override
  public void close() {
    SubscriptionStream current;
    Missing missing;
    lock.lock();
    try {
      if (isClosed) {
        return;
      }
      isClosed = true;
      current = stream;
      missing = filling;
      stream = null;
      position.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    connections.remove(this);
    if (missing != null) {
      missing.events.close();
    }
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

  // Events of agents that came without a connection

  private Missing missing(Position.Entry gap) {
    SubscribeOptions events = SubscribeOptions.after(gap.after()).only(dev.heddle.v1.SubscriptionKind.SUBSCRIPTION_KIND_EVENTS);
    return new Missing(gap.agent(), gap.after(), gap.until(), new Subscription(connections, gap.agent(), events.request()));
  }

  private SubscriptionEvent fill(Missing missing, long end) {
    lock.lock();
    try {
      if (position.seenOf(missing.agent, missing.after) >= missing.until) {
        filling = null;
      }
    } finally {
      lock.unlock();
    }
    if (filling == null) {
      missing.events.close();
      return null;
    }
    SubscriptionEvent message = null;
    boolean isOver = false;
    try {
      message = missing.events.take(end);
      isOver = message == null && missing.events.isClosed();
    } catch (NotFoundException failed) {
      if (!failed.isReason(Reason.THREAD)) {
        throw failed;
      }
      isOver = true;  // An agent that has been deleted has nothing left to read.
    }
    lock.lock();
    try {
      if (isOver) {
        position.saw(missing.agent, missing.until);
        return null;
      }
      if (message == null || !message.hasEvent()) {
        return null;
      }
      position.saw(missing.agent, message.getEvent().getSequence());
      return message.toBuilder().setThread(missing.agent).build();
    } finally {
      lock.unlock();
    }
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
    boolean isResumed = false;
    long after = 0;
    lock.lock();
    try {
      if (!isClosed) {
        returned = 0;
        byte[] payload = position.again(asked).setCredit(credit).build().toByteArray();
        failed = connection.open(SUBSCRIBE, payload, Frames.NOTHING, made, made::number);
        if (failed == null) {
          stream = made;
          isOpening = false;
          isResumed = hasOpened;
          after = position.cursor();
        }
      }
    } finally {
      lock.unlock();
    }
    if (made.number() == 0) {
      made.done();
    }
    if (isResumed) {
      long from = after;
      connections.tell(hooks -> hooks.resumed(thread, from));
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
