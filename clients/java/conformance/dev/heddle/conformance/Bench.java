package dev.heddle.conformance;

import com.google.protobuf.ByteString;
import dev.heddle.Heddle;
import dev.heddle.SubscribeOptions;
import dev.heddle.v1.ReadSettingsRequest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;
import java.util.UUID;

/** The Java client's CPU: Benchmarks/clients/README.md. */
public final class Bench {
  private static double used;
  private static long began;
  private static long before;

  private Bench() {}

  private static double cpu() {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }

  private static long memory() {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      var line = lines.filter(one -> one.startsWith("VmRSS")).findFirst().orElse("VmRSS 0");
      return Long.parseLong(line.replaceAll("\\D", ""));
    } catch (IOException gone) {
      return 0;
    }
  }

  private static void begin() {
    before = memory();
    used = cpu();
    began = System.nanoTime();
  }

  private static void calls(Heddle client, ByteString thread, int depth, int count) throws InterruptedException {
    var threads = new ArrayList<Thread>();
    for (int place = 0; place < depth; place++) {
      var one = new Thread(() -> {
        for (int done = 0; done < count / depth; done++) {
          client.settings().read(ReadSettingsRequest.newBuilder().setThread(thread).build());
        }
      });
      one.setUncaughtExceptionHandler((failed, failure) -> {
        failure.printStackTrace();
        System.exit(1);
      });
      one.start();
      threads.add(one);
    }
    for (var one : threads) {
      one.join();
    }
  }

  private static void events(Heddle client, ByteString thread, int count) {
    begin();
    int taken = 0;
    try (var subscription = client.subscribe(thread, SubscribeOptions.after(0))) {
      while (taken < count) {
        if (subscription.next().hasEvent()) {
          taken++;
        }
        if (taken == count / 10) {
          before = memory();
        }
      }
    }
  }

  /** Measures as the arguments say. */
  public static void main(String[] words) throws InterruptedException {
    var id = UUID.fromString(words[2]);
    var bytes = java.nio.ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    var thread = ByteString.copyFrom(bytes.flip());
    try (Heddle client = Heddle.connect("heddle://" + words[1])) {
      int number = Integer.parseInt(words[3]);
      if (words[0].equals("calls")) {
        int count = Integer.parseInt(words[4]);
        calls(client, thread, number, count / 10);
        begin();
        calls(client, thread, number, count);
      } else {
        events(client, thread, number);
      }
      System.out.printf(Locale.ROOT, "{\"cpu\":%f,\"seconds\":%f,\"memory\":%d}%n",
          cpu() - used, (System.nanoTime() - began) / 1e9, memory() - before);
    }
  }
}
