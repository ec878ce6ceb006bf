// The table of metrics: its names, its page, and that no count is lost between a value and its sample.

import Foundation
import HeddleCore
import Testing

@testable import HeddleMetrics

@Suite struct CatalogTests {
  @Test("Names, kinds and help follow the conventions of Prometheus", arguments: Metrics.catalog.map(\.name))
  func conventions(_ name: String) throws {
    let metric = try #require(Metrics.catalog.first { $0.name == name })
    #expect(name.wholeMatch(of: /heddle(_[a-z][a-z0-9]*)+/) != nil)
    #expect(name.hasSuffix("_total") == (metric.kind == .counter))
    #expect(metric.kind != .histogram || name.hasSuffix("_seconds"))
    // Suffixes of a histogram's own series, and units that are not base units.
    for part in name.split(separator: "_") {
      #expect(!["count", "sum", "bucket", "ms", "milliseconds", "microseconds", "kb", "mb"].contains(part))
      #expect(!["counter", "gauge", "histogram"].contains(part), "the kind is no part of the name")
    }
    #expect(metric.help.wholeMatch(of: /[A-Z1].+\./) != nil)
    #expect(!metric.help.contains("\n") && !metric.help.contains("\\"))
  }

  @Test("A name is used once")
  func unique() {
    #expect(Set(Metrics.catalog.map(\.name)).count == Metrics.catalog.count)
  }

  @Test("Metrics.M2: labels are of these kinds; none is a tenant, an id or an address")
  func labels() {
    let allowed = [
      "door", "method", "code", "reason", "kind", "status", "lane", "provider", "outcome", "version", "schema",
    ]
    for metric in Metrics.catalog { #expect(metric.labels.allSatisfy { allowed.contains($0) }, "\(metric.name)") }
  }

  @Test("docs/metrics.md lists the catalog; the table to paste is in the message of a failure")
  func page() throws {
    let root = (1...3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/metrics.md"), encoding: .utf8)
    let rows = Metrics.catalog.map { metric in
      "| `\(metric.name)` | \(metric.kind.rawValue) | \(metric.labels.joined(separator: ", ")) | \(metric.help) |"
    }
    let listed = page.split(separator: "\n").filter { $0.hasPrefix("| `heddle_") }.map(String.init)
    #expect(listed == rows, "\(rows.joined(separator: "\n"))")
  }
}

@Suite struct ReadingTests {
  private let metrics = Metrics(store: StoreMetrics())

  private func samples(_ name: String) -> [Sample] {
    Metrics.catalog.first { $0.name == name }?.samples(of: metrics) ?? []
  }

  @Test("The values of all loops are summed")
  func sums() {
    let (one, two) = (metrics.addLoop(), metrics.addLoop())
    one.frames.connections.add(3)
    two.frames.connections.add(2)
    one.frames.connections.add(-1)
    two.threadsLoaded.add(7)
    #expect(metrics.connections == 4)
    #expect(samples("heddle_connections") == [Sample(4, ["frames"]), Sample(0, ["grpc"]), Sample(0, ["http"])])
    #expect(samples("heddle_threads_loaded") == [Sample(7)])
  }

  @Test("Every method and every code has a count of its own, and those that were never counted are left out")
  func requests() {
    let door = metrics.addLoop().frames
    #expect(samples("heddle_requests_total").isEmpty)
    var wanted: [Sample] = []
    for method in Method.allCases {
      door.answered(method, nil)
      wanted.append(Sample(1, ["frames", DoorMetrics.name(method), "OK"]))
      for code in Code.allCases.dropFirst() {
        door.answered(method, code)
        wanted.append(Sample(1, ["frames", DoorMetrics.name(method), code.name]))
      }
    }
    #expect(samples("heddle_requests_total") == wanted)
    #expect(Set(wanted.map(\.labels)).count == Method.allCases.count * Code.allCases.count)
  }

  @Test("Every reason has a count of its own")
  func reasons() {
    let door = metrics.addLoop().frames
    for reason in Reason.allCases {
      door.refused(reason)
      door.closed(reason)
    }
    door.closed(.clientLeft)
    door.closed(.notUnderstood)
    let wanted = Reason.allCases.map { Sample(1, ["frames", $0.rawValue]) }
    #expect(samples("heddle_refusals_total") == wanted)
    #expect(
      samples("heddle_connections_closed_total")
        == wanted + [Sample(1, ["frames", "client_left"]), Sample(1, ["frames", "not_understood"])])
  }

  @Test("A histogram counts a duration in its bucket and in all that are larger, in seconds")
  func histogram() throws {
    let (one, two) = (metrics.addLoop(), metrics.addLoop())
    one.turnEnded(.completed, afterMilliseconds: 50)
    one.turnEnded(.failed, afterMilliseconds: 51)
    two.turnEnded(.completed, afterMilliseconds: 601_000)
    two.turnEnded(.interrupted, afterMilliseconds: -5)
    guard case .histogram(let reading)? = samples("heddle_turn_seconds").first?.value else {
      Issue.record("no histogram")
      return
    }
    #expect(reading.buckets.first == .init(upTo: 0.05, count: 2))
    #expect(reading.buckets[1] == .init(upTo: 0.1, count: 3))
    #expect(reading.buckets.last == .init(upTo: .infinity, count: 4))
    #expect(reading.count == 4 && reading.sum == 601.101)
    #expect(reading.buckets.map(\.upTo) == reading.buckets.map(\.upTo).sorted())
    #expect(
      samples("heddle_turns_total")
        == [Sample(2, ["completed"]), Sample(1, ["interrupted"]), Sample(1, ["failed"])])
  }

  @Test("A request's time counts under its method, in its bucket and in all that are larger")
  func requestSeconds() throws {
    let (one, two) = (metrics.addLoop().frames, metrics.addLoop().frames)
    for (bound, place) in zip(DoorMetrics.durationBounds, 0...) {
      #expect(DoorMetrics.bucket(bound) == place)
      #expect(DoorMetrics.bucket(bound + 1) == place + 1)
    }
    one.took(.threadRead, nanoseconds: 100_000)
    two.took(.threadRead, nanoseconds: 100_001)
    two.took(.turnStart, nanoseconds: 20_000_000_000)
    let found = samples("heddle_request_seconds")
    #expect(found.map(\.labels) == [["frames", "ThreadService/Read"], ["frames", "TurnService/Start"]])
    guard case .histogram(let reading)? = found.first?.value else {
      Issue.record("no histogram")
      return
    }
    #expect(reading.buckets[0] == .init(upTo: 0.0001, count: 1))
    #expect(reading.buckets[1] == .init(upTo: 0.00025, count: 2))
    #expect(reading.count == 2 && reading.sum == 0.000200001)
  }

  @Test("Tokens and requests are counted by provider, in the order of names")
  func providers() {
    let (b, a) = (metrics.addProvider("b", limit: 2), metrics.addProvider("a", limit: 0))
    b.used(TokenUsage(inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, reasoningOutputTokens: 1))
    b.used(TokenUsage(inputTokens: 1))
    a.failed.add(1)
    #expect(
      samples("heddle_model_tokens_total").suffix(4)
        == [
          Sample(11, ["b", "input"]), Sample(4, ["b", "cached_input"]), Sample(3, ["b", "output"]),
          Sample(1, ["b", "reasoning"]),
        ])
    #expect(samples("heddle_model_requests_limit") == [Sample(0, ["a"]), Sample(2, ["b"])])
    #expect(samples("heddle_model_requests_total")[1] == Sample(1, ["a", "failed"]))
  }

  @Test("Numbers that no provider counts end nothing: counters wrap")
  func overflow() {
    let provider = metrics.addProvider("a", limit: 0)
    let most = TokenUsage(
      inputTokens: .max, cachedInputTokens: .max, outputTokens: .max, reasoningOutputTokens: .max)
    for _ in 1...3 { provider.used(most) }
    let loop = metrics.addLoop()
    loop.turnEnded(.completed, afterMilliseconds: .max)
    loop.turnEnded(.completed, afterMilliseconds: .min)
    for count in [Int.max, Int.max] { loop.frames.receivedBytes.add(count) }
    #expect(samples("heddle_model_tokens_total").count == 4)
    #expect(samples("heddle_turns_total").first == Sample(2, ["completed"]))
  }
}
