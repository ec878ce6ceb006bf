package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.Ping;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The silence of a server: it is asked whether it is there, and then it counts as lost. */
final class Silence {
  private static final Duration PING_INTERVAL = Duration.ofSeconds(5);
  private static final int OPAQUE_BYTES = 8;

  private final Duration pingAfter;
  private final Duration lostAfter;
  private final Duration interval;
  private volatile long heard = System.nanoTime();
  private long pinged;
  private boolean hasPinged;

  Silence(Settings settings) {
    pingAfter = settings.pingAfter;
    lostAfter = settings.lostAfter;
    interval = shorter(PING_INTERVAL, pingAfter);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** The time between two looks. */
  Duration period() {
    return shorter(pingAfter, lostAfter).dividedBy(4);
  }

  /** The same stream, which notes when bytes come. */
  InputStream heardBy(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        heard = System.nanoTime();
        return count;
      }
    };
  }

  /** One thread looks. */
  void look(Connection connection, FrameWriter writer) {
    long now = System.nanoTime();
    Duration silence = Duration.ofNanos(now - heard);
    boolean mayPing = !hasPinged || now - pinged >= interval.toNanos();
    if (mayPing && silence.compareTo(pingAfter) >= 0 && connection.hasHello()) {
      hasPinged = true;
      pinged = now;
      byte[] opaque = new byte[OPAQUE_BYTES];
      ThreadLocalRandom.current().nextBytes(opaque);
      writer.add(Frames.PING, 0, 0, Ping.newBuilder().setOpaque(ByteString.copyFrom(opaque)).build().toByteArray(), Frames.NOTHING);
    }
    if (silence.compareTo(lostAfter) >= 0) {
      connection.end(new Failure(Kind.LOST, "nothing came from the server for " + silence.toSeconds() + " s"));
    }
  }
}
