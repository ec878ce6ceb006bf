// A capture for people and programs: one frame a line.

import HeddleCapture
import HeddleCore
import HeddleJSON
import HeddleProtocol

public struct CaptureFilter: Sendable {
  public var connection: Int?
  public var stream: UInt32?
  public var kind: String?
  public var method: Method?
  /// 16 bytes that the frame must hold.
  public var id: [UInt8]?

  public init(connection: Int? = nil, stream: UInt32? = nil, kind: String? = nil) {
    self.connection = connection
    self.stream = stream
    self.kind = kind
  }
}

public struct CaptureLine: Sendable {
  /// Nanoseconds since the first frame.
  public var time: Int64
  public var connection: Int
  public var fromClient: Bool
  public var kind: String
  public var method: Method?
  public var stream: UInt32
  public var bytes: Int
  public var metadata: JSONValue?
  public var message: JSONValue?
  /// Nanoseconds since the request of this stream.
  public var sinceRequest: Int64?

  public var text: String {
    var words = [
      "\(connection + 1)", Self.seconds(time), fromClient ? "→" : "←", kind, method?.path ?? "-", "#\(stream)",
      "\(bytes) B",
    ]
    if let sinceRequest { words.append("+\(Self.seconds(sinceRequest))") }
    if let metadata { words.append("[\(metadata.written())]") }
    if let message { words.append(message.written()) }
    return words.joined(separator: " ")
  }

  public var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("connection", .number("\(connection + 1)")), .init("seconds", .number(Self.seconds(time))),
      .init("from", .text(fromClient ? "client" : "server")), .init("kind", .text(kind)),
    ]
    if let method { members.append(.init("method", .text(method.path))) }
    members.append(.init("stream", .number("\(stream)")))
    members.append(.init("bytes", .number("\(bytes)")))
    if let sinceRequest { members.append(.init("since_request", .number(Self.seconds(sinceRequest)))) }
    if let metadata { members.append(.init("metadata", metadata)) }
    if let message { members.append(.init("message", message)) }
    return .object(members)
  }

  static func seconds(_ nanoseconds: Int64) -> String {
    let micros = max(0, nanoseconds) / 1000
    let rest = String(micros % 1_000_000)
    return "\(micros / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
  }
}

/// The lines of a capture, made one by one.
public struct CaptureLines: Sequence, IteratorProtocol {
  private struct Stream: Hashable {
    var connection: Int
    var number: UInt32
  }

  private let capture: Capture
  private let filter: CaptureFilter
  private let showsMessages: Bool
  private let start: Int64
  private var at = 0
  private var requests: [Stream: (time: Int64, method: Method?)] = [:]

  public init(_ capture: Capture, filter: CaptureFilter = CaptureFilter(), showsMessages: Bool = true) {
    self.capture = capture
    self.filter = filter
    self.showsMessages = showsMessages
    start = capture.frames.first?.at ?? 0
  }

  public mutating func next() -> CaptureLine? {
    while at < capture.frames.count {
      defer { at += 1 }
      if let line = line(capture.frames[at]) { return line }
    }
    return nil
  }

  private mutating func line(_ frame: CapturedFrame) -> CaptureLine? {
    if let wanted = filter.connection, wanted != frame.connection { return nil }
    guard let header = frame.header else { return end(frame) }
    let stream = Stream(connection: frame.connection, number: header.stream)
    var request = requests[stream]
    if header.knownKind == .request, header.stream != 0 {
      requests[stream] = (frame.at, FrameMessages.method(header))
      request = nil
    }
    let method = FrameMessages.method(header) ?? request?.method
    let kind = FrameMessages.kindName(header)
    if let wanted = filter.stream, wanted != header.stream { return nil }
    if let wanted = filter.kind, wanted != kind { return nil }
    if let wanted = filter.method, wanted != method { return nil }
    if let id = filter.id, !IDScan.all(frame).contains(where: { $0.id.bytes == id }) { return nil }
    var line = CaptureLine(
      time: frame.at - start, connection: frame.connection, fromClient: frame.fromClient, kind: kind, method: method,
      stream: header.stream, bytes: FrameHeader.byteCount + frame.body.count)
    if header.stream != 0 { line.sinceRequest = request.map { frame.at - $0.time } }
    guard showsMessages else { return line }
    if !frame.metadata.isEmpty {
      line.metadata = Self.value(Array(frame.metadata), FrameMessages.metadata)
    }
    if let lost = LostFrames(header, frame.body, fromClient: frame.fromClient) {
      line.message = .object([.init("frames", .number("\(lost.frames)")), .init("bytes", .number("\(lost.bytes)"))])
    } else if let schema = FrameMessages.schema(header, fromClient: frame.fromClient) {
      line.message = Self.value(Array(frame.message), schema)
    }
    return line
  }

  private func end(_ frame: CapturedFrame) -> CaptureLine? {
    guard filter.stream == nil, filter.method == nil, filter.id == nil, filter.kind == nil || filter.kind == "CLOSE"
    else { return nil }
    return CaptureLine(
      time: frame.at - start, connection: frame.connection, fromClient: frame.fromClient, kind: "CLOSE", stream: 0,
      bytes: 0)
  }

  private static func value(_ bytes: [UInt8], _ schema: UInt16) -> JSONValue {
    do throws(DecodeError) { return try JSONTranscoder.value(bytes, schema: schema) } catch {
      return .text("not readable: \(error)")
    }
  }
}
