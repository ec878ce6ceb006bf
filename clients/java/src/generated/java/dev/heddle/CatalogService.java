// Made by `make generate` from proto/; edit that instead.

package dev.heddle;

import dev.heddle.v1.ListFeaturesRequest;
import dev.heddle.v1.ListFeaturesResponse;
import dev.heddle.v1.ListModelsRequest;
import dev.heddle.v1.ListModelsResponse;
import dev.heddle.v1.SetFeatureRequest;
import dev.heddle.v1.SetFeatureResponse;
import java.util.concurrent.CompletableFuture;

/** The methods of CatalogService. */
public final class CatalogService {
  private final Calls calls;

  CatalogService(Calls calls) {
    this.calls = calls;
  }

  /** Lists the models. */
  public ListModelsResponse listModels(ListModelsRequest request) {
    return listModels(request, CallOptions.none());
  }

  /** Lists the models. */
  public ListModelsResponse listModels(ListModelsRequest request, CallOptions options) {
    return calls.invoke(Methods.CATALOG_LIST_MODELS, request, ListModelsResponse.parser(), options);
  }

  /** The same as `listModels`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListModelsResponse> listModelsAsync(ListModelsRequest request) {
    return listModelsAsync(request, CallOptions.none());
  }

  /** The same as `listModels`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListModelsResponse> listModelsAsync(ListModelsRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.CATALOG_LIST_MODELS, request, ListModelsResponse.parser(), options);
  }

  /** Lists the features. */
  public ListFeaturesResponse listFeatures(ListFeaturesRequest request) {
    return listFeatures(request, CallOptions.none());
  }

  /** Lists the features. */
  public ListFeaturesResponse listFeatures(ListFeaturesRequest request, CallOptions options) {
    return calls.invoke(Methods.CATALOG_LIST_FEATURES, request, ListFeaturesResponse.parser(), options);
  }

  /** The same as `listFeatures`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListFeaturesResponse> listFeaturesAsync(ListFeaturesRequest request) {
    return listFeaturesAsync(request, CallOptions.none());
  }

  /** The same as `listFeatures`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<ListFeaturesResponse> listFeaturesAsync(ListFeaturesRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.CATALOG_LIST_FEATURES, request, ListFeaturesResponse.parser(), options);
  }

  /** Turns a feature on or off. */
  public SetFeatureResponse setFeature(SetFeatureRequest request) {
    return setFeature(request, CallOptions.none());
  }

  /** Turns a feature on or off. */
  public SetFeatureResponse setFeature(SetFeatureRequest request, CallOptions options) {
    return calls.invoke(Methods.CATALOG_SET_FEATURE, request, SetFeatureResponse.parser(), options);
  }

  /** The same as `setFeature`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SetFeatureResponse> setFeatureAsync(SetFeatureRequest request) {
    return setFeatureAsync(request, CallOptions.none());
  }

  /** The same as `setFeature`, without waiting. To cancel the future is to cancel the call. */
  public CompletableFuture<SetFeatureResponse> setFeatureAsync(SetFeatureRequest request, CallOptions options) {
    return calls.invokeAsync(Methods.CATALOG_SET_FEATURE, request, SetFeatureResponse.parser(), options);
  }
}
