import HeddleCore
import HeddleRuntime
import Synchronization
import Testing

@testable import HeddleModels

/// A transport that plays one script a try.
private final class PlayedTransport: ModelTransport {
  enum Step: Sendable {
    case connect
    case head(Int, [(name: String, value: String)])
    case events([String])
    case bytes(String)
    /// The clock moves so far.
    case wait(Int64)
    /// Nothing more comes, and the clock moves as far as somebody waits.
    case silence
    /// Nothing more comes, and the clock stands.
    case hangs
    case breaks
  }

  private struct Lost: Error {}

  let clock = ManualClock()
  private let scripts: [[Step]]
  private let counts = Mutex([0, 0])

  init(_ scripts: [[Step]]) { self.scripts = scripts }

  var tries: Int { counts.withLock { $0[0] } }
  /// Tries whose connection is still open.
  var open: Int { counts.withLock { $0[1] } }

  func exchange(
    _ call: ModelCall, authorityFile: String?, connected: @escaping @Sendable () -> Void,
    _ take: (ReplyPart) async throws -> Void
  ) async throws {
    let script = counts.withLock { counts in
      counts = [counts[0] + 1, counts[1] + 1]
      return scripts[min(counts[0], scripts.count) - 1]
    }
    defer { counts.withLock { $0[1] -= 1 } }
    for step in script {
      switch step {
      case .connect: connected()
      case .head(let status, let headers): try await take(.head(status: status, headers: headers))
      case .events(let events): try await take(.bytes(Answers.stream(events)))
      case .bytes(let text): try await take(.bytes(Array(text.utf8)))
      case .wait(let milliseconds): try await clock.advance(by: milliseconds)
      case .silence: try await clock.advance(by: 365 * 86_400_000)
      case .hangs: try await Task.sleep(for: .seconds(3_600))
      case .breaks: throw Lost()
      }
    }
  }
}

@Suite struct HTTPModelProviderTests {
  private static let text = #"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#
  private static let said: [ModelSignal] = [.text("a"), .itemDone(ItemEnd(isThought: false))]
  private static let good: [PlayedTransport.Step] = [
    .connect, .head(200, []), .events([text]), .events(["[DONE]"]),
  ]

  private struct Outcome {
    var signals: [ModelSignal]
    var failure: ModelFailure?
  }

  private func provider(
    _ transport: PlayedTransport, _ kind: ProviderKind = .chat, timeouts: ProviderTimeouts = ProviderTimeouts(),
    retry: RetryPolicy = RetryPolicy(retries: 2, base: 10, maximum: 20)
  ) -> HTTPModelProvider {
    let configuration = Answers.provider(kind) {
      $0.timeouts = timeouts
      $0.retry = retry
    }
    return HTTPModelProvider(configuration, transport: transport, clock: transport.clock.handedIn) { 0.5 }
  }

  private func run(
    _ provider: HTTPModelProvider, _ clock: ManualClock, firstEmitTakes: Int64? = nil
  ) async throws -> Outcome {
    let heard = Mutex<[ModelSignal]>([])
    do {
      try await provider.answer(Answers.request()) { signal in
        if signal == .waiting { clock.skipNext() }
        if let firstEmitTakes, heard.withLock(\.isEmpty) { clock.jump(by: firstEmitTakes) }
        heard.withLock { $0.append(signal) }
      }
      return Outcome(signals: heard.withLock { $0 })
    } catch let failure as ModelFailure {
      return Outcome(signals: heard.withLock { $0 }, failure: failure)
    }
  }

  private func retries(_ outcome: Outcome) -> [String] {
    outcome.signals.compactMap {
      guard case .retrying(let attempt, let error, let wait) = $0 else { return nil }
      return "\(attempt) \(error.reason) \(wait)"
    }
  }

  private func run(
    _ transport: PlayedTransport, _ kind: ProviderKind = .chat, timeouts: ProviderTimeouts = ProviderTimeouts(),
    retry: RetryPolicy = RetryPolicy(retries: 2, base: 10, maximum: 20), firstEmitTakes: Int64? = nil
  ) async throws -> Outcome {
    try await run(
      provider(transport, kind, timeouts: timeouts, retry: retry), transport.clock, firstEmitTakes: firstEmitTakes)
  }

  @Test("An answer takes one try and one connection, which is let go")
  func whole() async throws {
    let transport = PlayedTransport([Self.good])
    let outcome = try await run(transport)
    #expect(outcome.signals == Self.said)
    #expect(outcome.failure == nil)
    #expect((transport.tries, transport.open) == (1, 0))
  }

  @Test("attacks.md M24, M2: a try that fails is told of, waited for and begun anew, even in the middle of an answer")
  func retried() async throws {
    let transport = PlayedTransport([
      [.connect, .head(429, [("retry-after", "0.015")])], [.connect, .head(200, []), .events([Self.text]), .breaks],
      Self.good,
    ])
    let outcome = try await run(transport)
    #expect(outcome.failure == nil)
    #expect(retries(outcome) == ["1 model_rate_limited 20", "2 model_output_invalid 10"])
    let expected: [ModelSignal] = [.text("a")]
    #expect(outcome.signals.filter { if case .text = $0 { true } else { false } } == expected + expected)
    #expect(outcome.signals.suffix(3) == [.asked] + Self.said)
    #expect((transport.tries, transport.open, transport.clock.skipped) == (3, 0, [20, 10]))
  }

  @Test("M3, attacks.md M24: a wait before another try is said every five seconds, and so is its end: it is no stall")
  func waits() async throws {
    var transport = PlayedTransport([[.connect, .head(503, [])], Self.good])
    var outcome = try await run(transport)
    #expect(retries(outcome) == ["1 model_failed 5"])
    #expect(Array(outcome.signals.dropFirst()) == [.waiting, .asked] + Self.said)
    // As long as the provider asks for, by its own clock or by ours.
    transport = PlayedTransport([[.connect, .head(429, [("retry-after", "12")])], Self.good])
    outcome = try await run(transport, retry: RetryPolicy(retries: 1, base: 500, maximum: 60_000))
    #expect(retries(outcome) == ["1 model_rate_limited 12250"])
    #expect(Array(outcome.signals.dropFirst()) == [.waiting, .waiting, .waiting, .asked] + Self.said)
    #expect((transport.clock.skipped, transport.clock.now) == ([5_000, 5_000, 2_250], 12_250))
  }

  @Test("attacks.md M24: tries are bounded; the turn ends with the last one's reason")
  func bounded() async throws {
    let table: [([PlayedTransport.Step], String)] = [
      ([.connect, .head(500, [])], "model_failed"), ([.connect, .head(429, [])], "model_rate_limited"),
      ([.breaks], "model_failed"), ([.connect, .breaks], "model_failed"),
      ([.connect, .head(200, []), .events([Self.text])], "model_output_invalid"),
    ]
    for (script, reason) in table {
      let transport = PlayedTransport([script])
      let outcome = try await run(transport)
      #expect(outcome.failure?.error.reason == reason)
      #expect((transport.tries, transport.clock.skipped) == (3, [5, 10]))
      #expect(retries(outcome).count == 2)
    }
  }

  @Test("What will not pass is not tried again")
  func final() async throws {
    for script: [PlayedTransport.Step] in [
      [.connect, .head(400, [])], [.connect, .head(401, [])], [.connect, .head(200, []), .bytes("data: {\n\n")],
      [.connect, .head(429, [("retry-after", "1")])],
    ] {
      let transport = PlayedTransport([script])
      let outcome = try await run(transport)
      #expect(outcome.failure != nil)
      #expect((transport.tries, retries(outcome).count) == (1, 0))
    }
  }

  /// Bytes before the silence, how long it is borne after the last line, and the times that the turn's error names.
  private static let silences: [(script: [PlayedTransport.Step], ends: Int64, names: Int64)] = [
    ([.connect, .silence], 120_000, 120_000),
    // A head is no part of the body.
    ([.connect, .wait(70_000), .head(200, []), .silence], 120_000, 120_000),
    ([.wait(9_999), .connect, .silence], 129_999, 120_000),
    ([.connect, .wait(119_999), .head(200, []), .bytes(": here\n"), .silence], 419_999, 300_000),
    // Bytes that do not complete a line are no progress, however often they come.
    (
      [.connect, .head(200, []), .bytes(": here\n"), .wait(100_000), .bytes(": st"), .wait(199_999), .bytes("ill")]
        + [.silence], 300_000, 300_000
    ),
    (
      [.connect, .head(200, []), .bytes(": here\n")]
        + Array(repeating: [.wait(250), .bytes(" ")], count: 1_500)
        .flatMap { $0 }, 300_000, 300_000
    ),
  ]

  @Test(
    "attacks.md M22, M23: silence before the first byte, between lines, or in a line ends turn and connection at its time",
    .timeLimit(.minutes(5)), arguments: silences.indices, ProviderKind.allCases)
  func stalls(_ index: Int, _ kind: ProviderKind) async throws {
    let (script, ends, names) = Self.silences[index]
    // The limit of content is another rule's.
    let transport = PlayedTransport([script])
    let outcome = try await run(transport, kind, timeouts: ProviderTimeouts(content: 0))
    #expect(outcome.failure?.error.reason == "model_timeout")
    #expect(outcome.failure?.error.message.contains("\(names) ms") == true)
    #expect((transport.tries, transport.open, transport.clock.now) == (1, 0, ends))
  }

  @Test(
    "attacks.md M22: a connection that does not come about is tried again, then ends as model_timeout",
    .timeLimit(.minutes(5)))
  func connectTimeout() async throws {
    let transport = PlayedTransport([[.silence]])
    let outcome = try await run(transport)
    #expect(outcome.failure?.error.reason == "model_timeout")
    #expect(retries(outcome) == ["1 model_timeout 5", "2 model_timeout 10"])
    #expect((transport.tries, transport.clock.now) == (3, 3 * 10_000 + 5 + 10))
  }

  private static let signs: [ProviderKind: String] = [
    .responses: #"{"type":"response.in_progress","response":{}}"#, .chat: #"{"choices":[]}"#,
    .anthropic: #"{"type":"ping"}"#,
  ]

  @Test(
    "U7: a stream of nothing but comments and empty events ends the turn as model_timeout, in words of its own",
    .timeLimit(.minutes(5)), arguments: ProviderKind.allCases)
  func silent(_ kind: ProviderKind) async throws {
    let sign: [PlayedTransport.Step] = [
      .wait(20_000), .bytes(": still here\n\n"), .events([try #require(Self.signs[kind])]),
    ]
    let transport = PlayedTransport([
      [.connect, .wait(50_000), .head(200, []), .bytes(": here\n")] + Array(repeating: sign, count: 50).flatMap { $0 }
    ])
    let outcome = try await run(transport, kind)
    #expect(outcome.failure?.error.reason == "model_timeout")
    #expect(outcome.failure?.error.message.contains("nothing of an answer came for 300000 ms") == true)
    #expect((transport.tries, transport.open, transport.clock.now) == (1, 0, 350_000))
  }

  @Test("An answer that keeps coming is not stalled, however long it takes in all; nor one that comments for a while")
  func slow() async throws {
    let piece: [PlayedTransport.Step] = [.wait(299_999), .bytes(": still here\n"), .events([Self.text])]
    let transport = PlayedTransport([
      [.connect, .head(200, [])] + Array(repeating: piece, count: 10).flatMap { $0 } + [.events(["[DONE]"])]
    ])
    // A piece that comes a millisecond before the content's time is up is in time.
    let outcome = try await run(transport, timeouts: ProviderTimeouts(firstByte: 300_000))
    #expect(outcome.failure == nil)
    let text: [ModelSignal] = Array(repeating: .text("a"), count: 10)
    #expect(outcome.signals.filter { $0 != .asked } == text + Self.said.dropFirst())
  }

  @Test("M3: a server that takes its time with signals does not make the provider stall")
  func serverBehind() async throws {
    let transport = PlayedTransport([Self.good])
    let outcome = try await run(transport, firstEmitTakes: 1_000_000)
    #expect(outcome.failure == nil)
    // After so long the provider may also say that it still asks (M4).
    #expect(outcome.signals.filter { $0 != .asked } == Self.said)
  }

  @Test(
    "A connection that stays open behind a whole answer holds it up for a quarter of a second", .timeLimit(.minutes(5)))
  func openBehind() async throws {
    let transport = PlayedTransport([Self.good + [.silence]])
    // As often as it is looked at the clock then.
    let outcome = try await run(transport, timeouts: ProviderTimeouts(idle: 4 * StallWatch.drainMilliseconds))
    #expect(outcome.signals == Self.said)
    #expect(outcome.failure == nil)
    #expect((transport.open, transport.clock.now) == (0, StallWatch.drainMilliseconds))
  }

  @Test("Cancelling lets go of the connection, and throws nothing but a cancellation", .timeLimit(.minutes(5)))
  func cancelled() async throws {
    for script: [PlayedTransport.Step] in [
      [.hangs], [.connect, .hangs], [.connect, .head(200, []), .events([Self.text]), .hangs],
      [.connect, .head(503, [("retry-after", "30")])],
    ] {
      let transport = PlayedTransport([script])
      let model = provider(transport, retry: RetryPolicy(retries: 2, base: 60_000, maximum: 60_000))
      let task = Task { try await model.answer(Answers.request()) { _ in } }
      while transport.tries == 0 { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(transport.open == 0)
    }
  }

  @Test(
    "M4: a provider that is silent for long, and is still waited for, is said every five seconds to have been asked")
  func beats() async throws {
    let transport = PlayedTransport([[.connect, .wait(14_999)] + Self.good.dropFirst()])
    let outcome = try await run(transport)
    #expect(outcome.signals == [.asked, .asked] + Self.said)
    #expect((transport.tries, transport.open) == (1, 0))
  }
}
