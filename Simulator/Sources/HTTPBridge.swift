// A client of the HTTP door: Connect's unary calls, one after the other on one connection of HTTP/1.1. It subscribes to
// nothing, because a stream takes a connection of its own.

import HeddleCore
import HeddleJSON
import HeddleProtocol

// @unchecked: a simulation has one thread.
final class HTTPBridge: Bridge, @unchecked Sendable {
  private struct Call {
    let stream: UInt32
    let method: Method
    let request: [UInt8]
  }

  private var waiting: [Call] = []
  private var current: Call?
  private var input: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var frames: [UInt8] = []
  private let tokens = BridgedTokens()
  private(set) var hasEnded = false
  private static let hello: UInt32 = 0

  func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  func takeFrames() -> [UInt8] {
    defer { frames = [] }
    return frames
  }

  // MARK: Out

  func send(_ frame: BridgedFrame) {
    switch frame.kind {
    case .hello:
      tokens.hello(frame.payload)
      ask(.serverStatus, on: Self.hello, Metadata(), [])
    case .request: ask(frame.method, on: frame.stream, frame.metadata, frame.payload)
    default: break
    }
  }

  private func ask(_ method: Method, on stream: UInt32, _ metadata: Metadata, _ payload: [UInt8]) {
    var head = "POST /heddle.v1.\(method.path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n"
    head += "Content-Length: \(payload.count)\r\nAuthorization: Bearer \(tokens.of(metadata))\r\n"
    if let key = metadata.idempotencyKey { head += "Heddle-Idempotency-Key-Bin: \(Base64.text(key.bytes))\r\n" }
    if let deadline = metadata.deadlineMs { head += "Connect-Timeout-Ms: \(deadline)\r\n" }
    waiting.append(Call(stream: stream, method: method, request: Array((head + "\r\n").utf8) + payload))
    next()
  }

  private func next() {
    guard current == nil, !waiting.isEmpty else { return }
    let call = waiting.removeFirst()
    current = call
    outgoing += call.request
  }

  // MARK: In

  func receive(_ bytes: [UInt8]) {
    guard !hasEnded else { return }
    input += bytes
    while let (head, body, end) = response() {
      input.removeFirst(end)
      answered(head, body)
      next()
    }
  }

  /// The head, the body, and where it ends.
  private func response() -> (head: [String: String], body: [UInt8], end: Int)? {
    guard let blank = input.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: input[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
    var head = [":status": lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      head[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let end = blank.upperBound + (head["content-length"].flatMap { Int($0) } ?? 0)
    return input.count >= end ? (head, Array(input[blank.upperBound..<end]), end) : nil
  }

  private func answered(_ head: [String: String], _ body: [UInt8]) {
    if head["connection"]?.lowercased() == "close" { hasEnded = true }
    guard let call = current else { return }
    current = nil
    if head[":status"] == "200" {
      let frame =
        call.stream == Self.hello
        ? tokens.helloFrame()
        : BridgedFrame(kind: .response, method: call.method, stream: call.stream, isLast: true, payload: body)
      frames += frame.bytes
      return
    }
    // A response that is no answer to a call, such as that to garbage of the network: what became of the call, nobody knows.
    guard let error = Self.error(body) else {
      hasEnded = true
      return
    }
    guard call.stream == Self.hello || BridgedTokens.ends(error) else {
      return frames += tokens.error(error, call.method, call.stream).bytes
    }
    frames += tokens.goAway(error).bytes
    hasEnded = true
  }

  /// Connect's error: `code` by name, and our reason in the detail `google.rpc.ErrorInfo`.
  private static func error(_ body: [UInt8]) -> WireError? {
    guard let json = try? JSONValue(parsing: String(decoding: body, as: UTF8.self)) else { return nil }
    let name = json["code"]?.string?.uppercased() ?? ""
    let code = Code.allCases.first { $0.name == name } ?? (name == "CANCELED" ? .cancelled : .unspecified)
    var error = WireError(code: code, reason: "", message: json["message"]?.string ?? "")
    for detail in json["details"]?.elements ?? [] where detail["type"]?.string == "google.rpc.ErrorInfo" {
      // Field 1 of ErrorInfo is the reason.
      let bytes = detail["value"]?.string.flatMap { Base64.bytes($0) } ?? []
      guard bytes.count > 2, bytes[0] == 10, bytes.count >= 2 + Int(bytes[1]) else { continue }
      error.reason = String(decoding: bytes[2..<(2 + Int(bytes[1]))], as: UTF8.self)
    }
    return error
  }
}
