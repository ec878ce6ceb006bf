package dev.heddle;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** Options of a client: {@code Heddle.builder("heddle://127.0.0.1").timeout(Duration.ofSeconds(5)).connect()}. */
public final class HeddleBuilder {
  private final String url;
  private final Settings settings = new Settings();

  HeddleBuilder(String url) {
    this.url = url;
  }

  /** A token that does not change; it wins over HEDDLE_TOKEN. */
  public HeddleBuilder token(String token) {
    Objects.requireNonNull(token, "token");
    settings.token = () -> token;
    settings.hasTokenSource = false;
    return this;
  }

  /** A function that gives a fresh token. */
  public HeddleBuilder tokenSource(TokenSource source) {
    settings.token = Objects.requireNonNull(source, "source");
    settings.hasTokenSource = true;
    return this;
  }

  /** The time of a call with all its attempts, 30 s by default; zero means no bound. */
  public HeddleBuilder timeout(Duration timeout) {
    settings.timeout = timeout;
    return this;
  }

  /** The attempts after the first one, 4 by default. */
  public HeddleBuilder retries(int retries) {
    settings.retries = retries;
    return this;
  }

  /** The first wait between attempts, which doubles, and the longest one: 100 ms and 10 s by default. */
  public HeddleBuilder backoff(Duration first, Duration longest) {
    settings.backoff = first;
    settings.longestBackoff = longest;
    return this;
  }

  /** The time for one host to connect and to say HELLO, 10 s by default. */
  public HeddleBuilder connectTimeout(Duration timeout) {
    settings.connectTimeout = timeout;
    return this;
  }

  /** The bytes of a subscription that may wait for the program, 1 MiB by default. */
  public HeddleBuilder credit(int bytes) {
    settings.credit = bytes;
    return this;
  }

  /** The silence after which the server is asked whether it is there, and after which it counts as lost: 30 s and 90 s. */
  public HeddleBuilder keepalive(Duration pingAfter, Duration lostAfter) {
    settings.pingAfter = pingAfter;
    settings.lostAfter = lostAfter;
    return this;
  }

  /** The time that close() gives to calls that have no answer yet, 5 s by default. */
  public HeddleBuilder closeTimeout(Duration timeout) {
    settings.closeTimeout = timeout;
    return this;
  }

  /** A TLS context of your own, and with it TLS. */
  public HeddleBuilder tls(SSLContext context) {
    settings.tls = context;
    return this;
  }

  /** The things that the program wants to see. */
  public HeddleBuilder hooks(Hooks hooks) {
    settings.hooks = Objects.requireNonNull(hooks, "hooks");
    return this;
  }

  /** The logger; otherwise the one named `dev.heddle`. No token is ever logged. */
  public HeddleBuilder logger(System.Logger logger) {
    settings.log = Objects.requireNonNull(logger, "logger");
    return this;
  }

  /** The function that gives the trace context of a call. It runs on the thread that makes the call. */
  public HeddleBuilder trace(Supplier<TraceContext> trace) {
    settings.trace = trace;
    return this;
  }

  /** A tool that is there from the first connection on; {@link Heddle#tool} adds one later. */
  public HeddleBuilder tool(String name, Tool tool) {
    settings.tools.put(name, Objects.requireNonNull(tool, "tool"));
    return this;
  }

  /** The function that asks the user; {@link Heddle#onQuestion} names one later. */
  public HeddleBuilder onQuestion(Questions questions) {
    settings.questions = questions;
    return this;
  }

  /** A client that connects with its first call. */
  public Heddle build() {
    return new Heddle(url, settings);
  }

  /** A client that is connected. */
  public Heddle connect() {
    Heddle made = build();
    try {
      made.connect();
      return made;
    } catch (RuntimeException failed) {
      made.close();
      throw failed;
    }
  }
}
