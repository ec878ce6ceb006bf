// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with UNAUTHENTICATED. */
public final class UnauthenticatedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  UnauthenticatedException(Failure failure) {
    super(failure);
  }
}
