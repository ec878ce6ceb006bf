/// The next step of a client when the server refuses a call: the column `retry` of proto/reasons.tsv.
public enum Retry: Sendable, Hashable {
  /// It sends the call again on the same connection, not before `retry_after_ms`.
  case wait
  /// It sends the call again, with the same idempotency key, on a new connection.
  case reconnect
  /// It sends the call once more, with a new token.
  case token
  /// It hands the error to its caller: repeating the call as it is cannot help.
  case never
}
