// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with OUT_OF_RANGE. */
public final class OutOfRangeException extends RefusedException {
  private static final long serialVersionUID = 1L;

  OutOfRangeException(Failure failure) {
    super(failure);
  }
}
