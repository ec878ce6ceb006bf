package dev.heddle;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** The settings of a client, with their defaults. Nothing changes them once the client is made. */
final class Settings {
  TokenSource token;
  boolean hasTokenSource;
  Duration timeout = Duration.ofSeconds(30);
  int retries = 4;
  Duration backoff = Duration.ofMillis(100);
  Duration longestBackoff = Duration.ofSeconds(10);
  Duration connectTimeout = Duration.ofSeconds(10);
  int credit = 1 << 20;
  Duration pingAfter = Duration.ofSeconds(30);
  Duration lostAfter = Duration.ofSeconds(90);
  Duration closeTimeout = Duration.ofSeconds(5);
  int toolsAtOnce = 64;
  String clientName = "heddle-java";
  SSLContext tls;
  Hooks hooks = new Hooks() {};
  System.Logger log = System.getLogger("dev.heddle");
  Supplier<TraceContext> trace;
  final Map<String, Tool> tools = new LinkedHashMap<>();
  Questions questions;

  /** The first wait doubles up to the longest one, and clients do not come back together. */
  Duration backoff(int attempt) {
    double wait = Math.min((double) longestBackoff.toNanos(), backoff.toNanos() * Math.pow(2, Math.max(0, Math.min(attempt, 60))));
    return Duration.ofNanos((long) (wait * (0.5 + ThreadLocalRandom.current().nextDouble() / 2)));
  }
}
