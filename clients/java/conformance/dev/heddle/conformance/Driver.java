package dev.heddle.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import dev.heddle.CallOptions;
import dev.heddle.Heddle;
import dev.heddle.HeddleBuilder;
import dev.heddle.HeddleException;
import dev.heddle.RunningTurn;
import dev.heddle.SubscribeOptions;
import dev.heddle.Subscription;
import dev.heddle.conformance.v1.Answer;
import dev.heddle.conformance.v1.Call;
import dev.heddle.conformance.v1.Connect;
import dev.heddle.conformance.v1.Done;
import dev.heddle.conformance.v1.Ended;
import dev.heddle.conformance.v1.Failed;
import dev.heddle.conformance.v1.Items;
import dev.heddle.conformance.v1.LeftOut;
import dev.heddle.conformance.v1.Next;
import dev.heddle.conformance.v1.Nothing;
import dev.heddle.conformance.v1.Pages;
import dev.heddle.conformance.v1.Report;
import dev.heddle.conformance.v1.Step;
import dev.heddle.conformance.v1.Subscribe;
import dev.heddle.conformance.v1.Tool;
import dev.heddle.conformance.v1.Turn;
import dev.heddle.conformance.v1.TurnEnd;
import dev.heddle.v1.AgentProto;
import dev.heddle.v1.CatalogProto;
import dev.heddle.v1.EventProto;
import dev.heddle.v1.ListThreadsRequest;
import dev.heddle.v1.ServerProto;
import dev.heddle.v1.SettingsProto;
import dev.heddle.v1.ThreadProto;
import dev.heddle.v1.TurnProto;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/** The driver of the Java client for the conformance suite: conformance/README.md. */
public final class Driver {
  private static final List<FileDescriptor> FILES = List.of(AgentProto.getDescriptor(), CatalogProto.getDescriptor(),
      EventProto.getDescriptor(), ServerProto.getDescriptor(), SettingsProto.getDescriptor(), ThreadProto.getDescriptor(),
      TurnProto.getDescriptor());

  private final Map<Integer, FutureTask<Report.Builder>> background = new HashMap<>();
  private final Map<String, Subscription> subscriptions = new HashMap<>();
  private final List<Tool> tools = new ArrayList<>();
  private final Observer observer = new Observer();
  private Heddle client;

  private void begin() {
    background.values().forEach(running -> running.cancel(true));
    if (client != null) {
      client.close();
    }
    client = null;
    background.clear();
    subscriptions.clear();
    tools.clear();
    observer.forget();
  }

  private static Duration ms(int value, int other) {
    return Duration.ofMillis(value == 0 ? other : value);
  }

  private void connect(Connect asked) {
    HeddleBuilder builder = Heddle.builder(asked.getUrl()).timeout(ms(asked.getTimeoutMs(), 30_000))
        .backoff(ms(asked.getBackoffMs(), 100), ms(asked.getLongestBackoffMs(), 10_000))
        .connectTimeout(ms(asked.getConnectTimeoutMs(), 10_000)).closeTimeout(ms(asked.getCloseTimeoutMs(), 5_000))
        .keepalive(ms(asked.getPingAfterMs(), 30_000), ms(asked.getLostAfterMs(), 90_000)).hooks(observer).logger(observer);
    if (asked.hasRetries()) {
      builder.retries(asked.getRetries());
    }
    if (asked.getCredit() > 0) {
      builder.credit(asked.getCredit());
    }
    if (!asked.getToken().isEmpty()) {
      builder.token(asked.getToken());
    } else if (asked.getTokensCount() > 0 || asked.getTokenFails()) {
      Iterator<String> left = asked.getTokensList().iterator();
      String last = asked.getTokensCount() > 0 ? asked.getTokens(asked.getTokensCount() - 1) : "";
      builder.tokenSource(() -> {
        if (!left.hasNext() && asked.getTokenFails()) {
          throw new IllegalStateException("no token today");
        }
        return left.hasNext() ? left.next() : last;
      });
    }
    client = builder.build();
    tools.forEach(this::register);
    client.connect();
  }

  private void register(Tool tool) {
    if (tool.getQuestion()) {
      client.onQuestion(question -> run(tool));
    } else {
      client.tool(tool.getName(), arguments -> run(tool));
    }
  }

  private String run(Tool tool) throws InterruptedException {
    observer.count(true, tool.getName());
    switch (tool.getDoesCase()) {
      case FAIL:
        throw new IllegalStateException(tool.getFail());
      case LARGE:
        return "x".repeat(tool.getLarge());
      case WAIT_MS:
        try {
          Thread.sleep(tool.getWaitMs());
          return "waited";
        } catch (InterruptedException stopped) {
          observer.count(false, tool.getName());
          throw stopped;
        }
      default:
        return tool.getAnswer();
    }
  }

  // Messages by name

  private static Parser<? extends Message> parser(String fullName) throws ReflectiveOperationException {
    Class<?> found = Class.forName("dev." + fullName);
    return ((Message) found.getMethod("getDefaultInstance").invoke(null)).getParserForType();
  }

  private static MethodDescriptor method(String path) {
    String[] names = path.split("/");
    return FILES.stream().map(file -> file.findServiceByName(names[0])).filter(service -> service != null).findFirst().orElseThrow()
        .findMethodByName(names[1]);
  }

  // Steps

  private Report.Builder call(Call asked) throws Exception {
    MethodDescriptor method = method(asked.getMethod());
    Message request = parser(method.getInputType().getFullName()).parseFrom(asked.getRequest());
    CallOptions options = CallOptions.none();
    if (!asked.getKey().isEmpty()) {
      options = options.key(asked.getKey());
    }
    if (asked.getTimeoutMs() > 0) {
      options = options.timeout(Duration.ofMillis(asked.getTimeoutMs()));
    }
    Message answer = client.invoke(asked.getMethod(), request, parser(method.getOutputType().getFullName()), options);
    return answered(answer);
  }

  private static Report.Builder answered(Message message) {
    return Report.newBuilder().setAnswer(Answer.newBuilder().setMessage(message.toByteString()));
  }

  private Report.Builder turn(Turn asked) {
    TurnEnd.Builder end = TurnEnd.newBuilder();
    RunningTurn turn = client.turn(asked.getThread(), asked.getText());
    for (String piece : turn.text()) {
      end.setText(end.getText() + piece).setPieces(end.getPieces() + 1);
    }
    return Report.newBuilder().setTurn(end.setTurn(turn.id()).setOutputTokens(turn.usage().getOutputTokens()));
  }

  /** In the background, or at once. */
  private Report.Builder run(int id, boolean isInBackground, Callable<Report.Builder> work) throws Exception {
    if (!isInBackground) {
      return work.call();
    }
    Running running = new Running(() -> report(work));
    background.put(id, running.task);
    running.thread.start();
    // The next step begins behind this one, as cases expect.
    Thread.sleep(10);
    return null;
  }

  /** Work on a thread of its own, which an interrupt cancels. */
  private static final class Running {
    final FutureTask<Report.Builder> task;
    final Thread thread;

    Running(Callable<Report.Builder> work) {
      Thread[] own = new Thread[1];
      task = new FutureTask<>(work) {
        @Override
        public boolean cancel(boolean mayInterrupt) {
          own[0].interrupt();  // The result still comes, as a failure.
          return true;
        }
      };
      thread = new Thread(task);
      own[0] = thread;
    }
  }

  private void subscribe(Subscribe asked) throws InterruptedException {
    SubscribeOptions options = asked.hasAfter() ? SubscribeOptions.after(asked.getAfter()) : SubscribeOptions.live();
    if (asked.hasEpoch()) {
      options.epoch(asked.getEpoch());
    }
    if (asked.getTree()) {
      options.tree();
    }
    if (asked.getCredit() > 0) {
      options.credit(asked.getCredit());
    }
    Subscription made = asked.hasThread() ? client.subscribe(asked.getThread(), options) : client.subscribeToAll();
    subscriptions.put(asked.getName(), made);
    made.open();
    Thread.sleep(10);
  }

  private Report.Builder next(Next asked) {
    try {
      var event = subscriptions.get(asked.getName()).next(ms(asked.getTimeoutMs(), 5_000));
      return event.map(one -> Report.newBuilder().setEvent(dev.heddle.conformance.v1.Event.newBuilder().setMessage(one.toByteString())))
          .orElseGet(() -> Report.newBuilder().setNothing(Nothing.getDefaultInstance()));
    } catch (NoSuchElementException closed) {
      return Report.newBuilder().setEnded(Ended.getDefaultInstance());
    }
  }

  private Report.Builder pages(Pages asked) throws Exception {
    if (!asked.getMethod().equals("ThreadService/List")) {
      return Report.newBuilder().setLeftOut(LeftOut.newBuilder().setWhy("pages of " + asked.getMethod()));
    }
    Stream<ByteString> items =
        client.threads().eachList(ListThreadsRequest.parseFrom(asked.getRequest())).stream().map(Message::toByteString);
    List<ByteString> wanted = (asked.getMost() > 0 ? items.limit(asked.getMost()) : items).toList();
    return Report.newBuilder().setItems(Items.newBuilder().addAllItems(wanted));
  }

  private Report.Builder step(Step step) throws Exception {
    switch (step.getWhatCase()) {
      case BEGIN -> begin();
      case CONNECT -> connect(step.getConnect());
      case CALL -> {
        return run(step.getId(), step.getCall().getBackground(), () -> call(step.getCall()));
      }
      case AWAIT -> {
        return background.get(step.getAwait().getStep()).get();
      }
      case CANCEL -> background.get(step.getCancel().getStep()).cancel(true);
      case SUBSCRIBE -> subscribe(step.getSubscribe());
      case NEXT -> {
        return next(step.getNext());
      }
      case UNSUBSCRIBE -> subscriptions.get(step.getUnsubscribe().getName()).close();
      case TURN -> {
        return run(step.getId(), step.getTurn().getBackground(), () -> turn(step.getTurn()));
      }
      case PAGES -> {
        return pages(step.getPages());
      }
      case TOOL -> {
        tools.add(step.getTool());
        Optional.ofNullable(client).ifPresent(any -> register(step.getTool()));
      }
      case TOOL_RUNS -> {
        return Report.newBuilder().setCounts(observer.counts());
      }
      case HOOKS -> {
        return Report.newBuilder().setHeard(observer.heard(String.valueOf(client)));
      }
      case CLOSE -> client.close();
      case VECTOR -> {
        return answered(parser(step.getVector().getMessage()).parseFrom(step.getVector().getBytes()));
      }
      default -> {
        return Report.newBuilder().setLeftOut(LeftOut.newBuilder().setWhy("an unknown step"));
      }
    }
    return null;
  }

  private static Report.Builder report(Callable<Report.Builder> work) throws Exception {
    try {
      Report.Builder made = work.call();
      return made == null ? Report.newBuilder().setDone(Done.getDefaultInstance()) : made;
    } catch (HeddleException failed) {
      return Report.newBuilder().setFailed(Failed.newBuilder().setKind(failed.kind().title()).setCode(failed.code())
          .setReason(failed.reason()).setMessage(failed.getMessage()).putAllDetails(failed.details()).setDebugId(failed.debugId())
          .setAttempts(failed.attempts()).setMayHaveHappened(failed.mayHaveHappened()));
    }
  }

  /** Steps until the end of the input. */
  public static void main(String[] arguments) throws Exception {
    Driver driver = new Driver();
    DataInputStream in = new DataInputStream(System.in);
    DataOutputStream out = new DataOutputStream(System.out);
    while (true) {
      byte[] body;
      try {
        body = new byte[in.readInt()];
      } catch (EOFException end) {
        return;
      }
      in.readFully(body);
      Step step = Step.parseFrom(body);
      byte[] made = report(() -> driver.step(step)).setId(step.getId()).build().toByteArray();
      out.writeInt(made.length);
      out.write(made);
      out.flush();
    }
  }
}
