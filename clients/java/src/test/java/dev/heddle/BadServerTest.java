package dev.heddle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.protobuf.ByteString;
import dev.heddle.v1.ServerHello;
import dev.heddle.v1.ServerStatusRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random frames: a call and a subscription end with an error or go on, and nothing else happens to the program. */
class BadServerTest {
  private static final int ROUNDS = 300;
  private static final int FRAMES = 20;

  private static byte[] frame(Random random) {
    byte[] payload = new byte[random.nextInt(24)];
    random.nextBytes(payload);
    int metadata = random.nextInt(8) == 0 ? random.nextInt(30) : 0;
    int length = random.nextInt(20) == 0 ? random.nextInt() : payload.length;
    int method = random.nextBoolean() ? 118 : 701 + random.nextInt(3);
    return ByteBuffer.allocate(16 + payload.length).put((byte) 0xfa).put((byte) (1 + random.nextInt(10)))
        .putShort((short) method).putInt(random.nextInt(6)).put((byte) 1).putShort((short) metadata)
        .put((byte) (random.nextInt(3) == 0 ? 2 : 0)).putInt(length).put(payload).array();
  }

  private static void serve(Socket socket, long seed) throws IOException {
    Random random = new Random(seed);
    try (socket) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] hello = ServerHello.newBuilder().setVersion(1).build().toByteArray();
      bytes.writeBytes(ByteBuffer.allocate(16).put((byte) 0xfa).put((byte) 10).position(8).put((byte) 1).position(12)
          .putInt(hello.length).array());
      bytes.writeBytes(hello);
      for (int number = 0; number < FRAMES; number++) {
        bytes.writeBytes(frame(random));
      }
      OutputStream out = socket.getOutputStream();
      out.write(bytes.toByteArray(), 0, 16 + hello.length);
      socket.getInputStream().read(new byte[4096]);
      out.write(bytes.toByteArray(), 16 + hello.length, bytes.size() - 16 - hello.length);
      socket.getInputStream().read(new byte[4096]);
    } catch (IOException ended) {
      return;
    }
  }

  @Test
  @Timeout(120)
  void randomFrames() throws IOException {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    try (ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread serving = new Thread(() -> {
        for (long seed = 1; ; seed++) {
          try {
            serve(listening.accept(), seed);
          } catch (IOException closed) {
            return;
          }
        }
      });
      serving.start();
      for (int round = 0; round < ROUNDS; round++) {
        round("heddle://127.0.0.1:" + listening.getLocalPort());
      }
    }
    assertEquals(List.of(), uncaught);
  }

  private static void round(String url) {
    Heddle client = Heddle.builder(url).retries(1).backoff(Duration.ofMillis(1), Duration.ofMillis(2)).timeout(Duration.ofMillis(200))
        .closeTimeout(Duration.ofMillis(1)).tool("t", arguments -> "").build();
    try (client; Subscription events = client.subscribe(ByteString.copyFromUtf8("t".repeat(16)), SubscribeOptions.after(0))) {
      events.open();
      client.server().status(ServerStatusRequest.getDefaultInstance());
      events.next(Duration.ofMillis(20));
    } catch (HeddleException failed) {
      assertFalse(failed.getMessage().contains("cannot be handled"), failed.getMessage());
    } catch (NoSuchElementException closed) {
      assertNotNull(closed);
    }
  }
}
