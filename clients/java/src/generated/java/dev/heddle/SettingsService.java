// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.ReadSettingsRequest;
import dev.heddle.v1.ReadSettingsResponse;
import dev.heddle.v1.UpdateSettingsRequest;
import dev.heddle.v1.UpdateSettingsResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of SettingsService. */
public final class SettingsService {
  private final Calls calls;

  SettingsService(Calls calls) {
    this.calls = calls;
  }

  /** Returns the settings for the next turn. */
  public ReadSettingsResponse read(ReadSettingsRequest request) {
    return read(request, CallOptions.none());
  }

  /** Returns the settings for the next turn. */
  public ReadSettingsResponse read(ReadSettingsRequest request, CallOptions options) {
    return calls.invoke(Methods.SETTINGS_READ, request, ReadSettingsResponse.parser(), options);
  }

  /** The same as `read`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadSettingsResponse> readAsync(ReadSettingsRequest request) {
    return readAsync(request, CallOptions.none());
  }

  /** The same as `read`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ReadSettingsResponse> readAsync(ReadSettingsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SETTINGS_READ, request, ReadSettingsResponse.parser(), options);
  }

  /** Changes settings for the next turn; allowed while a turn is running. */
  public UpdateSettingsResponse update(UpdateSettingsRequest request) {
    return update(request, CallOptions.none());
  }

  /** Changes settings for the next turn; allowed while a turn is running. */
  public UpdateSettingsResponse update(UpdateSettingsRequest request, CallOptions options) {
    return calls.invoke(Methods.SETTINGS_UPDATE, request, UpdateSettingsResponse.parser(), options);
  }

  /** The same as `update`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<UpdateSettingsResponse> updateAsync(UpdateSettingsRequest request) {
    return updateAsync(request, CallOptions.none());
  }

  /** The same as `update`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<UpdateSettingsResponse> updateAsync(UpdateSettingsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.SETTINGS_UPDATE, request, UpdateSettingsResponse.parser(), options);
  }
}
