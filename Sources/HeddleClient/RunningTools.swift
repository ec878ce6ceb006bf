// Requests of the server to the program: tools, and questions to a person (rules.md A9).
//
// The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id,
// so the handler runs once, and its result goes wherever it was asked for.

import HeddleCore
import HeddleProtocol
import NIOCore

struct RunningTools {
  struct Place: Equatable {
    let connection: Int
    let stream: UInt32
  }

  /// The end of a call, as frames say it.
  struct Result {
    let kind: FrameKind
    let message: [UInt8]
  }

  /// Used on the client's loop only.
  final class Run {
    let method: Method
    var places: [Place]
    var task: Task<Void, Never>?
    var timer: Scheduled<Void>?
    var result: Result?

    init(_ method: Method, _ place: Place) {
      self.method = method
      places = [place]
    }

    func stop() {
      timer?.cancel()
      task?.cancel()
    }
  }

  /// Results that are kept for a server that asks again.
  private static let remembered = 1_024

  private(set) var runs: [String: Run] = [:]
  private var order: CircularBuffer<String> = []
  /// Handlers that run now.
  var count = 0

  mutating func add(_ key: String, _ run: Run) {
    runs[key] = run
    order.append(key)
    while order.count > Self.remembered, let first = order.first, runs[first].map({ $0.result != nil }) ?? true {
      runs[first] = nil
      order.removeFirst()
    }
  }

  mutating func forget(_ key: String) { runs[key] = nil }

  /// The server no longer waits on this stream.
  mutating func takenBack(_ connection: Int, _ stream: UInt32) {
    let place = Place(connection: connection, stream: stream)
    for (key, run) in runs where run.places.contains(place) {
      run.places.removeAll { $0 == place }
      guard run.places.isEmpty, run.result == nil else { continue }
      run.stop()
      runs[key] = nil
    }
  }

  mutating func cancelAll() {
    for run in runs.values { run.stop() }
    runs = [:]
  }
}

extension ClientCore {
  typealias Work = @Sendable () async throws -> any WireMessage

  /// A request of the server's.
  func asked(_ frame: Frame, _ connection: Connection) throws(HeddleError) {
    let stream = frame.header.stream
    guard stream != 0, stream & 1 == 0 else { throw .violation("a request of the server's on stream \(stream)") }
    let method = Method(rawValue: Int32(frame.header.method)) ?? .unspecified
    let place = RunningTools.Place(connection: connection.id, stream: stream)
    switch method {
    case .clientCallTool:
      let question = try decode(CallToolRequest.self, frame)
      guard let tool = handlers.tool(question.name), !isClosed else { break }
      let key = "\(question.thread) \(question.turn) \(question.callId)"
      return begin(key, method, place, question.deadline, connection.ahead) { try await tool(question) }
    case .clientRequestUserInput:
      let question = try decode(RequestUserInputRequest.self, frame)
      guard let ask = handlers.requestUserInput, !isClosed else { break }
      let key = "\(question.thread) \(question.turn) \(question.callId)"
      return begin(key, method, place, question.deadline, connection.ahead) { try await ask(question) }
    default: break
    }
    answer(place, method, notServed)
  }

  private func begin(
    _ key: String, _ method: Method, _ place: RunningTools.Place, _ deadline: Int64, _ ahead: Int64,
    _ work: @escaping Work
  ) {
    if let known = tools.runs[key] {
      if let result = known.result { answer(place, method, result) } else { known.places.append(place) }
      return
    }
    let run = RunningTools.Run(method, place)
    tools.add(key, run)
    // Held by the run, which ends it. It waits for its place among those that run.
    run.task = Task { [weak self] in
      guard await self?.takeToolPlace(key) == true else { return }
      let outcome: Result<any WireMessage, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      await self?.finished(key, outcome)
    }
    guard deadline > 0 else { return }
    let left = deadline &- ahead &- ClientCore.milliseconds
    run.timer = loop.scheduleTask(in: .milliseconds(max(0, min(left, 1 << 40)))) { [weak self] in
      self?.assumeIsolated { $0.isTooLate(key) }
    }
  }

  /// False: the call was taken back while it waited.
  private func takeToolPlace(_ key: String) async -> Bool {
    while tools.count >= configuration.toolsAtOnce {
      guard tools.runs[key] != nil, (try? await wait({ (wait: Wait<Void>) in toolWaits.append(wait) })) != nil else {
        return false
      }
    }
    guard let run = tools.runs[key], run.result == nil else { return false }
    tools.count += 1
    return true
  }

  private func finished(_ key: String, _ outcome: Result<any WireMessage, any Error>) {
    tools.count -= 1
    while let next = toolWaits.popFirst() {
      if next.isOver { continue }
      next.end(.success(()))
      break
    }
    guard let run = tools.runs[key], run.result == nil else { return }
    switch outcome {
    case .success(let answer): settle(run, RunningTools.Result(kind: .response, message: codec.encode(answer)))
    case .failure(let error as HeddleError) where error.kind == .refused:
      settle(run, refusal(error.refusal ?? WireError(code: .unknown, reason: "tool_failed", message: error.message)))
    case .failure(is CancellationError):
      settle(run, notServed)
      // The server may ask this client again.
      tools.forget(key)
    case .failure(let error): settle(run, failure(.unknown, String("\(error)".prefix(4_000))))
    }
  }

  private func isTooLate(_ key: String) {
    guard let run = tools.runs[key], run.result == nil else { return }
    settle(run, failure(.deadlineExceeded, "the tool did not end in its time"))
    run.stop()
  }

  private func settle(_ run: RunningTools.Run, _ result: RunningTools.Result) {
    run.timer?.cancel()
    var result = result
    let most = run.places.compactMap { connections[$0.connection]?.frameLimit }.min() ?? 4 << 20
    if result.message.count > most {
      result = failure(.unknown, "the tool's result is larger than the \(most) bytes that the server takes")
    }
    run.result = result
    for place in run.places { answer(place, run.method, result) }
  }

  private func answer(_ place: RunningTools.Place, _ method: Method, _ result: RunningTools.Result) {
    guard let connection = connections[place.connection] else { return }
    send(
      connection, result.kind, method: result.kind == .response ? method : .unspecified, stream: place.stream,
      flags: FrameHeader.endOfStream, message: result.message)
  }

  private var notServed: RunningTools.Result {
    failure(.unimplemented, "this client does not serve the method", reason: Reason.unknownMethod.rawValue)
  }

  private func failure(_ code: Code, _ text: String, reason: String = "tool_failed") -> RunningTools.Result {
    refusal(WireError(code: code, reason: reason, message: text))
  }

  private func refusal(_ error: WireError) -> RunningTools.Result {
    RunningTools.Result(kind: .error, message: codec.encode(error))
  }
}
