package dev.heddle;

import dev.heddle.v1.RequestUserInputRequest;

/** A function that asks the user. Its thread is interrupted as that of a {@link Tool} is. */
@FunctionalInterface
public interface Questions {
  /** The user's answer. */
  String ask(RequestUserInputRequest question) throws Exception;
}
