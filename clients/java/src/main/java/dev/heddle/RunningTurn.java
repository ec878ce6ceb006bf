package dev.heddle;

import com.google.protobuf.ByteString;
import dev.heddle.HeddleException.Kind;
import dev.heddle.v1.ContentPart;
import dev.heddle.v1.Event;
import dev.heddle.v1.InterruptTurnRequest;
import dev.heddle.v1.InterruptTurnResponse;
import dev.heddle.v1.Item;
import dev.heddle.v1.Role;
import dev.heddle.v1.StartTurnRequest;
import dev.heddle.v1.StartTurnResponse;
import dev.heddle.v1.SubscribeRequest;
import dev.heddle.v1.SubscriptionEvent;
import dev.heddle.v1.TokenUsage;
import dev.heddle.v1.TurnEnded;
import dev.heddle.v1.TurnStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionException;

/**
 * A turn that is started and followed when its text or its result is asked for, once. An interrupt of the thread that waits interrupts
 * the turn. A program that stops in the middle of the text closes it.
 */
public final class RunningTurn implements AutoCloseable {
  private static final Duration LAST_WORD = Duration.ofSeconds(5);

  private final Calls calls;
  private final StartTurnRequest request;
  private final Subscription events;
  private final StringBuilder whole = new StringBuilder();
  /** The bytes of each of the model's messages that have come: each byte comes once, wherever it comes from. */
  private final Map<ByteString, Long> seen = new HashMap<>();
  private volatile ByteString id = ByteString.EMPTY;
  private volatile TokenUsage usage = TokenUsage.getDefaultInstance();
  private boolean isStarted;
  private boolean isOver;

  RunningTurn(Connections connections, Calls calls, StartTurnRequest request) {
    this.calls = calls;
    this.request = request;
    events = new Subscription(connections, request.getThread(), SubscribeRequest.getDefaultInstance());
  }

  /** The turn's id, as soon as it is started. */
  public ByteString id() {
    return id;
  }

  /** The tokens used, when the turn has ended. */
  public TokenUsage usage() {
    return usage;
  }

  /** Waits for the end, and returns the whole text. */
  public String result() {
    text().forEach(piece -> { });
    return whole.toString();
  }

  /** The model's words as they come. A turn without a result throws {@link TurnFailedException}. */
  public Iterable<String> text() {
    return Pieces::new;
  }

  /** Stops following the turn, which goes on. */
  @Override
  public void close() {
    events.close();
  }

  private final class Pieces implements Iterator<String> {
    private String next = "";

    @Override
    public boolean hasNext() {
      try {
        while (next.isEmpty() && !isOver) {
          next = advance();
        }
      } catch (HeddleException failed) {
        isOver = true;
        if (failed.kind() == Kind.CANCELLED) {
          interrupt();
        }
        throw failed;
      } finally {
        if (isOver) {
          events.close();
        }
      }
      return !next.isEmpty();
    }

    @Override
    public String next() {
      if (!hasNext()) {
        throw new NoSuchElementException("the turn has ended");
      }
      String piece = next;
      next = "";
      return piece;
    }
  }

  /** The next piece of text; empty: this step brought none. */
  private String advance() {
    if (!isStarted) {
      events.awaitOpen();
      isStarted = true;
      id = calls.invoke(Methods.TURN_START, request, StartTurnResponse.parser(), CallOptions.none()).getTurn();
    }
    if (!events.hasNext()) {
      throw Failure.closed().exception();
    }
    SubscriptionEvent message = events.next();
    String piece = piece(message);
    whole.append(piece);
    Event event = message.getEvent();
    if (event.hasTurnEnded() && event.getTurnEnded().getTurn().equals(id)) {
      ended(event.getTurnEnded());
    }
    return piece;
  }

  /** The program has given the turn up: the server need not go on with it. */
  private void interrupt() {
    if (id.isEmpty()) {
      return;
    }
    InterruptTurnRequest asked = InterruptTurnRequest.newBuilder().setThread(request.getThread()).setTurn(id).build();
    try {
      calls.invokeAsync(Methods.TURN_INTERRUPT, asked, InterruptTurnResponse.parser(), CallOptions.none().timeout(LAST_WORD)).join();
    } catch (CompletionException failed) {
      return;  // The turn may have ended meanwhile, and the program is told of its own interrupt.
    }
  }

  private String piece(SubscriptionEvent message) {
    if (message.hasDelta()) {
      var delta = message.getDelta();
      return delta.getTurn().equals(id) ? unseen(delta.getItem(), delta.getOffset(), delta.getTextBytes()) : "";
    }
    if (message.hasSnapshot()) {
      var snapshot = message.getSnapshot();
      return snapshot.getTurn().equals(id) ? unseen(snapshot.getItem(), 0, snapshot.getTextBytes()) : "";
    }
    Event event = message.getEvent();
    if (!event.getTurn().equals(id)) {
      return "";
    }
    if (event.getItemStarted().getItem().hasMessage()) {
      seen.putIfAbsent(event.getItemStarted().getItem().getId(), 0L);
    }
    Item item = event.getItemCompleted().getItem();
    if (item.getMessage().getRole() != Role.ROLE_ASSISTANT) {
      return "";
    }
    seen.putIfAbsent(item.getId(), 0L);
    ByteString text = ByteString.EMPTY;
    for (ContentPart part : item.getMessage().getContentList()) {
      text = text.concat(part.getTextBytes());
    }
    return unseen(item.getId(), 0, text);
  }

  /** The new part of a piece; one beyond a gap waits for the item's end. */
  private String unseen(ByteString item, long offset, ByteString text) {
    Long known = seen.get(item);
    long end = offset + text.size();
    if (known == null || offset < 0 || offset > known || end <= known) {
      return "";
    }
    seen.put(item, end);
    return text.substring((int) (known - offset)).toStringUtf8();
  }

  private void ended(TurnEnded ended) {
    isOver = true;
    usage = ended.getUsage();
    if (ended.getStatus() == TurnStatus.TURN_STATUS_COMPLETED) {
      return;
    }
    String status = ended.getStatus().name().replace("TURN_STATUS_", "");
    String said = ended.getError().getMessage();
    Failure failure = new Failure(Kind.TURN_FAILED, said.isEmpty() ? "the turn ended as " + status : said);
    failure.reason = ended.getError().getReason();
    failure.status = status;
    failure.text = whole.toString();
    throw failure.exception();
  }
}
