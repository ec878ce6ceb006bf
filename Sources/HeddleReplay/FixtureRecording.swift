// A recording as answers: each request of a client with the frames that the server sent for it.

import HeddleCapture
import HeddleCore
import HeddleProtocol

public struct FixtureRecording: Sendable {
  /// A frame of the server.
  struct Reply: Sendable {
    /// Its place among all frames of the recording.
    var order: Int
    var header: FrameHeader
    var body: [UInt8]
    /// The number of acts of its connection before it (see `Exchange.act`).
    var acts: Int
  }

  struct Exchange: Sendable {
    var method: Method
    var connection: Int
    /// The request's frame, from 1, as `heddle show` prints them.
    var frame: Int
    var shape: FixtureShape
    /// The place of a change among the acts of its connection: changes, and answers to calls. Frames that followed an act
    /// wait for it.
    var act: Int?
    /// The first exchange with the same idempotency key, if this is a later one.
    var repeated: Int?
    var replies: [Reply] = []
  }

  struct Connection: Sendable {
    var hello: [UInt8]
    var exchanges: [Int] = []
    /// Calls of the server, their withdrawals, and notices.
    var unprompted: [Reply] = []
    /// The acts that answer a call, by its stream.
    var answers: [UInt32: Int] = [:]
  }

  private(set) var exchanges: [Exchange] = []
  private(set) var connections: [Connection] = []
  /// Texts of the recording were overwritten.
  public let isScrubbed: Bool
  public var requestCount: Int { exchanges.count }
  var connectionCount: Int { connections.count }

  public init(_ capture: Capture) throws(CaptureError) {
    isScrubbed = CaptureDiff.isScrubbed(capture)
    var codec = Codec()
    let greeting = codec.encode(ServerHello(version: 1, schemaHash: SchemaTable.hash, serverVersion: "recording"))
    connections = capture.connections.map { _ in Connection(hello: greeting) }
    var acts = capture.connections.map { _ in 0 }
    var open: [[UInt32: Int]] = capture.connections.map { _ in [:] }
    var keys: [[UInt8]: Int] = [:]
    for (order, frame) in capture.frames.enumerated() {
      guard let header = frame.header else { continue }
      let at = frame.connection
      if frame.fromClient {
        if header.knownKind == .request, let method = FrameMessages.method(header) {
          let shape = FixtureShape(method, Array(frame.message))
          open[at][header.stream] = exchanges.count
          connections[at].exchanges.append(exchanges.count)
          exchanges.append(
            Exchange(
              method: method, connection: at, frame: order + 1, shape: shape, act: method.isMutation ? acts[at] : nil))
          if method.isMutation { acts[at] += 1 }
          if let key = (try? codec.decode(Metadata.self, Array(frame.metadata)))?.idempotencyKey?.bytes {
            exchanges[exchanges.count - 1].repeated = keys[key]
            keys[key] = keys[key] ?? exchanges.count - 1
          }
        } else if header.stream != 0, header.stream % 2 == 0 {
          connections[at].answers[header.stream] = acts[at]
          acts[at] += 1
        }
        continue
      }
      let reply = Reply(order: order, header: header, body: frame.body, acts: acts[at])
      switch header.knownKind {
      case .hello: connections[at].hello = frame.body
      case .response, .event, .error:
        if header.stream % 2 == 1 {
          if let exchange = open[at][header.stream] { exchanges[exchange].replies.append(reply) }
        } else if header.knownKind == .event {
          connections[at].unprompted.append(reply)
        }
      case .request, .cancel: connections[at].unprompted.append(reply)
      default: break
      }
    }
    guard !exchanges.isEmpty else {
      throw CaptureError("the recording holds no request: record one with `heddle capture --keep-text`")
    }
  }
}

/// A request as it is compared.
struct FixtureShape: Equatable, Sendable {
  /// The message as JSON.
  let text: String
  /// The same with every private text overwritten: for recordings whose texts are.
  let plain: String
  /// A subscription asks from a place of its own, and the recorded events behind it answer it.
  let after: UInt64?
  let isResumed: Bool
  /// The client wants no events with the answer.
  let isQuiet: Bool

  init(_ method: Method, _ message: [UInt8]) {
    var message = message
    var codec = Codec()
    var (after, isResumed, isQuiet): (UInt64?, Bool, Bool) = (nil, false, false)
    switch method {
    case .threadSubscribe:
      if var asked = try? codec.decode(SubscribeRequest.self, message) {
        (after, isResumed) = (asked.after, asked.epoch != nil)
        (asked.after, asked.epoch, asked.credit, asked.kinds) = (nil, nil, nil, [])
        message = codec.encode(asked)
      }
    case .threadStart:
      if var asked = try? codec.decode(StartThreadRequest.self, message) {
        isQuiet = asked.subscribe == false
        (asked.subscribe, asked.tree) = (nil, false)
        message = codec.encode(asked)
      }
    case .threadResume:
      if var asked = try? codec.decode(ResumeThreadRequest.self, message) {
        isQuiet = asked.subscribe == false
        asked.subscribe = nil
        message = codec.encode(asked)
      }
    case .threadFork:
      if var asked = try? codec.decode(ForkThreadRequest.self, message) {
        isQuiet = asked.subscribe == false
        asked.subscribe = nil
        message = codec.encode(asked)
      }
    default: break
    }
    self.after = after
    self.isResumed = isResumed
    self.isQuiet = isQuiet
    text = Self.json(method, message)
    let header = FrameHeader(
      .request, method: UInt16(clamping: method.rawValue), length: UInt32(clamping: message.count))
    Scrubber.plain.scrub(&message, header: header, fromClient: true)
    plain = Self.json(method, message)
  }

  private static func json(_ method: Method, _ message: [UInt8]) -> String {
    (try? JSONTranscoder.json(message, schema: method.requestSchema)) ?? "\(message)"
  }
}
