package dev.heddle;

/** A function that gives a fresh token. */
@FunctionalInterface
public interface TokenSource {
  /** The token. It is asked for at each new connection, and once more when the server says that one has expired. */
  String token() throws Exception;
}
