// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with FAILED_PRECONDITION. */
public final class FailedPreconditionException extends RefusedException {
  private static final long serialVersionUID = 1L;

  FailedPreconditionException(Failure failure) {
    super(failure);
  }
}
