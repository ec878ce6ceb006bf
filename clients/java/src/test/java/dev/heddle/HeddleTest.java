package dev.heddle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.heddle.v1.ListThreadsRequest;
import dev.heddle.v1.ReadThreadRequest;
import dev.heddle.v1.ServerStatusRequest;
import dev.heddle.v1.SetThreadNameRequest;
import dev.heddle.v1.StartThreadRequest;
import dev.heddle.v1.SubscriptionEvent;
import dev.heddle.v1.ToolDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HeddleTest {
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    server = new TestServer(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ByteString start(Heddle client) {
    return client.threads().start(StartThreadRequest.newBuilder().setName("first").build()).getThread().getId();
  }

  @Test
  void callsEventsAndATurn() {
    try (Heddle client = Heddle.connect(server.url())) {
      ByteString thread = start(client);
      assertEquals("You said: Hello there", client.turn(thread, "!chunks 20\n!delay 5\nHello there").result());
      List<String> pieces = new ArrayList<>();
      client.turn(thread, "!chunks 7\n!delay 20\nabcdefg").text().forEach(pieces::add);
      assertEquals("You said: abcdefg", String.join("", pieces));
      assertTrue(pieces.size() > 1, pieces.toString());
      assertEquals("first", client.threads().eachList(ListThreadsRequest.getDefaultInstance()).stream()
          .map(one -> one.getName()).collect(Collectors.joining(",")));
    }
  }

  @Test
  void anErrorHasATypeForItsCode() {
    try (Heddle client = Heddle.connect(server.url())) {
      ReadThreadRequest nobody = ReadThreadRequest.newBuilder().setThread(ByteString.copyFrom(new byte[16])).build();
      NotFoundException missing = assertThrows(NotFoundException.class, () -> client.threads().read(nobody));
      assertTrue(missing.isReason(Reason.THREAD));
      assertFalse(missing.mayHaveHappened());
      assertEquals("NOT_FOUND", missing.code());
      Throwable later = assertThrows(CompletionException.class, () -> client.threads().readAsync(nobody).join());
      assertInstanceOf(NotFoundException.class, later.getCause());
    }
  }

  @Test
  void callsThatDoNotWait() {
    try (Heddle client = Heddle.connect(server.url())) {
      List<CompletableFuture<String>> names = new ArrayList<>();
      for (int number = 0; number < 500; number++) {
        StartThreadRequest request = StartThreadRequest.newBuilder().setName("n" + number).build();
        // A callback may call and wait.
        names.add(client.threads().startAsync(request).thenApply(started ->
            client.threads().read(ReadThreadRequest.newBuilder().setThread(started.getThread().getId()).build()).getThread().getName()));
      }
      for (int number = 0; number < names.size(); number++) {
        assertEquals("n" + number, names.get(number).join());
      }
    }
  }

  @Test
  void aTurnThatFailsAndOneThatTheProgramGivesUp() throws InterruptedException {
    try (Heddle client = Heddle.connect(server.url())) {
      ByteString thread = start(client);
      TurnFailedException failed = assertThrows(TurnFailedException.class, () -> client.turn(thread, "!fail").result());
      assertEquals("model_failed", failed.reason());
      List<HeddleException> told = new ArrayList<>();
      Thread waiting = new Thread(() -> told.add(assertThrows(HeddleException.class, () -> client.turn(thread, "!stall").result())));
      waiting.start();
      Thread.sleep(300);
      waiting.interrupt();
      waiting.join();
      assertEquals(HeddleException.Kind.CANCELLED, told.get(0).kind());
      List<String> statuses = new ArrayList<>();
      try (Subscription events = client.subscribe(thread, SubscribeOptions.after(0))) {
        for (SubscriptionEvent message : events) {
          if (message.getEvent().hasTurnEnded()) {
            statuses.add(message.getEvent().getTurnEnded().getStatus().name());
          }
          if (message.hasLive()) {
            break;
          }
        }
      }
      assertEquals(List.of("TURN_STATUS_FAILED", "TURN_STATUS_INTERRUPTED"), statuses);
    }
  }

  /** Each change once and each event once, over a server that is killed three times. */
  @Test
  void kill9InTheMiddleLosesNothing() throws Exception {
    try (Heddle client = Heddle.builder(server.url()).backoff(Duration.ofMillis(50), Duration.ofMillis(200)).retries(100).connect()) {
      ByteString thread = start(client);
      CompletableFuture<List<String>> following = CompletableFuture.supplyAsync(() -> {
        List<String> names = new ArrayList<>();
        try (Subscription events = client.subscribe(thread, SubscribeOptions.after(0))) {
          while (!names.contains("last")) {
            SubscriptionEvent message = events.next();
            if (message.getEvent().hasNameChanged()) {
              names.add(message.getEvent().getNameChanged().getName());
            }
          }
        }
        return names;
      });
      List<String> wanted = new ArrayList<>();
      for (int number = 0; number <= 60; number++) {
        if (number == 10 || number == 30 || number == 50) {
          server.kill();
          server.start();
        }
        String name = number == 60 ? "last" : "name " + number;
        wanted.add(name);
        client.threads().setName(SetThreadNameRequest.newBuilder().setThread(thread).setName(name).build());
      }
      assertEquals(wanted, following.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void aToolAndAQuestion() {
    try (Heddle client = Heddle.builder(server.url()).tool("weather", arguments -> "grey: " + arguments)
        .onQuestion(question -> "Bern").connect()) {
      ToolDefinition weather =
          ToolDefinition.newBuilder().setName("weather").setDescription("d").setSchema("{\"type\":\"object\"}").build();
      ByteString thread = client.threads().start(StartThreadRequest.newBuilder().setAsksUser(true).addTools(weather).build())
          .getThread().getId();
      assertTrue(client.turn(thread, "!tool weather {\"town\": \"Bern\"}").result().contains("grey"));
      assertTrue(client.turn(thread, "!tool request_user_input {\"question\": \"Which town?\"}").result().contains("Bern"));
    }
  }

  @Test
  void aFutureThatIsCancelledAndACloseInACallback() throws InterruptedException {
    try (Heddle client = Heddle.connect(server.url())) {
      CompletableFuture<?> unwanted = client.server().statusAsync(ServerStatusRequest.getDefaultInstance());
      unwanted.cancel(true);
      client.server().status(ServerStatusRequest.getDefaultInstance());
      CountDownLatch closed = new CountDownLatch(1);
      client.server().statusAsync(ServerStatusRequest.getDefaultInstance()).thenRun(() -> {
        client.close();
        closed.countDown();
      });
      assertTrue(closed.await(10, TimeUnit.SECONDS));
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream().filter(one -> one.getName().startsWith("heddle-")).count();
  }

  @Test
  void nothingIsLeftAfterClose() throws InterruptedException {
    long before = threads();
    for (int round = 0; round < 5; round++) {
      Heddle client = Heddle.connect(server.url());
      Subscription events = client.subscribe(start(client));
      events.awaitOpen();
      client.close();
      assertTrue(events.isClosed());
      HeddleException closed = assertThrows(HeddleException.class, () -> client.server().status(ServerStatusRequest.getDefaultInstance()));
      assertEquals(HeddleException.Kind.CLOSED, closed.kind());
    }
    for (int round = 0; round < 100 && threads() > before; round++) {
      Thread.sleep(10);
    }
    assertEquals(before, threads());
  }

  @Test
  void nobodyListens() {
    HeddleException failed = assertThrows(HeddleException.class, () -> Heddle.builder("heddle://127.0.0.1:1").retries(0).connect());
    assertEquals(HeddleException.Kind.CANNOT_CONNECT, failed.kind());
    assertTrue(failed.getMessage().contains("127.0.0.1:1"), failed.getMessage());
  }
}
