// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.CancelQueuedTurnRequest;
import dev.heddle.v1.CancelQueuedTurnResponse;
import dev.heddle.v1.InterruptTurnRequest;
import dev.heddle.v1.InterruptTurnResponse;
import dev.heddle.v1.ListQueueRequest;
import dev.heddle.v1.ListQueueResponse;
import dev.heddle.v1.StartTurnRequest;
import dev.heddle.v1.StartTurnResponse;
import dev.heddle.v1.SteerTurnRequest;
import dev.heddle.v1.SteerTurnResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of TurnService. */
public final class TurnsService {
  private final Calls calls;

  TurnsService(Calls calls) {
    this.calls = calls;
  }

  /** Starts a turn, or queues it. */
  public StartTurnResponse start(StartTurnRequest request) {
    return start(request, CallOptions.none());
  }

  /** Starts a turn, or queues it. */
  public StartTurnResponse start(StartTurnRequest request, CallOptions options) {
    return calls.invoke(Methods.TURN_START, request, StartTurnResponse.parser(), options);
  }

  /** The same as `start`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartTurnResponse> startAsync(StartTurnRequest request) {
    return startAsync(request, CallOptions.none());
  }

  /** The same as `start`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartTurnResponse> startAsync(StartTurnRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.TURN_START, request, StartTurnResponse.parser(), options);
  }

  /** Adds input to a running turn. */
  public SteerTurnResponse steer(SteerTurnRequest request) {
    return steer(request, CallOptions.none());
  }

  /** Adds input to a running turn. */
  public SteerTurnResponse steer(SteerTurnRequest request, CallOptions options) {
    return calls.invoke(Methods.TURN_STEER, request, SteerTurnResponse.parser(), options);
  }

  /** The same as `steer`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SteerTurnResponse> steerAsync(SteerTurnRequest request) {
    return steerAsync(request, CallOptions.none());
  }

  /** The same as `steer`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SteerTurnResponse> steerAsync(SteerTurnRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.TURN_STEER, request, SteerTurnResponse.parser(), options);
  }

  /** Interrupts a running turn. */
  public InterruptTurnResponse interrupt(InterruptTurnRequest request) {
    return interrupt(request, CallOptions.none());
  }

  /** Interrupts a running turn. */
  public InterruptTurnResponse interrupt(InterruptTurnRequest request, CallOptions options) {
    return calls.invoke(Methods.TURN_INTERRUPT, request, InterruptTurnResponse.parser(), options);
  }

  /** The same as `interrupt`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InterruptTurnResponse> interruptAsync(InterruptTurnRequest request) {
    return interruptAsync(request, CallOptions.none());
  }

  /** The same as `interrupt`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InterruptTurnResponse> interruptAsync(InterruptTurnRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.TURN_INTERRUPT, request, InterruptTurnResponse.parser(), options);
  }

  /** Lists the queued turns. */
  public ListQueueResponse listQueue(ListQueueRequest request) {
    return listQueue(request, CallOptions.none());
  }

  /** Lists the queued turns. */
  public ListQueueResponse listQueue(ListQueueRequest request, CallOptions options) {
    return calls.invoke(Methods.TURN_LIST_QUEUE, request, ListQueueResponse.parser(), options);
  }

  /** The same as `listQueue`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListQueueResponse> listQueueAsync(ListQueueRequest request) {
    return listQueueAsync(request, CallOptions.none());
  }

  /** The same as `listQueue`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListQueueResponse> listQueueAsync(ListQueueRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.TURN_LIST_QUEUE, request, ListQueueResponse.parser(), options);
  }

  /** Removes a turn from the queue. */
  public CancelQueuedTurnResponse cancelQueued(CancelQueuedTurnRequest request) {
    return cancelQueued(request, CallOptions.none());
  }

  /** Removes a turn from the queue. */
  public CancelQueuedTurnResponse cancelQueued(CancelQueuedTurnRequest request, CallOptions options) {
    return calls.invoke(Methods.TURN_CANCEL_QUEUED, request, CancelQueuedTurnResponse.parser(), options);
  }

  /** The same as `cancelQueued`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CancelQueuedTurnResponse> cancelQueuedAsync(CancelQueuedTurnRequest request) {
    return cancelQueuedAsync(request, CallOptions.none());
  }

  /** The same as `cancelQueued`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CancelQueuedTurnResponse> cancelQueuedAsync(CancelQueuedTurnRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.TURN_CANCEL_QUEUED, request, CancelQueuedTurnResponse.parser(), options);
  }
}
