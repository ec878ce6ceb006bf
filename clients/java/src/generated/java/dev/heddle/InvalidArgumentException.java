// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with INVALID_ARGUMENT. */
public final class InvalidArgumentException extends RefusedException {
  private static final long serialVersionUID = 1L;

  InvalidArgumentException(Failure failure) {
    super(failure);
  }
}
