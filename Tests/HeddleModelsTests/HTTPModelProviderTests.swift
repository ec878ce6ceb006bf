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
    case wait(Int)
    case silence
    case breaks
  }

  private struct Lost: Error {}

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
      case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
      case .silence: try await Task.sleep(for: .seconds(3_600))
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
    _ transport: PlayedTransport,
    timeouts: ProviderTimeouts = ProviderTimeouts(connect: 60_000, firstByte: 60_000, idle: 60_000),
    retry: RetryPolicy = RetryPolicy(retries: 2, base: 10, maximum: 20)
  ) -> HTTPModelProvider {
    let configuration = Answers.provider(.chat) {
      $0.timeouts = timeouts
      $0.retry = retry
    }
    return HTTPModelProvider(configuration, transport: transport) { 0.5 }
  }

  private func run(_ provider: HTTPModelProvider, firstEmitTakes: Duration? = nil) async throws -> Outcome {
    let heard = Mutex<[ModelSignal]>([])
    do {
      try await provider.answer(Answers.request()) { signal in
        if let firstEmitTakes, heard.withLock(\.isEmpty) { try? await Task.sleep(for: firstEmitTakes) }
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

  @Test("An answer takes one try and one connection, which is let go")
  func whole() async throws {
    let transport = PlayedTransport([Self.good])
    let outcome = try await run(provider(transport))
    #expect(outcome.signals == Self.said)
    #expect(outcome.failure == nil)
    #expect((transport.tries, transport.open) == (1, 0))
  }

  @Test("M24, M2: a try that fails is told of, waited for and begun anew, even in the middle of an answer")
  func retried() async throws {
    let transport = PlayedTransport([
      [.connect, .head(429, [("retry-after", "0.015")])], [.connect, .head(200, []), .events([Self.text]), .breaks],
      Self.good,
    ])
    let outcome = try await run(provider(transport))
    #expect(outcome.failure == nil)
    #expect(retries(outcome) == ["1 model_rate_limited 20", "2 model_output_invalid 10"])
    let expected: [ModelSignal] = [.text("a")]
    #expect(outcome.signals.filter { if case .text = $0 { true } else { false } } == expected + expected)
    #expect(outcome.signals.suffix(3) == [.asked] + Self.said)
    #expect((transport.tries, transport.open) == (3, 0))
  }

  @Test("M3, M24: who waits before another try says so, and when it asks again, so that nobody takes it for stalled")
  func waits() async throws {
    let outcome = try await run(provider(PlayedTransport([[.connect, .head(503, [])], Self.good])))
    #expect(retries(outcome) == ["1 model_failed 5"])
    #expect(Array(outcome.signals.dropFirst()) == [.waiting, .asked] + Self.said)
  }

  @Test("M24: tries are bounded; the turn ends with the last one's reason")
  func bounded() async throws {
    let table: [([PlayedTransport.Step], String)] = [
      ([.connect, .head(500, [])], "model_failed"), ([.connect, .head(429, [])], "model_rate_limited"),
      ([.breaks], "model_failed"), ([.connect, .breaks], "model_failed"),
      ([.connect, .head(200, []), .events([Self.text])], "model_output_invalid"),
    ]
    for (script, reason) in table {
      let transport = PlayedTransport([script])
      let outcome = try await run(provider(transport))
      #expect(outcome.failure?.error.reason == reason)
      #expect(transport.tries == 3)
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
      let outcome = try await run(provider(transport))
      #expect(outcome.failure != nil)
      #expect((transport.tries, retries(outcome).count) == (1, 0))
    }
  }

  @Test(
    "M22: silence before the first byte, and in the middle, ends the turn as model_timeout and the connection with it")
  func stalls() async throws {
    // Only the time that is to run out is short: a busy machine takes its own before any other step.
    let firstByte = ProviderTimeouts(connect: 60_000, firstByte: 200, idle: 60_000)
    let idle = ProviderTimeouts(connect: 60_000, firstByte: 60_000, idle: 200)
    let scripts: [([PlayedTransport.Step], ProviderTimeouts)] = [
      ([.connect, .silence], firstByte), ([.connect, .head(200, []), .silence], firstByte),
      ([.connect, .head(200, []), .events([Self.text]), .silence], idle),
      ([.connect, .head(200, []), .bytes("da"), .wait(50), .bytes("ta"), .silence], idle),
    ]
    for (script, timeouts) in scripts {
      let transport = PlayedTransport([script])
      let outcome = try await run(provider(transport, timeouts: timeouts))
      #expect(outcome.failure?.error.reason == "model_timeout")
      #expect((transport.tries, transport.open) == (1, 0))
    }
  }

  @Test("M22: a connection that does not come about is tried again, then ends as model_timeout")
  func connectTimeout() async throws {
    let transport = PlayedTransport([[.silence]])
    let outcome = try await run(
      provider(transport, timeouts: ProviderTimeouts(connect: 40, firstByte: 60_000, idle: 60_000)))
    #expect(outcome.failure?.error.reason == "model_timeout")
    #expect(retries(outcome).map { String($0.prefix(15)) } == ["1 model_timeout", "2 model_timeout"])
  }

  @Test("U7: a stream of nothing but comments and empty chunks ends the turn as model_timeout, in words of its own")
  func silent() async throws {
    let signs: [PlayedTransport.Step] = [.wait(20), .bytes(": still here\n\n"), .events([#"{"choices":[]}"#])]
    let transport = PlayedTransport([
      [.connect, .head(200, []), .events([Self.text])] + Array(repeating: signs, count: 500).flatMap { $0 } + [.silence]
    ])
    let outcome = try await run(
      provider(transport, timeouts: ProviderTimeouts(connect: 60_000, firstByte: 60_000, idle: 60_000, content: 400)))
    #expect(outcome.failure?.error.reason == "model_timeout")
    #expect(outcome.failure?.error.message.contains("nothing of an answer came for 400 ms") == true)
    #expect((transport.tries, transport.open) == (1, 0))
  }

  @Test("An answer that keeps coming is not stalled, however long it takes in all; nor one that comments for a while")
  func slow() async throws {
    let piece: [PlayedTransport.Step] = [.wait(700), .bytes(": still here\n")]
    let transport = PlayedTransport([
      [.connect, .head(200, [])] + piece + piece + piece + piece + piece + [.events([Self.text, "[DONE]"])]
    ])
    let outcome = try await run(
      provider(transport, timeouts: ProviderTimeouts(connect: 60_000, firstByte: 60_000, idle: 3_000)))
    #expect(outcome.failure == nil)
    // On a slow machine it is said meanwhile that the answer is still waited for.
    #expect(outcome.signals.filter { $0 != .asked } == Self.said)
  }

  @Test("M3: a server that takes its time with signals does not make the provider stall")
  func serverBehind() async throws {
    // The timeout is long enough for a busy machine: between two signals it runs for as long as the next line takes.
    let transport = PlayedTransport([Self.good])
    let outcome = try await run(
      provider(transport, timeouts: ProviderTimeouts(connect: 60_000, firstByte: 60_000, idle: 6_000)),
      firstEmitTakes: .milliseconds(7_500))
    #expect(outcome.failure == nil)
    // After so long the provider also says that it still asks (M4).
    #expect(outcome.signals.filter { $0 != .asked } == Self.said)
  }

  @Test("A connection that stays open behind a whole answer does not hold it up", .timeLimit(.minutes(5)))
  func openBehind() async throws {
    let transport = PlayedTransport([Self.good + [.silence]])
    let outcome = try await run(provider(transport))
    #expect(outcome.signals == Self.said)
    #expect(outcome.failure == nil)
    #expect(transport.open == 0)
  }

  @Test("Cancelling lets go of the connection, and throws nothing but a cancellation", .timeLimit(.minutes(5)))
  func cancelled() async throws {
    for script: [PlayedTransport.Step] in [
      [.silence], [.connect, .silence], [.connect, .head(200, []), .events([Self.text]), .silence],
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

  @Test("M4: a provider that is silent for long, and is still waited for, is said to have been asked")
  func beats() async throws {
    let transport = PlayedTransport([[.connect, .wait(6_500)] + Self.good.dropFirst()])
    let outcome = try await run(provider(transport))
    // Twice on a machine that is busy.
    #expect(outcome.signals.first == .asked)
    #expect(outcome.signals.drop { $0 == .asked } == Self.said[...])
    #expect((transport.tries, transport.open) == (1, 0))
  }
}
