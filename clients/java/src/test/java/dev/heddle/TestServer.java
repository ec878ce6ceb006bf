package dev.heddle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server with the scripted model. The things that a bad server does are in the conformance suite. */
final class TestServer implements AutoCloseable {
  private static final Pattern LISTENS = Pattern.compile("\"listen\"\\s*:\\s*\"([^\"]+)\"");

  private final Path folder;
  private String address = "127.0.0.1:0";
  private Process process;

  TestServer(Path folder) throws IOException {
    this.folder = folder;
    start();
  }

  void start() throws IOException {
    String program = System.getenv().getOrDefault("HEDDLE_BIN", "../../.build/release/heddle");
    process = new ProcessBuilder(program, "serve", "--data", folder.resolve("data").toString(), "--listen", address, "--grpc", "off",
        "--http", "off").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    Matcher found = LISTENS.matcher(String.valueOf(line));
    if (!found.find()) {
      throw new IOException("the server did not start: " + line);
    }
    address = found.group(1).replace("\\/", "/");
  }

  void kill() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  String url() {
    return "heddle://" + address;
  }

  @Override
  public void close() {
    kill();
  }
}
