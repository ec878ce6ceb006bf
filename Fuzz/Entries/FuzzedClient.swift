// One connection of an input, as seen from its other end: every byte that the server writes is read, as a client would.

import HeddleCore
import HeddleProtocol
import HeddleServer
import NIOCore
import NIOEmbedded

final class FuzzedClient {
  private let channel: EmbeddedChannel
  private let number: Int
  private let life: UInt64
  private var input: [UInt8] = []
  private var isHTTP = false
  /// Reads what another door writes.
  private var reader: (any FuzzedReader)?
  private var codec = Codec(limits: .trusted)
  /// Streams that were answered.
  private var answered: Set<UInt32> = []
  private var refused: Set<UInt32> = []

  init?(_ server: EmbeddedServer, _ loop: EmbeddedEventLoop, number: Int, life: UInt64, door: FuzzedDoor) {
    self.number = number
    self.life = life
    let address = "127.0.0.\(number + 1)"
    let made: (any ChannelHandler & Sendable)?
    switch door {
    case .frames: made = server.connection(from: address)
    case .grpc:
      made = server.callConnection(from: address)
      reader = FuzzedHTTP2Reader()
    case .http:
      made = server.httpConnection(from: address)
      reader = FuzzedHTTPReader()
    }
    guard let handler = made else { return nil }
    channel = EmbeddedChannel(loop: loop)
    do {
      try channel.pipeline.syncOperations.addHandler(handler)
      channel.connect(to: try SocketAddress(ipAddress: address, port: 1), promise: nil)
    } catch { return nil }
  }

  var isClosed: Bool { !channel.isActive }

  func send(_ bytes: [UInt8], piece: Int?) {
    var rest = bytes[...]
    while !rest.isEmpty, channel.isActive {
      let next = rest.prefix(piece ?? rest.count)
      rest = rest.dropFirst(next.count)
      _ = try? channel.writeInbound(ByteBuffer(bytes: next))
    }
  }

  func toggle() {
    guard channel.isActive else { return }
    channel.isWritable.toggle()
    channel.pipeline.fireChannelWritabilityChanged()
  }

  func hangUp() {
    if channel.isActive { channel.close(promise: nil) }
    while (try? channel.readOutbound(as: ByteBuffer.self)) != nil {}
  }

  /// Ids in the server's frames, each with the mark that inputs use for it.
  func collect() throws(Finding) -> [([UInt8], [UInt8])] {
    while let out = try? channel.readOutbound(as: ByteBuffer.self) { input += out.readableBytesView }
    if reader != nil {
      try reader?.read(input)
      input = []
      return []
    }
    if input.starts(with: Array("HTTP/".utf8)) { isHTTP = true }
    guard !isHTTP else { return [] }
    var found: [([UInt8], [UInt8])] = []
    while let first = input.first {
      guard first == FrameHeader.magic else { throw Finding("the server writes what is no frame: \(input.prefix(16))") }
      guard let header = input.withUnsafeBytes({ FrameHeader($0) }) else { return found }
      let end = FrameHeader.byteCount + Int(header.length)
      guard input.count >= end else { return found }
      guard Int(header.metadataLength) <= Int(header.length) else { throw Finding("a frame of the server lies") }
      let payload = Array(input[(FrameHeader.byteCount + Int(header.metadataLength))..<end])
      input.removeFirst(end)
      found += try frame(header, payload)
    }
    return found
  }

  private func frame(_ header: FrameHeader, _ payload: [UInt8]) throws(Finding) -> [([UInt8], [UInt8])] {
    switch header.knownKind {
    case .hello?: _ = try read(ServerHello.self, payload)
    case .event?: _ = try read(SubscriptionEvent.self, payload)
    case .credit?: _ = try read(Credit.self, payload)
    case .ping?: _ = try read(Ping.self, payload)
    case .pong?: _ = try read(Pong.self, payload)
    case .error?: try failed(header, try read(WireError.self, payload))
    case .goaway?: if let error = try read(GoAway.self, payload).error { try failed(header, error) }
    case .response?: return try response(header, payload)
    case .request?:
      // A call of a client's tool.
      guard header.stream % 2 == 0 else { throw Finding("the server asks on a stream of the client") }
      return ids(header.stream, payload)
    case .cancel?: break
    default: throw Finding("the server sends a frame of kind \(header.kind)")
    }
    return []
  }

  private func read<M: WireMessage>(_ type: M.Type, _ payload: [UInt8]) throws(Finding) -> M {
    do throws(DecodeError) { return try codec.decode(type, payload) } catch {
      throw Finding("the server sends a \(type) that cannot be read: \(error)")
    }
  }

  private func response(_ header: FrameHeader, _ payload: [UInt8]) throws(Finding) -> [([UInt8], [UInt8])] {
    guard let method = Method(rawValue: Int32(header.method)) else { throw Finding("an answer without a method") }
    if FuzzPlant.session.isSet { try FuzzPlant.restarted(life: life, method) }
    guard answered.insert(header.stream).inserted else { throw Finding("stream \(header.stream) is answered twice") }
    let read = payload.withUnsafeBytes { raw in try? Response(method, raw, &codec) }
    guard read != nil else { throw Finding("an answer of \(method.path) cannot be read") }
    return ids(header.stream, payload)
  }

  private func failed(_ header: FrameHeader, _ error: WireError) throws(Finding) {
    guard Reason(rawValue: error.reason) != nil else { throw Finding("an error without a reason: \(error)") }
    guard !["internal", "data_loss", "storage_failed"].contains(error.reason) else {
      throw Finding("the server says that it is its own fault: \(error)")
    }
    guard header.stream == 0 || refused.insert(header.stream).inserted else {
      throw Finding("stream \(header.stream) is refused twice")
    }
  }

  /// Fields that look like 16 bytes, numbered by their place in this answer.
  private func ids(_ stream: UInt32, _ payload: [UInt8]) -> [([UInt8], [UInt8])] {
    var found: [([UInt8], [UInt8])] = []
    var at = 0
    while at + 18 <= payload.count, found.count < 16 {
      guard payload[at] & 7 == 2, payload[at + 1] == 16 else {
        at += 1
        continue
      }
      let mark = [
        UInt8(number), UInt8(found.count), UInt8(truncatingIfNeeded: stream), UInt8(truncatingIfNeeded: stream >> 8),
      ]
      found.append((mark, Array(payload[(at + 2)..<(at + 18)])))
      at += 18
    }
    return found
  }
}
