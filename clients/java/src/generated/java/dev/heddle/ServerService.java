// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.ReadCaptureRequest;
import dev.heddle.v1.ReadCaptureResponse;
import dev.heddle.v1.ServerStatusRequest;
import dev.heddle.v1.ServerStatusResponse;
import dev.heddle.v1.StartCaptureRequest;
import dev.heddle.v1.StartCaptureResponse;
import dev.heddle.v1.StopCaptureRequest;
import dev.heddle.v1.StopCaptureResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of ServerService. */
public final class ServerService {
  private final Calls calls;

  ServerService(Calls calls) {
    this.calls = calls;
  }

  /** Returns the server's status. */
  public ServerStatusResponse status(ServerStatusRequest request) {
    return status(request, CallOptions.none());
  }

  /** Returns the server's status. */
  public ServerStatusResponse status(ServerStatusRequest request, CallOptions options) {
    return calls.invoke(Methods.SERVER_STATUS, request, ServerStatusResponse.parser(), options);
  }

  /** The same as `status`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ServerStatusResponse> statusAsync(ServerStatusRequest request) {
    return statusAsync(request, CallOptions.none());
  }

  /** The same as `status`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ServerStatusResponse> statusAsync(ServerStatusRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SERVER_STATUS, request, ServerStatusResponse.parser(), options);
  }

  /** Starts recording frames. */
  public StartCaptureResponse startCapture(StartCaptureRequest request) {
    return startCapture(request, CallOptions.none());
  }

  /** Starts recording frames. */
  public StartCaptureResponse startCapture(StartCaptureRequest request, CallOptions options) {
    return calls.invoke(Methods.SERVER_START_CAPTURE, request, StartCaptureResponse.parser(), options);
  }

  /** The same as `startCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartCaptureResponse> startCaptureAsync(StartCaptureRequest request) {
    return startCaptureAsync(request, CallOptions.none());
  }

  /** The same as `startCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StartCaptureResponse> startCaptureAsync(StartCaptureRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SERVER_START_CAPTURE, request, StartCaptureResponse.parser(), options);
  }

  /** Stops the recording. */
  public StopCaptureResponse stopCapture(StopCaptureRequest request) {
    return stopCapture(request, CallOptions.none());
  }

  /** Stops the recording. */
  public StopCaptureResponse stopCapture(StopCaptureRequest request, CallOptions options) {
    return calls.invoke(Methods.SERVER_STOP_CAPTURE, request, StopCaptureResponse.parser(), options);
  }

  /** The same as `stopCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StopCaptureResponse> stopCaptureAsync(StopCaptureRequest request) {
    return stopCaptureAsync(request, CallOptions.none());
  }

  /** The same as `stopCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<StopCaptureResponse> stopCaptureAsync(StopCaptureRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SERVER_STOP_CAPTURE, request, StopCaptureResponse.parser(), options);
  }

  /** Returns the state of the recording. */
  public ReadCaptureResponse readCapture(ReadCaptureRequest request) {
    return readCapture(request, CallOptions.none());
  }

  /** Returns the state of the recording. */
  public ReadCaptureResponse readCapture(ReadCaptureRequest request, CallOptions options) {
    return calls.invoke(Methods.SERVER_READ_CAPTURE, request, ReadCaptureResponse.parser(), options);
  }

  /** The same as `readCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadCaptureResponse> readCaptureAsync(ReadCaptureRequest request) {
    return readCaptureAsync(request, CallOptions.none());
  }

  /** The same as `readCapture`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadCaptureResponse> readCaptureAsync(ReadCaptureRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SERVER_READ_CAPTURE, request, ReadCaptureResponse.parser(), options);
  }
}
