package dev.heddle;

import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.SubscriptionKind;

/** The content of a subscription: {@code SubscribeOptions.after(0).tree()}. */
public final class SubscribeOptions {
  private final SubscribeRequest.Builder asked = SubscribeRequest.newBuilder();

  private SubscribeOptions() {}

  /** New messages only. */
  public static SubscribeOptions live() {
    return new SubscribeOptions();
  }

  /** The events after this one; 0: all of them. */
  public static SubscribeOptions after(long sequence) {
    SubscribeOptions made = new SubscribeOptions();
    made.asked.setAfter(sequence);
    return made;
  }

  /** The epoch that the sequence belongs to. */
  public SubscribeOptions epoch(long epoch) {
    asked.setEpoch(epoch);
    return this;
  }

  /** The agents below the thread too; such a message has a thread. */
  public SubscribeOptions tree() {
    asked.setTree(true);
    return this;
  }

  /** Some kinds of messages only. */
  public SubscribeOptions only(SubscriptionKind... kinds) {
    asked.clearKinds();
    for (SubscriptionKind kind : kinds) {
      asked.addKinds(kind);
    }
    return this;
  }

  /** The bytes that may wait for the program, 1 MiB by default. */
  public SubscribeOptions credit(int bytes) {
    asked.setCredit(bytes);
    return this;
  }

  SubscribeRequest request() {
    return asked.build();
  }
}
