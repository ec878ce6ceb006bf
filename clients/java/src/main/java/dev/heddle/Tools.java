package dev.heddle;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.heddle.Frames.Frame;
import dev.heddle.v1.CallToolRequest;
import dev.heddle.v1.CallToolResponse;
import dev.heddle.v1.Code;
import dev.heddle.v1.ContentPart;
import dev.heddle.v1.RequestUserInputRequest;
import dev.heddle.v1.RequestUserInputResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Tools of the client. The server asks every connection that follows the thread, and asks again after a lost one. A call is known by
 * its id, so the function runs once; its result goes to each place that has asked for it.
 */
final class Tools {
  private static final int REMEMBERED = 1024;
  private static final int LONGEST_MESSAGE = 4000;

  private final Connections owner;
  private final ThreadPoolExecutor pool;
  private final Map<String, Tool> byName;
  private Questions questions;
  private final Map<Key, Run> runs = new LinkedHashMap<>();
  private boolean isStopped;

  private record Key(ByteString thread, ByteString turn, String call) {}

  private record Place(Connection connection, long stream) {}

  Tools(Connections owner, Settings settings) {
    this.owner = owner;
    byName = new LinkedHashMap<>(settings.tools);
    questions = settings.questions;
    pool = new ThreadPoolExecutor(settings.toolsAtOnce, settings.toolsAtOnce, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
        work -> owner.threads().make("heddle-tool", work));
    pool.allowCoreThreadTimeOut(true);
  }

  synchronized List<String> features() {
    List<String> found = new ArrayList<>();
    if (!byName.isEmpty()) {
      found.add("call_tool");
    }
    if (questions != null) {
      found.add("request_user_input");
    }
    return found;
  }

  /** True: HELLO has to say more than before. */
  synchronized boolean add(String name, Tool tool) {
    byName.put(name, tool);
    return byName.size() == 1;
  }

  synchronized boolean askWith(Questions asked) {
    boolean isFirst = questions == null;
    questions = asked;
    return isFirst;
  }

  synchronized void stop() {
    isStopped = true;
    new ArrayList<>(runs.values()).forEach(run -> run.cancel(true));
    pool.shutdownNow();
  }

  // Requests of the server

  void asked(Connection connection, Frame frame) {
    Place place = new Place(connection, frame.stream());
    try {
      if (frame.method() == Methods.CALL_TOOL) {
        CallToolRequest asked = CallToolRequest.parseFrom(frame.payload());
        Tool tool = tool(asked.getName());
        Callable<MessageLite> work = tool == null ? null : () -> run(tool, asked);
        begin(place, frame.method(), new Key(asked.getThread(), asked.getTurn(), asked.getCallId()), asked.getDeadline(), work);
      } else if (frame.method() == Methods.REQUEST_USER_INPUT) {
        RequestUserInputRequest asked = RequestUserInputRequest.parseFrom(frame.payload());
        Questions answering = questions();
        Callable<MessageLite> work = answering == null ? null : () -> run(answering, asked);
        begin(place, frame.method(), new Key(asked.getThread(), asked.getTurn(), asked.getCallId()), asked.getDeadline(), work);
      } else {
        begin(place, frame.method(), null, 0, null);
      }
    } catch (InvalidProtocolBufferException unreadable) {
      refuse(place, frame.method(), Code.CODE_INVALID_ARGUMENT, "the request cannot be read");
    }
  }

  private synchronized Tool tool(String name) {
    return byName.get(name);
  }

  private synchronized Questions questions() {
    return questions;
  }

  private static MessageLite run(Tool tool, CallToolRequest asked) throws Exception {
    String text = tool.run(asked.getArguments().isEmpty() ? "{}" : asked.getArguments());
    return CallToolResponse.newBuilder().setSuccess(true)
        .addContent(ContentPart.newBuilder().setText(text == null ? "" : text)).build();
  }

  private static MessageLite run(Questions questions, RequestUserInputRequest asked) throws Exception {
    String answer = questions.ask(asked);
    return RequestUserInputResponse.newBuilder().setAnswer(answer == null ? "" : answer).setActionHash(asked.getActionHash()).build();
  }

  private void begin(Place place, int method, Key key, long deadline, Callable<MessageLite> work) {
    Run made = null;
    synchronized (this) {
      Run known = key == null ? null : runs.get(key);
      if (known != null) {
        known.askedAgain(place);
        return;
      }
      if (work != null && !isStopped) {
        made = new Run(method, place, key, work);
        runs.put(key, made);
        forgetOld();
      }
    }
    if (made == null) {
      refuse(place, method, Code.CODE_UNIMPLEMENTED, "this client does not have the tool");
      return;
    }
    made.start(deadline);
  }

  private void forgetOld() {
    Iterator<Run> oldest = runs.values().iterator();
    while (runs.size() > REMEMBERED && oldest.hasNext() && oldest.next().payload != null) {
      oldest.remove();
    }
  }

  void takenBack(Connection connection, long stream) {
    Run unwanted = null;
    synchronized (this) {
      for (Run run : runs.values()) {
        if (run.places.remove(new Place(connection, stream)) && run.places.isEmpty() && run.payload == null) {
          unwanted = run;
        }
      }
      if (unwanted != null) {
        runs.remove(unwanted.key);
      }
    }
    if (unwanted != null) {
      unwanted.cancel(true);
    }
  }

  private static void refuse(Place place, int method, Code code, String message) {
    place.connection.send(Frames.ERROR, method, place.stream, failure(code, message));
  }

  private static byte[] failure(Code code, String message) {
    return dev.heddle.v1.Error.newBuilder().setCode(code).setReason("tool_failed").setMessage(message).build().toByteArray();
  }

  /** A call that runs, or has a result. Its fields belong to the lock of the tools. */
  private final class Run extends FutureTask<MessageLite> {
    private final int method;
    private final Key key;
    private final Connection first;
    private final List<Place> places = new ArrayList<>();
    private volatile boolean isLate;
    private volatile Future<?> timer;
    private int kind;
    private byte[] payload;

    Run(int method, Place place, Key key, Callable<MessageLite> work) {
      super(work);
      this.method = method;
      this.key = key;
      first = place.connection;
      places.add(place);
    }

    void start(long deadline) {
      if (deadline > 0) {
        long left = deadline - first.aheadMillis() - System.currentTimeMillis();
        timer = owner.threads().schedule(Duration.ofMillis(Math.max(0, Math.min(left, Integer.MAX_VALUE))), () -> {
          isLate = true;
          cancel(true);
        });
      }
      try {
        pool.execute(this);
      } catch (RejectedExecutionException closed) {
        cancel(false);
      }
    }

    void askedAgain(Place place) {
      if (payload == null) {
        places.add(place);
      } else {
        place.connection.send(kind, method, place.stream, payload);
      }
    }

    /** The function has ended, or is not waited for any more. */
    @Override
    protected void done() {
      if (timer != null) {
        timer.cancel(false);
      }
      try {
        answer(Frames.RESPONSE, get().toByteArray());
      } catch (CancellationException stopped) {
        if (isLate) {
          answer(Frames.ERROR, failure(Code.CODE_DEADLINE_EXCEEDED, "the tool did not end in its time"));
        }
      } catch (ExecutionException failed) {
        Throwable cause = failed.getCause();
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        answer(Frames.ERROR, failure(Code.CODE_UNKNOWN, text.substring(0, Math.min(LONGEST_MESSAGE, text.length()))));
      } catch (InterruptedException never) {
        Thread.currentThread().interrupt();
      }
    }

    private void answer(int answerKind, byte[] answer) {
      long most = first.frameBytes();
      boolean isTooLarge = most > 0 && answer.length > most;
      List<Place> wanted;
      synchronized (Tools.this) {
        kind = isTooLarge ? Frames.ERROR : answerKind;
        payload = isTooLarge ? failure(Code.CODE_UNKNOWN, "the tool's result is larger than " + most + " bytes") : answer;
        wanted = List.copyOf(places);
      }
      wanted.forEach(place -> place.connection.send(kind, method, place.stream, payload));
    }
  }
}
