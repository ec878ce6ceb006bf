// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with INTERNAL. */
public final class InternalErrorException extends RefusedException {
  private static final long serialVersionUID = 1L;

  InternalErrorException(Failure failure) {
    super(failure);
  }
}
