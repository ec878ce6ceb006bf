package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.Frames.Fault;

/** A call on one connection, which waits for its place and for its answer. */
final class Pending implements Connection.Handler {
  private final Attempts owner;
  private final Connection connection;
  private final byte[] payload;
  private volatile boolean isGivenUp;
  private volatile long stream;
  private volatile int sent;

  Pending(Attempts owner, Connection connection, byte[] payload) {
    this.owner = owner;
    this.connection = connection;
    this.payload = payload;
  }

  Connection connection() {
    return connection;
  }

  boolean isGivenUp() {
    return isGivenUp;
  }

  long stream() {
    return stream;
  }

  /** The bytes that were sent; 0: the call never went out. */
  int sent() {
    return sent;
  }

  /** Called with the connection's lock. */
  Failure open() {
    byte[] metadata = owner.metadata();
    Failure failure = connection.open(owner.method().number(), payload, metadata, this, number -> stream = number);
    if (failure == null) {
      sent = Frames.HEAD_BYTES + metadata.length + payload.length;
    }
    return failure;
  }

  void giveUp() {
    isGivenUp = true;
    connection.giveUp(this);
  }

  /** The call never went out. */
  void fail(Failure failure) {
    owner.answered(this, null, 0, failure);
  }

  @Override
  public void frame(int kind, ByteString answer, int size) throws Fault {
    connection.answered();
    switch (kind) {
      case Frames.RESPONSE -> owner.answered(this, answer, size, null);
      case Frames.ERROR -> {
        Failure failure;
        try {
          failure = Failure.refused(Frames.parse(answer, dev.heddle.v1.Error.parser(), "ERROR"));
        } catch (Fault unreadable) {
          owner.answered(this, null, size, unreadable.failure.copied());
          throw unreadable;
        }
        owner.answered(this, null, size, failure);
      }
      default -> owner.answered(this, null, size, Failure.protocol("the server sent an event where an answer is due"));
    }
  }

  @Override
  public void ended(Failure failure) {
    connection.answered();
    owner.answered(this, null, 0, failure);
  }

  @Override
  public boolean isCall() {
    return true;
  }
}
