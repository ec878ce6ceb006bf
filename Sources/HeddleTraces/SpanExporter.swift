// Spans on their way to a collector, by OTLP over HTTP in protobuf. Work never waits for it: spans that find no room are
// dropped, and counted.

import AsyncHTTPClient
import HeddleMetrics
import HeddleRuntime
import Logging
import NIOCore
import Synchronization

/// Where spans go, and how many.
public struct SpanDestination: Equatable, Sendable {
  /// The URL of the collector's traces, with its path.
  public var url: String
  /// The share of requests without a trace of their own that begin one, 0 to 1.
  public var ratio: Double
  /// Sent with each batch.
  public var headers: [String: String]

  /// `endpoint`: the base of the collector's URL, as OpenTelemetry's `OTEL_EXPORTER_OTLP_ENDPOINT` has it. Nil: it is
  /// no URL of HTTP.
  public init?(endpoint: String, ratio: Double, headers: [String: String] = [:]) {
    guard endpoint.wholeMatch(of: /https?:\/\/[^\/?#\s@]+(\/[^?#\s]*)?/) != nil else { return nil }
    let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    url = base.hasSuffix("/v1/traces") ? base : base + "/v1/traces"
    self.ratio = ratio
    self.headers = headers
  }
}

public final class SpanExporter: SpanSink {
  static let batch = 512
  static let waiting = 2_048
  static let pause = Duration.seconds(5)
  /// A batch that a collector cannot take now is sent again after these many seconds.
  static let retries = [1, 2, 4]

  private let destination: SpanDestination
  private let encoder: SpanEncoder
  private let metrics: Mutex<TelemetryMetrics?> = Mutex(nil)
  private let logger: Logger
  private let spans = Mutex<[Span]>([])
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let hasFailed = Mutex(false)

  public var ratio: Double { destination.ratio }

  public init(_ destination: SpanDestination, version: String, node: String, logger: Logger) {
    self.destination = destination
    encoder = SpanEncoder(version: version, node: node)
    self.logger = logger
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  public func count(in metrics: TelemetryMetrics) { self.metrics.withLock { $0 = metrics } }

  public func take(_ span: Span) {
    let count = spans.withLock { spans in
      guard spans.count < Self.waiting else { return 0 }
      spans.append(span)
      return spans.count
    }
    if count == 0 { drop(1) }
    if count == Self.batch { wake.yield() }
  }

  /// Sends what comes until the task is cancelled; then what is left, once.
  public func run() async {
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration)
    await withDiscardingTaskGroup { group in
      group.addTask {
        while (try? await Task.sleep(for: Self.pause)) != nil { self.wake.yield() }
        self.wake.finish()
      }
      for await _ in wakes { while await send(through: client) {} }
      group.cancelAll()
    }
    // In a task of its own, since this one is cancelled.
    await Task { while await self.send(through: client, isLast: true) {} }.value
    try? await client.shutdown()
  }

  private static var configuration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .seconds(5)
    configuration.redirectConfiguration = .disallow
    return configuration
  }

  /// False: nothing is left, or less than a batch is and its time has not come.
  private func send(through client: HTTPClient, isLast: Bool = false) async -> Bool {
    let (batch, isMore) = spans.withLock { spans in
      let batch = Array(spans.prefix(Self.batch))
      spans.removeFirst(batch.count)
      return (batch, spans.count >= Self.batch || (isLast && !spans.isEmpty))
    }
    guard !batch.isEmpty else { return false }
    let body = ByteBuffer(bytes: encoder.request(batch))
    for wait in (isLast ? [] : Self.retries) + [nil] {
      switch await attempt(body, client) {
      case .taken:
        report(nil)
        return isMore
      case .later(let cause):
        report(cause)
        guard let wait, (try? await Task.sleep(for: .seconds(wait))) != nil else { break }
        continue
      case .never(let cause): report(cause)
      }
      break
    }
    drop(batch.count)
    return isMore
  }

  private func drop(_ count: Int) { metrics.withLock { $0?.spansDropped.add(count) } }

  private enum Outcome {
    case taken
    case later(String)
    case never(String)
  }

  private func attempt(_ body: ByteBuffer, _ client: HTTPClient) async -> Outcome {
    var request = HTTPClientRequest(url: destination.url)
    request.method = .POST
    for (name, value) in destination.headers { request.headers.add(name: name, value: value) }
    request.headers.replaceOrAdd(name: "content-type", value: "application/x-protobuf")
    request.headers.replaceOrAdd(name: "user-agent", value: "heddle")
    request.body = .bytes(body)
    do {
      let response = try await client.execute(request, timeout: .seconds(10))
      // The answer may say that some spans were not kept; that is the collector's to tell.
      _ = try await response.body.collect(upTo: 64 * 1024)
      switch response.status.code {
      case 200..<300: return .taken
      case 429, 502, 503, 504: return .later("HTTP \(response.status.code)")
      default: return .never("HTTP \(response.status.code)")
      }
    } catch {
      return .later("\(error)")
    }
  }

  /// Once for each time that the collector is lost, and once when it is back.
  private func report(_ cause: String?) {
    let isNews = hasFailed.withLock { hasFailed in
      defer { hasFailed = cause != nil }
      return hasFailed != (cause != nil)
    }
    guard isNews else { return }
    if let cause {
      logger.warning(
        "spans do not reach the collector", metadata: ["url": "\(destination.url)", "cause": "\(cause)"])
    } else {
      logger.notice("spans reach the collector again", metadata: ["url": "\(destination.url)"])
    }
  }
}
