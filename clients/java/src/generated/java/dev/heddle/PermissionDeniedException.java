// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with PERMISSION_DENIED. */
public final class PermissionDeniedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  PermissionDeniedException(Failure failure) {
    super(failure);
  }
}
