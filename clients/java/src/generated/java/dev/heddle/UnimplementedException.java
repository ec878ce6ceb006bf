// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with UNIMPLEMENTED. */
public final class UnimplementedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  UnimplementedException(Failure failure) {
    super(failure);
  }
}
