// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with CANCELLED. */
public final class CancelledByServerException extends RefusedException {
  private static final long serialVersionUID = 1L;

  CancelledByServerException(Failure failure) {
    super(failure);
  }
}
