// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with ALREADY_EXISTS. */
public final class AlreadyExistsException extends RefusedException {
  private static final long serialVersionUID = 1L;

  AlreadyExistsException(Failure failure) {
    super(failure);
  }
}
