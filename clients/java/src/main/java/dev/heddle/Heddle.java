package dev.heddle;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.heddle.v1.ContentPart;
import dev.heddle.v1.StartTurnRequest;
import dev.heddle.v1.TurnInput;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * The client of Heddle, the session server for AI agents: threads, turns, settings, and their events.
 *
 * <pre>{@code
 * try (Heddle client = Heddle.connect("heddle://127.0.0.1")) {
 *   var started = client.threads().start(StartThreadRequest.newBuilder().setName("first").build());
 *   for (String text : client.turn(started.getThread().getId(), "Hello").text()) {
 *     System.out.print(text);
 *   }
 * }
 * }</pre>
 *
 * <p>A client is safe for use by many threads. It has one connection, and makes another when that one is lost, when the server goes,
 * or when it replaces old connections. An interrupt of a thread that waits cancels its call, on the server too.
 */
public final class Heddle implements AutoCloseable {
  /** The name of the schema that this client was made from. */
  public static final String SCHEMA_HASH = Methods.SCHEMA_HASH;

  private static final String HERE = "heddle://127.0.0.1";

  private final Connections connections;
  private final Calls calls;

  Heddle(String url, Settings settings) {
    connections = new Connections(Target.parse(url), settings);
    calls = new Calls(connections);
  }

  /** A connected client of `heddle://host:port,host2?tls=on&amp;ca=FILE&amp;cert=FILE&amp;key=FILE&amp;name=NAME`. */
  public static Heddle connect(String url) {
    return builder(url).connect();
  }

  /** A client with options. */
  public static HeddleBuilder builder(String url) {
    return new HeddleBuilder(url);
  }

  /** A client of the server that HEDDLE_URL names, or of the one on this machine. */
  public static HeddleBuilder builder() {
    String url = System.getenv("HEDDLE_URL");
    return builder(url == null || url.isEmpty() ? HERE : url);
  }

  /** Connects the client if it is not. */
  public void connect() {
    Failure failure;
    try {
      failure = connections.connection().get().failure();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      failure = Failure.cancelled();
    } catch (ExecutionException never) {
      throw new IllegalStateException(never);
    }
    if (failure != null) {
      throw failure.exception();
    }
  }

  /** Threads: to start, resume, fork, read and list them. */
  public ThreadsService threads() {
    return new ThreadsService(calls);
  }

  /** Turns: to start, steer and interrupt them. */
  public TurnsService turns() {
    return new TurnsService(calls);
  }

  /** The settings. */
  public SettingsService settings() {
    return new SettingsService(calls);
  }

  /** The agents of a tree. */
  public AgentsService agents() {
    return new AgentsService(calls);
  }

  /** The catalog of models and features. */
  public CatalogService catalog() {
    return new CatalogService(calls);
  }

  /** The server itself. */
  public ServerService server() {
    return new ServerService(calls);
  }

  /** Answers to calls that come as events. */
  public CallsService calls() {
    return new CallsService(calls);
  }

  /** Any method by its path, such as `ThreadService/Read`; the services do this with types. */
  public <T> T invoke(String path, MessageLite request, Parser<T> answer, CallOptions options) {
    return calls.invoke(method(path), request, answer, options);
  }

  /** The same as `invoke`, without waiting. */
  public <T> CompletableFuture<T> invokeAsync(String path, MessageLite request, Parser<T> answer, CallOptions options) {
    return calls.invokeAsync(method(path), request, answer, options);
  }

  private static Method method(String path) {
    Method found = Methods.of(path);
    if (found == null) {
      throw new IllegalArgumentException("there is no method " + path);
    }
    return found;
  }

  /** Follows a thread. An empty one: notices of all threads. */
  public Subscription subscribe(ByteString thread, SubscribeOptions options) {
    return new Subscription(connections, thread, options.request());
  }

  /** Follows a thread from now on. */
  public Subscription subscribe(ByteString thread) {
    return subscribe(thread, SubscribeOptions.live());
  }

  /** Follows all threads by notices: a thread started, its status, its name, its end. */
  public Subscription subscribeToAll() {
    return new Subscription(connections, null, SubscribeOptions.live().request());
  }

  /** Starts a turn and follows it, when its text or its result is asked for. */
  public RunningTurn turn(ByteString thread, String text) {
    TurnInput input = TurnInput.newBuilder().addContent(ContentPart.newBuilder().setText(text)).build();
    return turn(StartTurnRequest.newBuilder().setThread(thread).setInput(input).build());
  }

  /** The same with a request of your own. */
  public RunningTurn turn(StartTurnRequest request) {
    return new RunningTurn(connections, calls, request);
  }

  /** Names the function that runs a tool. The thread must offer the tool ({@link dev.heddle.v1.StartThreadRequest#getToolsList}). */
  public void tool(String name, Tool tool) {
    if (connections.tools().add(name, tool)) {
      connections.renew();
    }
  }

  /** Names the function that asks the user. */
  public void onQuestion(Questions questions) {
    if (connections.tools().askWith(questions)) {
      connections.renew();
    }
  }

  /** Waits for calls that have no answer yet, at most the close timeout; then no thread and no socket is left. */
  @Override
  public void close() {
    connections.close();
  }

  /** The servers, and no secret. */
  @Override
  public String toString() {
    return "Heddle client of " + connections.hosts().stream().map(Target.Host::toString).collect(Collectors.joining(","));
  }
}
