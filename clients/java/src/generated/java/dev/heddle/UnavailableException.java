// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with UNAVAILABLE. */
public final class UnavailableException extends RefusedException {
  private static final long serialVersionUID = 1L;

  UnavailableException(Failure failure) {
    super(failure);
  }
}
