package dev.heddle;

/** A turn ended without a result. */
public final class TurnFailedException extends HeddleException {
  private static final long serialVersionUID = 1L;

  TurnFailedException(Failure failure) {
    super(failure);
  }

  /** `FAILED` or `INTERRUPTED`. */
  public String status() {
    return failure().status;
  }

  /** The text that came until then. */
  public String text() {
    return failure().text;
  }
}
