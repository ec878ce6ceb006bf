// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with RESOURCE_EXHAUSTED. */
public final class ResourceExhaustedException extends RefusedException {
  private static final long serialVersionUID = 1L;

  ResourceExhaustedException(Failure failure) {
    super(failure);
  }
}
