// The driver of the Swift client for the conformance suite: conformance/README.md. It has no logic of its own.

import Foundation
import HeddleClient
import HeddleCore
import HeddleProtocol
import Logging
import Synchronization

/// What hooks, tools and the log have told.
final class Heard: Sendable {
  struct State {
    var hooks: [String] = []
    var log = ""
    var begun: [String: Int] = [:]
    var cancelled: [String: Int] = [:]
  }

  let state = Mutex(State())

  func hear(_ text: String) { state.withLock { $0.hooks.append(text) } }

  var hooks: ClientHooks {
    var hooks = ClientHooks()
    hooks.connected = { _ in self.hear("connected") }
    hooks.lost = { _ in self.hear("lost") }
    hooks.resumed = { _, _ in self.hear("resumed") }
    hooks.retry = { self.hear("retry \($0.method.path) \($0.reason)") }
    hooks.call = { self.hear("call \($0.method.path) \($0.reason)") }
    return hooks
  }

  var logger: Logger {
    var logger = Logger(label: "client") { _ in LogText(heard: self) }
    logger.logLevel = .trace
    return logger
  }
}

struct LogText: LogHandler {
  let heard: Heard
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    heard.state.withLock { $0.log += "\(event.message) \(event.metadata ?? [:])\n" }
  }
}

/// A function for the token that gives one after the other.
final class Tokens: Sendable {
  private let left: Mutex<[String]>
  private let fails: Bool

  init(_ tokens: [String], fails: Bool) {
    left = Mutex(tokens)
    self.fails = fails
  }

  func next() throws -> String {
    try left.withLock { left in
      if left.count > 1 { return left.removeFirst() }
      if fails { throw ToolFailure("no token today") }
      return left.first ?? ""
    }
  }
}

@main struct Driver {
  private var client: HeddleClient?
  private var heard = Heard()
  private var tools: [Fields] = []
  private var background: [UInt64: Task<Report, Never>] = [:]
  private var subscriptions: [String: Subscription] = [:]

  static func main() async {
    var driver = Driver()
    while let head = read(4), let body = read(head.reduce(0) { $0 << 8 | Int($1) }) {
      let step = Fields(body)
      let report: Report
      do { report = try await driver.take(step) } catch { report = .failed(error) }
      FileHandle.standardOutput.write(Data(report.framed(step.number(1) ?? 0)))
    }
  }

  private static func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let more = try? FileHandle.standardInput.read(upToCount: count - bytes.count), !more.isEmpty else {
        return nil
      }
      bytes += more
    }
    return bytes
  }

  private mutating func take(_ step: Fields) async throws -> Report {
    guard let (field, value) = step.all.last, case .bytes(let bytes) = value else { return .done }
    let asked = Fields(bytes)
    switch field {
    case 2: await begin()
    case 3: try await connect(asked)
    case 4: return try await run(step, asked.number(5)) { [client] in try await Self.call(client, asked) }
    case 5: return await background[asked.number(1) ?? 0]?.value ?? .done
    case 6: background[asked.number(1) ?? 0]?.cancel()
    case 7: try await subscribe(asked)
    case 8: return try await next(asked)
    case 9: await subscriptions[asked.text(1)]?.close()
    case 10: return try await run(step, asked.number(3)) { [client] in try await Self.turn(client, asked) }
    case 11: return try await pages(asked)
    case 12:
      tools.append(asked)
      if let client { await register(asked, client) }
    case 13: return heard.state.withLock { .counts(begun: $0.begun, cancelled: $0.cancelled) }
    case 14: return told()
    case 15: await client?.close()
    case 16: return try Self.vector(asked)
    default: return .leftOut("step \(field)")
    }
    return .done
  }

  private mutating func begin() async {
    for task in background.values { task.cancel() }
    await client?.close()
    self = Driver()
  }

  private mutating func connect(_ asked: Fields) async throws {
    var configuration = try ClientConfiguration(url: asked.text(1))
    configuration.clientName = "conformance"
    func set(_ place: inout Duration, _ number: Int) {
      if let value = asked.number(number), value > 0 { place = .milliseconds(value) }
    }
    set(&configuration.callTimeout, 5)
    set(&configuration.backoff.minimum, 7)
    set(&configuration.backoff.maximum, 8)
    set(&configuration.connectTimeout, 9)
    set(&configuration.pingAfter, 11)
    set(&configuration.lostAfter, 12)
    set(&configuration.closeTimeout, 13)
    if let retries = asked.number(6) { configuration.retries = Int(retries) }
    if let credit = asked.number(10), credit > 0 { configuration.credit = UInt32(credit) }
    let tokens = Tokens(asked.texts(3), fails: asked.number(4) == 1)
    if !asked.text(2).isEmpty {
      configuration.token = asked.text(2)
    } else if asked.has(3) || asked.has(4) {
      configuration.tokenProvider = { try tokens.next() }
    }
    configuration.hooks = heard.hooks
    configuration.logger = heard.logger
    let client = HeddleClient(configuration)
    self.client = client
    for tool in tools { await register(tool, client) }
    try await client.connect()
  }

  private func register(_ tool: Fields, _ client: HeddleClient) async {
    let name = tool.text(1)
    let heard = heard
    let run: @Sendable () async throws -> String = {
      heard.state.withLock { $0.begun[name, default: 0] += 1 }
      if tool.has(3) { throw ToolFailure(tool.text(3)) }
      if let large = tool.number(5) { return String(repeating: "x", count: Int(large)) }
      guard let wait = tool.number(4) else { return tool.text(2) }
      do { try await Task.sleep(for: .milliseconds(wait)) } catch {
        heard.state.withLock { $0.cancelled[name, default: 0] += 1 }
        throw error
      }
      return "waited"
    }
    if tool.number(6) == 1 {
      await client.onQuestion { RequestUserInputResponse(answer: try await run(), actionHash: $0.actionHash) }
    } else {
      await client.tool(name) { _ in try await run() }
    }
  }

  // MARK: calls

  private mutating func run(
    _ step: Fields, _ inBackground: UInt64?, _ body: @escaping @Sendable () async throws -> Report
  ) async throws -> Report {
    if inBackground != 1 { return try await body() }
    background[step.number(1) ?? 0] = Task {
      do { return try await body() } catch { return .failed(error) }
    }
    // The next step begins behind this one, as cases expect.
    try await Task.sleep(for: .milliseconds(10))
    return .done
  }

  private static func call(_ client: HeddleClient?, _ asked: Fields) async throws -> Report {
    guard let client, let method = Method.allCases.first(where: { $0.path == asked.text(1) }) else {
      return .leftOut("method \(asked.text(1))")
    }
    var codec = Codec(toleratesUnknown: true)
    let request = try (asked.bytes(2) ?? []).withUnsafeBytes { try Request(method, $0, &codec) }
    guard let request else { return .leftOut("method \(asked.text(1))") }
    let key = asked.bytes(3).flatMap { $0.isEmpty ? nil : IdempotencyKey(bytes: $0) }
    let time = asked.number(4).flatMap { $0 > 0 ? Duration.milliseconds($0) : nil }
    return .answer(codec.encode(try await client.call(request, key: key, deadline: time)))
  }

  private static func turn(_ client: HeddleClient?, _ asked: Fields) async throws -> Report {
    guard let client, let thread = asked.bytes(1).flatMap({ ThreadID(bytes: $0) }) else { return .leftOut("turn") }
    let turn = client.turn(thread, asked.text(2))
    var text = ""
    var pieces: UInt64 = 0
    for try await piece in turn.text {
      text += piece
      pieces += 1
    }
    return Report(
      8,
      Written().text(1, text).bytes(2, turn.id?.bytes ?? []).number(3, turn.usage?.outputTokens ?? 0).number(4, pieces))
  }

  private func pages(_ asked: Fields) async throws -> Report {
    guard let client, asked.text(1) == "ThreadService/List" else { return .leftOut("pages of \(asked.text(1))") }
    var codec = Codec(toleratesUnknown: true)
    let request = try codec.decode(ListThreadsRequest.self, asked.bytes(2) ?? [])
    var out = Written()
    var count: UInt64 = 0
    for try await thread in client.threads.eachList(request) {
      out = out.bytes(1, codec.encode(thread))
      count += 1
      if count == asked.number(3) { break }
    }
    return Report(9, out)
  }

  private static func vector(_ asked: Fields) throws -> Report {
    let name = asked.text(1).split(separator: ".").last ?? ""
    guard let index = SchemaTable.schema(named: String(name)).map(Int.init), index < MessageTypes.all.count else {
      return .leftOut("message \(name)")
    }
    var codec = Codec(limits: .trusted, toleratesUnknown: true)
    func again<M: WireMessage>(_ type: M.Type) throws -> [UInt8] {
      codec.encode(try codec.decode(type, asked.bytes(2) ?? []))
    }
    return .answer(try again(MessageTypes.all[index]))
  }

  // MARK: subscriptions

  private mutating func subscribe(_ asked: Fields) async throws {
    guard let client else { return }
    let made = client.subscribe(
      SubscribeRequest(
        thread: asked.bytes(2).flatMap { ThreadID(bytes: $0) }, epoch: asked.number(4), after: asked.number(3),
        credit: asked.number(7).flatMap { $0 > 0 ? UInt32($0) : nil }, tree: asked.number(5) == 1))
    subscriptions[asked.text(1)] = made
    Task { try? await made.opened() }
    try await Task.sleep(for: .milliseconds(10))
  }

  private func next(_ asked: Fields) async throws -> Report {
    guard let subscription = subscriptions[asked.text(1)] else { return .ended }
    let wait = asked.number(2).flatMap { $0 > 0 ? Duration.milliseconds($0) : nil } ?? .seconds(5)
    let taking = Task { try await subscription.next() }
    let timer = Task {
      try await Task.sleep(for: wait)
      taking.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await taking.value.map { .event($0) } ?? .ended
    } catch let error as HeddleError where error.kind == .cancelled {
      return .nothing
    }
  }

  private func told() -> Report {
    let client = client.map { "\($0) \(String(reflecting: $0)) \(dumped($0))" } ?? ""
    return heard.state.withLock { state in
      var out = Written()
      for hook in state.hooks { out = out.text(1, hook) }
      state.hooks = []
      return Report(11, out.text(2, state.log + client))
    }
  }

  private func dumped(_ client: HeddleClient) -> String {
    var text = ""
    dump(client, to: &text)
    return text
  }
}
