// The values of one model provider. Turns write them, once or twice for each request to a model.

import HeddleCore

public final class ProviderMetrics: Sendable {
  public let name: String
  /// Requests that may run at once; 0: any number.
  public let limit: Int
  public let running = SharedValue()
  public let waiting = SharedValue()
  public let finished = SharedValue()
  public let failed = SharedValue()
  public let cancelled = SharedValue()
  let inputTokens = SharedValue()
  let cachedInputTokens = SharedValue()
  let outputTokens = SharedValue()
  let reasoningTokens = SharedValue()

  init(name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// The tokens that a turn has used.
  public func used(_ usage: TokenUsage) {
    inputTokens.add(Int(clamping: usage.inputTokens))
    cachedInputTokens.add(Int(clamping: usage.cachedInputTokens))
    outputTokens.add(Int(clamping: usage.outputTokens))
    reasoningTokens.add(Int(clamping: usage.reasoningOutputTokens))
  }
}
