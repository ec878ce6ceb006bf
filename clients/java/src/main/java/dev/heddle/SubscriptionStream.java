package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;
import dev.heddle.v1.SubscriptionEvent;

/** A subscription on one connection. */
final class SubscriptionStream implements Connection.Handler {
  /** A server sends the message that uses up the credit in full; one that goes far beyond does not count. */
  private static final long OVERDRAFT = 8 << 20;

  final Connection connection;
  private final Feed owner;
  private final ByteString thread;
  private final long began = System.nanoTime();
  /** The bytes that the server may send; it belongs to the lock of the subscription. */
  private long allowed;
  private volatile long number;
  private boolean isDone;

  SubscriptionStream(Feed owner, Connection connection, ByteString thread, long credit) {
    this.owner = owner;
    this.connection = connection;
    this.thread = thread;
    allowed = credit;
  }

  void number(long stream) {
    number = stream;
  }

  long number() {
    return number;
  }

  long ageNanos() {
    return System.nanoTime() - began;
  }

  void allow(long bytes) {
    allowed += bytes;
  }

  void use(int bytes) throws Fault {
    allowed -= bytes;
    if (allowed < -OVERDRAFT) {
      throw new Fault("the server sends more than the subscription's credit allows");
    }
  }

  @Override
  public void frame(int kind, ByteString payload, int size) throws Fault {
    if (kind == Frames.ERROR) {
      Failure said = Failure.refused(Frames.parse(payload, dev.heddle.v1.Error.parser(), "ERROR"));
      done();
      owner.broke(this, said);
      return;
    }
    SubscriptionEvent message = Frames.parse(payload, SubscriptionEvent.parser(), "subscription event");
    owner.came(this, kind, message, size);
  }

  @Override
  public void ended(Failure failure) {
    done();
    owner.broke(this, failure);
  }

  @Override
  public boolean isCall() {
    return false;
  }

  /** Once: afterwards another stream of this connection may follow the thread. */
  void done() {
    synchronized (this) {
      if (isDone) {
        return;
      }
      isDone = true;
    }
    connection.unfollow(thread);
  }

  /** The rest of it is not wanted any more. */
  void leave() {
    connection.cancel(number);
    done();
  }
}
