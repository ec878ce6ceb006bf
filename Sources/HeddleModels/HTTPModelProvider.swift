// A provider behind HTTP: one answer in as many tries as the policy allows, each watched for silence.
//
// M1  A try holds one connection, and lets go of it when it ends, however it ends.
// M2  What a try said does not count once `retrying` is said.
// M3  A silence of the provider ends the turn, and so does a stream of nothing but signs of life; a server that is behind, or a wait before a new try, is no silence.
// M4  While it works within its own times it says so every few seconds, so that nobody else takes it for stalled.

import Glibc
import HeddleCore
import HeddleRuntime
import Logging
import Synchronization

public final class HTTPModelProvider: ModelProvider {
  public let name: String
  /// Requests at one time; 0: no limit. Kept by whoever asks.
  public let concurrency: Int

  private let configuration: ProviderConfiguration
  private let api: any ModelAPI
  private let words: FailureWords
  private let transport: any ModelTransport
  private let logger: Logger
  /// From 0 up to 1.
  private let chance: @Sendable () -> Double
  private let clock: ProviderClock

  /// How often it says that it is at work (M4).
  static let beatMilliseconds: Int64 = 5_000

  public convenience init(_ configuration: ProviderConfiguration, transport: HTTPTransport, logger: Logger) {
    self.init(configuration, transport: transport as any ModelTransport, logger: logger) { .random(in: 0..<1) }
  }

  init(
    _ configuration: ProviderConfiguration, transport: any ModelTransport, logger: Logger = Logger(label: "heddle"),
    clock: ProviderClock = .system, chance: @escaping @Sendable () -> Double
  ) {
    self.configuration = configuration
    name = configuration.name
    concurrency = configuration.concurrency
    api = configuration.api()
    words = configuration.words
    self.transport = transport
    self.logger = logger
    self.clock = clock
    self.chance = chance
  }

  public func answer(
    _ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void
  ) async throws {
    let call = api.call(request, configuration)
    var attempt = 1
    while true {
      do {
        return try await attemptOnce(call, request, emit)
      } catch let fault as AnswerFault {
        try Task.checkCancellation()
        let wait =
          fault.isRetried
          ? configuration.retry.wait(
            after: attempt, retryAfter: fault.retryAfterMilliseconds, fraction: chance()) : nil
        report(fault, attempt, wait, request.trace)
        guard let wait else { throw fault.failure }
        await emit(
          .retrying(
            attempt: UInt32(clamping: attempt), fault.failure.error, waitMilliseconds: UInt32(clamping: wait)))
        try await pause(wait, emit)
        await emit(.asked)
        attempt += 1
      }
    }
  }

  /// For the operator. No text of the model, of people or of the provider's own, but for the sanitized excerpt.
  private func report(_ fault: AnswerFault, _ attempt: Int, _ wait: Int64?, _ trace: TraceContext?) {
    var metadata: Logger.Metadata = [
      "provider": "\(name)", "attempt": "\(attempt)", "reason": "\(fault.failure.error.reason)",
      "detail": "\(fault.failure.error.message)", "again_after_ms": "\(wait.map(String.init) ?? "never")",
    ]
    if let trace {
      metadata["trace_id"] = "\(trace.traceID)"
      metadata["span_id"] = "\(trace.spanID)"
    }
    logger.notice("a request to a model provider failed", metadata: metadata)
  }

  private func pause(_ milliseconds: Int64, _ emit: @Sendable (ModelSignal) async -> Void) async throws {
    var left = milliseconds
    while left > 0 {
      await emit(.waiting)
      try await clock.sleep(min(left, Self.beatMilliseconds))
      left -= Self.beatMilliseconds
    }
  }

  // MARK: One try

  private func attemptOnce(
    _ call: ModelCall, _ request: ModelRequest, _ emit: @escaping @Sendable (ModelSignal) async -> Void
  ) async throws {
    let watch = Watched(StallWatch(timeouts: configuration.timeouts, now: clock.now()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.read(call, request, watch, emit) }
      group.addTask { try await self.look(watch, emit) }
      // The answer's end, its failure or the end of patience comes first. Leaving cancels the other.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Reads the answer to its end.
  private func read(
    _ call: ModelCall, _ request: ModelRequest, _ watch: Watched, _ emit: @Sendable (ModelSignal) async -> Void
  ) async throws {
    var reader = AnswerReader(decoder: api.decoder(request), words: words, limits: configuration.limits)
    do {
      try await transport.exchange(
        call, authorityFile: configuration.authorityFile,
        connected: { [clock] in watch.change { if $0.phase == .connecting { $0.enter(.waiting, now: clock.now()) } } }
      ) { part in
        switch part {
        case .head(let status, let headers):
          try reader.begin(status: status, headers: headers, now: Int64(time(nil)))
        case .bytes(let bytes):
          try await take(bytes, &reader, watch, emit)
        }
      }
    } catch let fault as AnswerFault {
      throw fault
    } catch {
      try Task.checkCancellation()
      // The answer is whole: how its connection ends is of no interest.
      if reader.isWhole { return }
      logger.debug("the connection to a model provider failed", metadata: ["provider": "\(name)", "error": "\(error)"])
      throw failure(watch.phase)
    }
    try await handOver(try reader.end(), watch, emit)
  }

  private func failure(_ phase: StallWatch.Phase) -> AnswerFault {
    switch phase {
    case .connecting: words.unreachable()
    case .waiting: words.lost()
    case .streaming, .busy, .draining: words.broken()
    }
  }

  private func take(
    _ bytes: [UInt8], _ reader: inout AnswerReader, _ watch: Watched, _ emit: @Sendable (ModelSignal) async -> Void
  ) async throws {
    let (lines, pieces) = (reader.lines, reader.pieces)
    try reader.append(bytes)
    watch.change { if $0.phase == .waiting { $0.enter(.streaming, now: clock.now()) } }
    while let signals = try reader.next() {
      try await handOver(signals, watch, emit)
      try Task.checkCancellation()
    }
    let isWhole = reader.isWhole
    let progressed = reader.lines > lines
    let said = reader.pieces > pieces
    watch.change { watch in
      if isWhole {
        if watch.phase != .draining { watch.enter(.draining, now: clock.now()) }
      } else if progressed {
        let now = clock.now()
        watch.progressed(now: now)
        if said { watch.said(now: now) }
      }
    }
  }

  /// `emit` waits while the server is behind (M3).
  private func handOver(
    _ signals: [ModelSignal], _ watch: Watched, _ emit: @Sendable (ModelSignal) async -> Void
  ) async throws {
    guard !signals.isEmpty else { return }
    watch.change { $0.beganHandingOver() }
    try await watch.alone { for signal in signals { await emit(signal) } }
    watch.change { $0.endedHandingOver(now: clock.now()) }
  }

  /// Looks after the try until its patience ends.
  private func look(_ watch: Watched, _ emit: @Sendable (ModelSignal) async -> Void) async throws {
    var beat = clock.now() + Self.beatMilliseconds
    while true {
      let now = clock.now()
      let (verdict, due, look) = watch.read { ($0.verdict(now: now), $0.due, $0.lookMilliseconds) }
      if let verdict {
        guard let fault = words.fault(verdict, configuration.timeouts) else { return }
        throw fault
      }
      if now >= beat {
        try await watch.alone { await emit(.asked) }
        beat = clock.now() + Self.beatMilliseconds
      }
      let sleep = min(look, max(1, (due ?? .max) - now))
      try await clock.sleep(sleep)
    }
  }
}

/// The watch of one try, which two tasks look at: one reads the answer, the other keeps time.
private final class Watched: Sendable {
  private let state: Mutex<StallWatch>
  /// Signals come from one of the two at a time: whoever takes them holds a place for one that waits.
  private let gate = FairGate(limit: 1)

  init(_ watch: StallWatch) { state = Mutex(watch) }

  var phase: StallWatch.Phase { state.withLock(\.phase) }

  func read<T: Sendable>(_ body: (StallWatch) -> T) -> T { state.withLock { body($0) } }

  func change(_ body: (inout StallWatch) -> Void) { state.withLock { body(&$0) } }

  func alone(_ body: () async -> Void) async throws {
    try await gate.enter(tenant: "") {}
    await body()
    gate.leave()
  }
}

extension ProviderConfiguration {
  func api() -> any ModelAPI {
    switch kind {
    case .responses: ResponsesAPI(configuration: self)
    case .chat: ChatCompletionsAPI(configuration: self)
    case .anthropic: AnthropicAPI(configuration: self)
    }
  }
}
