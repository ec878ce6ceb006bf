// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.AnswerCallRequest;
import dev.heddle.v1.AnswerCallResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of CallService. */
public final class CallsService {
  private final Calls calls;

  CallsService(Calls calls) {
    this.calls = calls;
  }

  /** Answers a call of the server. Any connection of the tenant may answer; the first answer counts. */
  public AnswerCallResponse answer(AnswerCallRequest request) {
    return answer(request, CallOptions.none());
  }

  /** Answers a call of the server. Any connection of the tenant may answer; the first answer counts. */
  public AnswerCallResponse answer(AnswerCallRequest request, CallOptions options) {
    return calls.invoke(Methods.CALL_ANSWER, request, AnswerCallResponse.parser(), options);
  }

  /** The same as `answer`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<AnswerCallResponse> answerAsync(AnswerCallRequest request) {
    return answerAsync(request, CallOptions.none());
  }

  /** The same as `answer`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<AnswerCallResponse> answerAsync(AnswerCallRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.CALL_ANSWER, request, AnswerCallResponse.parser(), options);
  }
}
