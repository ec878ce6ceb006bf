package dev.heddle.conformance;

import com.google.protobuf.ByteString;
import dev.heddle.Hooks;
import dev.heddle.conformance.v1.Counts;
import dev.heddle.conformance.v1.Heard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;

/** Hears the hooks and the log, and counts the runs of tools. */
final class Observer implements Hooks, System.Logger {
  private final List<String> hooks = new ArrayList<>();
  private final StringBuilder logged = new StringBuilder();
  private Counts.Builder counts = Counts.newBuilder();

  synchronized void forget() {
    hooks.clear();
    counts = Counts.newBuilder();
  }

  synchronized void count(boolean isBegun, String name) {
    if (isBegun) {
      counts.putBegun(name, counts.getBegunOrDefault(name, 0) + 1);
    } else {
      counts.putCancelled(name, counts.getCancelledOrDefault(name, 0) + 1);
    }
  }

  synchronized Counts counts() {
    return counts.build();
  }

  synchronized Heard heard(String client) {
    Heard made = Heard.newBuilder().addAllHooks(hooks).setText(logged + client).build();
    hooks.clear();
    return made;
  }

  private synchronized void hear(String hook) {
    hooks.add(hook);
  }

  @Override
  public void connected(String host) {
    hear("connected");
  }

  @Override
  public void lost(String reason) {
    hear("lost");
  }

  @Override
  public void retry(String method, int attempt, Duration wait, String reason) {
    hear("retry " + method + " " + reason);
  }

  @Override
  public void call(CallEnded call) {
    hear("call " + call.method() + " " + call.reason());
  }

  @Override
  public void resumed(ByteString thread, long after) {
    hear("resumed");
  }

  @Override
  public String getName() {
    return "conformance";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public synchronized void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
    logged.append(text).append('\n');
  }

  @Override
  public synchronized void log(Level level, ResourceBundle bundle, String format, Object... arguments) {
    logged.append(format).append('\n');
  }
}
