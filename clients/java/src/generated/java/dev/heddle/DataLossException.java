// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

/** The server refused a call with DATA_LOSS. */
public final class DataLossException extends RefusedException {
  private static final long serialVersionUID = 1L;

  DataLossException(Failure failure) {
    super(failure);
  }
}
