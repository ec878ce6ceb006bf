import HeddleCore
import HeddleProtocol
import HeddleStorage
import Testing

@testable import HeddleRuntime

/// A caller that gets no answer here.
private final class NoCaller: CallerPort {
  let tenant = "t"
  var context: LoopContext { preconditionFailure("nobody asks for its loop") }
  func answer(_ stream: UInt32, _ answer: Answer, follows: Followed?) {}
  func push(_ stream: UInt32, of thread: ThreadID, _ items: [Push]) {}
  func opened(_ stream: UInt32, _ subscribe: SubscribeRequest, _ opening: FeedOpening) {}
  func read(_ stream: UInt32, _ feed: FeedName, _ events: Result<[StoredEvent], Refusal>, to head: UInt64) {}
  func wentLive(_ stream: UInt32, _ feed: FeedName, _ answer: FollowAnswer, missed: [Push]) {}
  func notify(_ notice: SubscriptionEvent) {}
  func goAway(_ refusal: Refusal) {}
}

@Suite struct KeyGateTests {
  private let gate = KeyGate()
  private let reply = Reply(to: NoCaller(), 1)

  private func key(_ number: UInt64, tenant: String = "t", hash: [UInt8] = [1]) -> KeyContext {
    KeyContext(tenant: tenant, key: IdempotencyKey(high: 0, low: number), requestHash: hash)
  }

  /// The outcome of a request with this key, in a word.
  private func arrival(_ key: KeyContext) -> String {
    switch gate.arrive(reply, key) {
    case .first: "first"
    case .waits: "waits"
    case .done(let response): "done \(response.count)"
    case .refused(let refusal): refusal.reason.rawValue
    }
  }

  @Test("K1: of those with one key and tenant one runs, the others wait for its answer")
  func oneRuns() {
    #expect(arrival(key(1)) == "first")
    #expect(arrival(key(1)) == "waits")
    #expect(arrival(key(1, tenant: "u")) == "first")
    #expect(arrival(key(1, hash: [2])) == "idempotency_mismatch")
    #expect(gate.finish(key(1)).count == 1)
    // It was not remembered: the disk knows.
    #expect(arrival(key(1)) == "first")
  }

  @Test("The newest answers are remembered, the oldest go first")
  func remembersSome() {
    for number in 1...5_000 {
      #expect(arrival(key(UInt64(number))) == "first")
      _ = gate.finish(key(UInt64(number)), remember: [1, 2])
    }
    #expect(arrival(key(5_000)) == "done 2")
    #expect(arrival(key(5_000, hash: [2])) == "idempotency_mismatch")
    #expect(arrival(key(905)) == "done 2")
    #expect(arrival(key(904)) == "first")
  }

  @Test("Large answers are remembered up to 16 MiB together")
  func remembersFewLarge() {
    let large = [UInt8](repeating: 1, count: 1 << 20)
    for number in 1...40 { _ = gate.finish(key(UInt64(number)), remember: large) }
    #expect(arrival(key(25)) == "done \(large.count)")
    #expect(arrival(key(24)) == "first")
  }
}
