package dev.heddle;

/** The server answered with an error. A subclass for each code has its name; an unknown code is this class itself. */
public class RefusedException extends HeddleException {
  private static final long serialVersionUID = 1L;

  RefusedException(Failure failure) {
    super(failure);
  }
}
