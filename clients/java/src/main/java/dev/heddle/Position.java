package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;
import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.Subscribed;
import dev.heddle.v1.SubscriptionEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** The place of a subscription among its events, and the messages that wait for the program. It has no lock of its own. */
final class Position {
  private static final long NONE = -1;

  /** A message that waits; or, without one, events of an agent that have to be read first. */
  record Entry(SubscriptionEvent message, int size, ByteString agent, long after, long until) {}

  enum Came {
    QUEUED,
    DROPPED,
    /** Events are missing, and are asked for once more. */
    GAP
  }

  private final boolean isOfOneThread;
  private final Deque<Entry> queue = new ArrayDeque<>();
  private final Map<ByteString, Long> agents = new HashMap<>();
  /** The last event that the program has taken, and the last one that has come. */
  private long cursor;
  private long received;
  private Long epoch;
  private int gapsInARow;
  private int skipped;

  Position(SubscribeRequest asked) {
    isOfOneThread = asked.hasThread();
    cursor = asked.hasAfter() ? asked.getAfter() : NONE;
    received = cursor;
    epoch = asked.hasEpoch() ? asked.getEpoch() : null;
  }

  int skipped() {
    return skipped;
  }

  long cursor() {
    return Math.max(0, cursor);
  }

  Entry poll() {
    return queue.poll();
  }

  void clear() {
    queue.clear();
  }

  void saw(ByteString agent, long sequence) {
    agents.put(agent, sequence);
  }

  long seenOf(ByteString agent, long other) {
    return agents.getOrDefault(agent, other);
  }

  /** The request that goes on behind the cursor. */
  SubscribeRequest.Builder again(SubscribeRequest asked) {
    received = cursor;
    SubscribeRequest.Builder made = asked.toBuilder();
    if (cursor != NONE) {
      made.setAfter(cursor);
    }
    if (epoch != null) {
      made.setEpoch(epoch);
    }
    return made;
  }

  void taken(SubscriptionEvent message) {
    if (!message.hasEvent()) {
      return;
    }
    long sequence = message.getEvent().getSequence();
    if (message.hasThread()) {
      agents.put(message.getThread(), sequence);
    } else {
      cursor = sequence;
    }
  }

  void forgetAhead() {
    queue.removeIf(entry -> entry.message == null || !entry.message.hasSubscribed() || entry.message.hasThread());
  }

  /** The answer to Subscribe. True: it is the first one, which the program gets. */
  boolean opened(SubscriptionEvent message, boolean isFirst) throws Fault {
    if (isOfOneThread) {
      Subscribed subscribed = message.getSubscribed();
      if (!message.hasSubscribed()) {
        throw new Fault("the answer to Subscribe is not `subscribed`");
      }
      if (epoch != null && epoch != subscribed.getEpoch()) {
        throw new Fault("the thread's epoch was " + Long.toUnsignedString(epoch) + " and is "
            + Long.toUnsignedString(subscribed.getEpoch()) + ": its events are other ones");
      }
      if (cursor != NONE && Long.compareUnsigned(subscribed.getHead(), cursor) < 0) {
        throw new Fault("the thread ends at event " + subscribed.getHead() + ", and " + cursor + " was seen");
      }
      epoch = subscribed.getEpoch();
      if (cursor == NONE) {
        cursor = subscribed.getHead();
        received = cursor;
      }
    }
    if (isFirst) {
      queue.add(new Entry(message, 0, null, 0, 0));
    }
    return isFirst;
  }

  Came came(SubscriptionEvent message, int size) throws Fault {
    if (message.getKindCase() == SubscriptionEvent.KindCase.KIND_NOT_SET) {
      skipped++;
      return Came.DROPPED;
    }
    if (message.hasSubscribed()) {
      if (!message.hasThread()) {
        throw new Fault("the server sent `subscribed` twice");
      }
      long head = message.getSubscribed().getHead();
      Long known = agents.putIfAbsent(message.getThread(), head);
      if (known != null && Long.compareUnsigned(head, known) > 0) {
        queue.add(new Entry(null, 0, message.getThread(), known, head));
      }
    } else if (message.hasEvent() && !message.hasThread()) {
      long sequence = message.getEvent().getSequence();
      if (received != NONE && Long.compareUnsigned(sequence, received) <= 0) {
        return Came.DROPPED;
      }
      if (received != NONE && sequence != received + 1) {
        gapsInARow++;
        if (gapsInARow > 1) {
          throw new Fault("the server leaves out events: " + sequence + " comes after " + received);
        }
        return Came.GAP;
      }
      received = sequence;
      gapsInARow = 0;
    }
    queue.add(new Entry(message, size, null, 0, 0));
    return Came.QUEUED;
  }
}
