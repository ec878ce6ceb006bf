// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with UNKNOWN. */
public final class UnknownErrorException extends RefusedException {
  private static final long serialVersionUID = 1L;

  UnknownErrorException(Failure failure) {
    super(failure);
  }
}
