// Answers, events and errors of a caller as bytes of HTTP: Connect's unary answers and enveloped messages, server-sent events.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRPC
import HeddleService
import HeddleStorage
import NIOCore
import NIOHTTP1

extension HTTPConnection: Outlet {
  var queuedBytes: Int { output.readableBytes }

  var hasRoom: Bool {
    guard let channel, !isClosing else { return false }
    return channel.channel.isWritable && output.readableBytes <= core.limits.outgoingBytes
  }

  var addresses: (client: SocketAddress?, server: SocketAddress?) {
    (channel?.channel.remoteAddress, channel?.channel.localAddress)
  }

  // MARK: Answers

  func answer(_ message: AnswerMessage, to stream: UInt32, _ method: Method) {
    switch message {
    case .response(let response, _): respond(loop.codec.encode(response), stream, method)
    // `replayed = true` behind the stored bytes: field 15 of every mutation's answer.
    case .stored(let bytes): respond(bytes + [15 << 3, 1], stream, method)
    case .opening(let event):
      guard exchange?.stream == stream else { return }
      openStream()
      send(event, to: stream)
    case .error(let error):
      said(.error, method, stream, FrameHeader.endOfStream, { loop.codec.encode(error) })
      guard let exchange, exchange.stream == stream else { return }
      conclude(error, exchange)
    }
  }

  private func respond(_ bytes: [UInt8], _ stream: UInt32, _ method: Method) {
    said(.response, method, stream, FrameHeader.endOfStream, { bytes })
    guard let exchange, exchange.stream == stream, case .unary(let isJSON) = exchange.form else { return }
    guard isJSON else { return respond(HTTPResponse(200, "application/proto", bytes)) }
    guard let json = ConnectBody.json(bytes, method.responseSchema) else {
      return respond(ConnectErrors.response(Refusal(.internal).wire))
    }
    respond(HTTPResponse(200, "application/json", json))
  }

  /// The end of an exchange with an error.
  func conclude(_ error: WireError, _ exchange: Exchange) {
    guard exchange.isStreaming || exchange.form == .stream(isJSON: true) || exchange.form == .stream(isJSON: false)
    else { return respond(ConnectErrors.response(error)) }
    if !exchange.isStreaming { openStream() }
    if exchange.form == .events {
      let json = ConnectErrors.value(error).written()
      chunk(Array("event: end\ndata: \(json)\n\n".utf8))
      self.exchange?.closes = true
    } else {
      chunk(ConnectBody.envelope(ConnectErrors.end(error), flags: 2))
    }
    if exchange.head.version.minor > 0 { output.writeStaticString("0\r\n\r\n") }
    finish()
  }

  // MARK: Streams

  private func openStream() {
    guard var exchange else { return }
    let isOld = exchange.head.version.minor == 0
    let type: StaticString =
      switch exchange.form {
      case .stream(isJSON: true): "application/connect+json"
      case .stream(isJSON: false): "application/connect+proto"
      case .events, .plain, .unary: "text/event-stream"
      }
    HTTPHeadWriter.begin(&output, 200, type)
    if let origin = exchange.origin { CrossOrigin.allow(origin, &output) }
    // A client of HTTP/1.0 knows no pieces, only the end.
    if isOld { exchange.closes = true } else { output.writeStaticString("transfer-encoding: chunked\r\n") }
    if exchange.closes { output.writeStaticString("connection: close\r\n") }
    output.writeStaticString("\r\n")
    exchange.isStreaming = true
    self.exchange = exchange
  }

  /// Appends a piece of a stream; returns the bytes that it took.
  @discardableResult
  func chunk(_ bytes: [UInt8]) -> Int {
    let before = output.readableBytes
    if exchange?.head.version.minor == 0 {
      output.writeBytes(bytes)
    } else {
      output.writeString(String(bytes.count, radix: 16))
      output.writeStaticString("\r\n")
      output.writeBytes(bytes)
      output.writeStaticString("\r\n")
    }
    return output.readableBytes - before
  }

  // MARK: Events

  func send(_ event: StoredEvent, of agent: ThreadID?, to stream: UInt32, replayed: Bool) -> Int {
    // The stored bytes are spliced into their envelope as they are: field 2 of `SubscriptionEvent`; field 12 is the agent.
    var bytes: [UInt8] = [2 << 3 | 2]
    bytes.appendVarint(UInt64(event.payload.count))
    bytes += event.payload
    if let agent { bytes += [12 << 3 | 2, 16] + agent.bytes }
    // The position of a stream is that of its own thread; an agent has another.
    return send(bytes, agent == nil ? event.sequence : nil, to: stream, replayed: replayed)
  }

  @discardableResult
  func send(_ event: SubscriptionEvent, to stream: UInt32) -> Int {
    send(loop.codec.encode(event), nil, to: stream, replayed: false)
  }

  private func send(_ bytes: [UInt8], _ sequence: UInt64?, to stream: UInt32, replayed: Bool) -> Int {
    said(.event, .threadSubscribe, stream, replayed ? FrameHeader.replayed : 0, { bytes })
    guard let exchange, exchange.stream == stream, exchange.isStreaming else { return 0 }
    times.lastSentAt = now
    scheduleFlush()
    switch exchange.form {
    case .stream(isJSON: false): return chunk(ConnectBody.envelope(bytes, flags: 0))
    case .stream(isJSON: true):
      let json = ConnectBody.json(bytes, SubscriptionEvent.schemaIndex)
      return json.map { chunk(ConnectBody.envelope($0, flags: 0)) } ?? 0
    case .plain, .unary: return 0
    case .events: break
    }
    let schema = SubscriptionEvent.schemaIndex
    guard let json = try? JSONTranscoder.value(bytes, schema: schema, style: .canonical) else { return 0 }
    var text = sequence.map { "id: \($0)\n" } ?? ""
    if case .object(let members) = json, let kind = members.first?.name { text += "event: \(kind)\n" }
    text += "data: \(json.written())\n\n"
    return chunk(Array(text.utf8))
  }

  // MARK: Nothing of these goes out by HTTP: such callers want no notices and answer no calls on streams of their own.

  func send(notice: SubscriptionEvent) {}
  func send(call: ServerCall, on stream: UInt32) {}
  func withdraw(_ method: Method, from stream: UInt32) {}
  func requestEnded() {}

  // MARK: Recordings

  /// Shows an observer the frame that a message of the server equals.
  func said(_ kind: FrameKind, _ method: Method, _ stream: UInt32, _ flags: UInt8, _ message: () -> [UInt8]) {
    guard let observer = loop.observer, let caller = identified?.caller else { return }
    let bytes = message()
    var frame = ByteBuffer()
    FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream, flags: flags,
      length: UInt32(clamping: bytes.count)
    ).append(to: &frame)
    frame.writeBytes(bytes)
    observer.said(caller, frame.readableBytesView)
  }

  /// Shows an observer the frame that a request equals.
  func heard(_ method: Method, _ stream: UInt32, _ metadata: Metadata, _ message: ByteBuffer) {
    guard let observer = loop.observer, let caller = identified?.caller else { return }
    let beside = metadata == Metadata() ? [] : loop.codec.encode(metadata)
    var frame = ByteBuffer()
    FrameHeader(
      .request, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream,
      metadataLength: UInt16(clamping: beside.count), flags: FrameHeader.endOfStream,
      length: UInt32(clamping: beside.count + message.readableBytes)
    ).append(to: &frame)
    frame.writeBytes(beside)
    frame.writeImmutableBuffer(message)
    observer.heard(caller, frame.readableBytesView, at: observer.now())
  }
}
