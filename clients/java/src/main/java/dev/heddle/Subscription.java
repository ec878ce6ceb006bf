package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.SubscriptionEvent;
import dev.heddle.v1.SubscriptionKind;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The messages of a thread, over all connections. It goes on behind the last event that the program has taken, so nothing is skipped
 * and no event comes twice. One thread takes at a time; any may close it.
 */
public final class Subscription implements Iterator<SubscriptionEvent>, Iterable<SubscriptionEvent>, AutoCloseable {
  private final Connections connections;
  private final Feed feed;
  private SubscriptionEvent peeked;
  private volatile Missing filling;

  /** Events of an agent that came while there was no connection, and the subscription that reads them. */
  private record Missing(ByteString agent, long after, long until, Subscription events) {}

  Subscription(Connections connections, ByteString thread, SubscribeRequest asked) {
    this.connections = connections;
    feed = new Feed(connections, thread, asked);
  }

  /** The number of messages of kinds that this client does not know. */
  public int skipped() {
    return feed.skipped();
  }

  /** True if no message will come any more. */
  public boolean isClosed() {
    return feed.isClosed();
  }

  @Override
  public Iterator<SubscriptionEvent> iterator() {
    return this;
  }

  /** Waits for the next message. False: the subscription is closed. */
  @Override
  public boolean hasNext() {
    if (peeked == null) {
      peeked = take(Feed.NO_END);
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

  /** Begins to follow the thread now, not when the first message is asked for. */
  public void open() {
    feed.open();
  }

  /** Returns when the server follows the thread for this subscription. */
  public void awaitOpen() {
    feed.awaitOpen();
  }

  /** Ends the subscription. */
  @Override
  public void close() {
    feed.close();
    Missing missing = filling;
    if (missing != null) {
      missing.events.close();
    }
  }

  /** The next message; null: the time is over, or the subscription is closed. */
  private SubscriptionEvent take(long end) {
    while (true) {
      Missing missing = filling;
      if (missing != null) {
        SubscriptionEvent made = fill(missing, end);
        if (made != null || (end != Feed.NO_END && System.nanoTime() >= end)) {
          return made;
        }
        continue;
      }
      Position.Entry entry = feed.take(end);
      if (entry == null || entry.message() != null) {
        return entry == null ? null : entry.message();
      }
      SubscribeOptions events = SubscribeOptions.after(entry.after()).only(SubscriptionKind.SUBSCRIPTION_KIND_EVENTS);
      Subscription reading = new Subscription(connections, entry.agent(), events.request());
      filling = new Missing(entry.agent(), entry.after(), entry.until(), reading);
      if (isClosed()) {
        reading.close();
      }
    }
  }

  private SubscriptionEvent fill(Missing missing, long end) {
    if (Long.compareUnsigned(feed.seenOf(missing.agent, missing.after), missing.until) >= 0) {
      filling = null;
      missing.events.close();
      return null;
    }
    SubscriptionEvent message = null;
    boolean isOver;
    try {
      message = missing.events.take(end);
      isOver = message == null && missing.events.isClosed();
    } catch (NotFoundException failed) {
      if (!failed.isReason(Reason.THREAD)) {
        throw failed;
      }
      isOver = true;  // An agent that has been deleted has nothing left to read.
    }
    if (isOver) {
      feed.saw(missing.agent, missing.until);
    }
    if (message == null || !message.hasEvent()) {
      return null;
    }
    feed.saw(missing.agent, message.getEvent().getSequence());
    return message.toBuilder().setThread(missing.agent).build();
  }
}
