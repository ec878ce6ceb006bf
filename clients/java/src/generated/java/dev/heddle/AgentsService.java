// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.CloseAgentRequest;
import dev.heddle.v1.CloseAgentResponse;
import dev.heddle.v1.InterruptAgentRequest;
import dev.heddle.v1.InterruptAgentResponse;
import dev.heddle.v1.ListTreeRequest;
import dev.heddle.v1.ListTreeResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of AgentService. */
public final class AgentsService {
  private final Calls calls;

  AgentsService(Calls calls) {
    this.calls = calls;
  }

  /** Returns the whole tree. */
  public ListTreeResponse listTree(ListTreeRequest request) {
    return listTree(request, CallOptions.none());
  }

  /** Returns the whole tree. */
  public ListTreeResponse listTree(ListTreeRequest request, CallOptions options) {
    return calls.invoke(Methods.AGENT_LIST_TREE, request, ListTreeResponse.parser(), options);
  }

  /** The same as `listTree`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListTreeResponse> listTreeAsync(ListTreeRequest request) {
    return listTreeAsync(request, CallOptions.none());
  }

  /** The same as `listTree`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListTreeResponse> listTreeAsync(ListTreeRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.AGENT_LIST_TREE, request, ListTreeResponse.parser(), options);
  }

  /** Interrupts the running turn of an agent. */
  public InterruptAgentResponse interrupt(InterruptAgentRequest request) {
    return interrupt(request, CallOptions.none());
  }

  /** Interrupts the running turn of an agent. */
  public InterruptAgentResponse interrupt(InterruptAgentRequest request, CallOptions options) {
    return calls.invoke(Methods.AGENT_INTERRUPT, request, InterruptAgentResponse.parser(), options);
  }

  /** The same as `interrupt`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InterruptAgentResponse> interruptAsync(InterruptAgentRequest request) {
    return interruptAsync(request, CallOptions.none());
  }

  /** The same as `interrupt`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<InterruptAgentResponse> interruptAsync(InterruptAgentRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.AGENT_INTERRUPT, request, InterruptAgentResponse.parser(), options);
  }

  /** Closes an agent and all agents below it. */
  public CloseAgentResponse close(CloseAgentRequest request) {
    return close(request, CallOptions.none());
  }

  /** Closes an agent and all agents below it. */
  public CloseAgentResponse close(CloseAgentRequest request, CallOptions options) {
    return calls.invoke(Methods.AGENT_CLOSE, request, CloseAgentResponse.parser(), options);
  }

  /** The same as `close`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CloseAgentResponse> closeAsync(CloseAgentRequest request) {
    return closeAsync(request, CallOptions.none());
  }

  /** The same as `close`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<CloseAgentResponse> closeAsync(CloseAgentRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.AGENT_CLOSE, request, CloseAgentResponse.parser(), options);
  }
}
