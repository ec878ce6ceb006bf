// Frames of answers, events and calls: everything is packed straight into the connection's buffer.

import HeddleCore
import HeddleProtocol
import HeddleService
import HeddleStorage
import NIOCore

extension FrameConnection: Outlet {
  var isClosing: Bool { phase == .closing }
  var queuedBytes: Int { output.count }

  // MARK: Outlet

  func answer(_ message: AnswerMessage, to stream: UInt32, _ method: Method) {
    switch message {
    case .response(let response, let isLast):
      send(.response, method, stream, isLast ? FrameHeader.endOfStream : 0, response)
    case .stored(let bytes):
      // `replayed = true` behind the stored bytes: field 15 of every mutation's answer.
      frame(.response, method, stream, FrameHeader.endOfStream) { out in
        out.writeBytes(bytes)
        out.writeBytes([15 << 3, 1])
      }
    case .opening(let event): send(.response, method, stream, 0, event)
    case .error(let error): send(.error, method, stream, FrameHeader.endOfStream, error)
    }
  }

  /// The stored bytes are spliced into their envelope as they are: field 2 of `SubscriptionEvent`.
  func send(_ event: StoredEvent, of agent: ThreadID?, to stream: UInt32, replayed: Bool) -> Int {
    let before = output.count
    frame(.event, .threadSubscribe, stream, replayed ? FrameHeader.replayed : 0) { out in
      out.writeInteger(UInt8(2 << 3 | 2))
      out.appendVarint(UInt64(event.payload.count))
      out.writeBytes(event.payload)
      guard let agent else { return }
      // `thread`, field 12.
      out.writeBytes([12 << 3 | 2, 16])
      out.writeBytes(agent.bytes)
    }
    return output.count - before
  }

  func send(_ event: SubscriptionEvent, to stream: UInt32) -> Int {
    let before = output.count
    send(.event, .threadSubscribe, stream, 0, event)
    return output.count - before
  }

  func send(notice: SubscriptionEvent) { send(.event, .unspecified, 0, 0, notice) }

  func send(call: ServerCall, on stream: UInt32) {
    switch call {
    case .tool(let request): send(.request, .clientCallTool, stream, 0, request)
    case .question(let request): send(.request, .clientRequestUserInput, stream, 0, request)
    }
  }

  func withdraw(_ method: Method, from stream: UInt32) {
    frame(.cancel, method, stream, FrameHeader.endOfStream) { _ in }
  }

  func goAway(_ refusal: Refusal) {
    sendGoAway(refusal)
    flush()
  }

  // MARK: Frames

  func sendGoAway(_ refusal: Refusal) {
    ending.isTold = true
    send(.goaway, .unspecified, 0, 0, GoAway(lastStream: lastStream, error: refusal.wire))
  }

  func sendPing() { send(.ping, .unspecified, 0, 0, Ping()) }

  /// Appends a frame with this message.
  func send(_ kind: FrameKind, _ method: Method, _ stream: UInt32, _ flags: UInt8, _ message: some WireWritable) {
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream, flags: flags, length: 0)
    output.append(header, message, &loop.codec)
    metrics.sentFrames.add(1)
    scheduleFlush()
  }

  /// Appends a frame whose payload `write` appends.
  private func frame(
    _ kind: FrameKind, _ method: Method, _ stream: UInt32, _ flags: UInt8, _ write: (inout ByteBuffer) -> Void
  ) {
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream, flags: flags, length: 0)
    output.append(header, write)
    metrics.sentFrames.add(1)
    scheduleFlush()
  }
}
