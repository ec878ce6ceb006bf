// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with NOT_FOUND. */
public final class NotFoundException extends RefusedException {
  private static final long serialVersionUID = 1L;

  NotFoundException(Failure failure) {
    super(failure);
  }
}
