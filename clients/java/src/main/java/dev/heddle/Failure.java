package dev.heddle;

import dev.heddle.HeddleException.Kind;
import java.io.Serializable;
import java.time.Duration;
import java.util.TreeMap;

/** The facts of an error, before a program gets it: an exception is made where it is thrown, with a trace of that place. */
final class Failure implements Serializable {
  private static final long serialVersionUID = 1L;

  final Kind kind;
  final String message;
  String code = "";
  String reason = "";
  TreeMap<String, String> details = new TreeMap<>();
  Duration retryAfter = Duration.ZERO;
  String debugId = "";
  int attempts = 1;
  boolean mayHaveHappened;
  String status = "";
  String text = "";
  /** The server has said that it did not serve the call. */
  boolean isUnserved;
  /** The error with which the server ended the connection. */
  Failure behind;
  Throwable cause;

  Failure(Kind kind, String message) {
    this.kind = kind;
    this.message = message;
  }

  static Failure protocol(String message) {
    return new Failure(Kind.PROTOCOL, message);
  }

  static Failure closed() {
    return new Failure(Kind.CLOSED, "the client is closed");
  }

  static Failure cancelled() {
    return new Failure(Kind.CANCELLED, "the program cancelled the call");
  }

  static Failure timedOut() {
    return new Failure(Kind.TIMED_OUT, "the call's time is over");
  }

  static Failure unserved(String message) {
    Failure made = new Failure(Kind.LOST, message);
    made.isUnserved = true;
    return made;
  }

  static Failure refused(dev.heddle.v1.Error said) {
    Failure made = new Failure(Kind.REFUSED, said.getMessage());
    made.code = Codes.name(said.getCodeValue());
    made.reason = said.getReason();
    made.debugId = said.getDebugId();
    made.retryAfter = Duration.ofMillis(Math.max(0, said.getRetryAfterMs()));
    said.getDetailsList().forEach(detail -> made.details.put(detail.getName(), detail.getValue()));
    return made;
  }

  /** The error of the calls of a connection that has ended: they may have been served. */
  static Failure lostBy(Failure cause) {
    Failure made = new Failure(Kind.LOST, cause.describe());
    made.behind = cause;
    return made;
  }

  /** Each call gets an error of its own, because attempts are counted in it. */
  Failure copied() {
    Failure made = new Failure(kind, message);
    made.code = code;
    made.reason = reason;
    made.details = details;
    made.retryAfter = retryAfter;
    made.debugId = debugId;
    made.attempts = attempts;
    made.mayHaveHappened = mayHaveHappened;
    made.status = status;
    made.text = text;
    made.isUnserved = isUnserved;
    made.behind = behind;
    made.cause = cause;
    return made;
  }

  boolean isRefusal() {
    return kind == Kind.REFUSED;
  }

  /** A fault of the server, after which nothing of the connection can be believed. */
  boolean isFault() {
    return kind == Kind.PROTOCOL || kind == Kind.TOO_LARGE;
  }

  /** The refusal with which the server ended a connection, or this error itself. */
  Failure reasonBehind() {
    return kind == Kind.LOST && behind != null && behind.isRefusal() ? behind : this;
  }

  /** The reason, or the kind where there is none. */
  String shortReason() {
    return reason.isEmpty() ? kind.title() : reason;
  }

  String describe() {
    StringBuilder text = new StringBuilder();
    if (isRefusal()) {
      text.append(code).append(' ').append(reason).append(": ");
    }
    text.append(message);
    details.forEach((name, value) -> {
      String fact = " (" + name + ": " + value + ")";
      text.append(message.contains(fact) ? "" : fact);  // A server may have said it already.
    });
    return text.toString();
  }

  HeddleException exception() {
    return switch (kind) {
      case REFUSED -> Codes.exception(this);
      case TURN_FAILED -> new TurnFailedException(this);
      default -> new HeddleException(this);
    };
  }
}
