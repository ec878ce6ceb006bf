// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with ABORTED. */
public final class AbortedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  AbortedException(Failure failure) {
    super(failure);
  }
}
