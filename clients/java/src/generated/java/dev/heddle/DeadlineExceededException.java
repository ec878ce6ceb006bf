// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with DEADLINE_EXCEEDED. */
public final class DeadlineExceededException extends RefusedException {
  private static final long serialVersionUID = 1L;

  DeadlineExceededException(Failure failure) {
    super(failure);
  }
}
