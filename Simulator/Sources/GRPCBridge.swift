// A client of the gRPC door: nghttp2's side of a client, without I/O.

import CNghttp2
import HeddleCore
import HeddleProtocol

// @unchecked: a simulation has one thread.
final class GRPCBridge: Bridge, @unchecked Sendable {
  /// A call on its way.
  private struct Call {
    let stream: UInt32
    let method: Method
    let request: [UInt8]
    var sent = 0
    var body: [UInt8] = []
    var headers: [String: String] = [:]
    var hasAnswered = false
  }

  private var session: OpaquePointer?
  private var calls: [Int32: Call] = [:]
  private var outgoing: [UInt8] = []
  private var frames: [UInt8] = []
  private let tokens = BridgedTokens()
  private(set) var hasEnded = false
  /// The stream of the call that stands for HELLO: a frame never has it.
  private static let hello: UInt32 = 0

  init?(window: UInt32) {
    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
    defer { nghttp2_session_callbacks_del(callbacks) }
    Self.set(callbacks)
    guard nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque()) == 0 else {
      return nil
    }
    var settings = [
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: window)
    ]
    nghttp2_submit_settings(session, 0, &settings, settings.count)
    pump()
  }

  deinit { nghttp2_session_del(session) }

  func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  func takeFrames() -> [UInt8] {
    defer { frames = [] }
    return frames
  }

  private func pump() {
    while true {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0, let bytes else { break }
      outgoing += UnsafeBufferPointer(start: bytes, count: count)
    }
  }

  // MARK: Out

  func send(_ frame: BridgedFrame) {
    switch frame.kind {
    case .hello:
      tokens.hello(frame.payload)
      ask(.serverStatus, on: Self.hello, Metadata(), [])
    case .request: ask(frame.method, on: frame.stream, frame.metadata, frame.payload)
    case .cancel:
      if let id = calls.first(where: { $0.value.stream == frame.stream })?.key {
        nghttp2_submit_rst_stream(session, 0, id, NGHTTP2_CANCEL.rawValue)
      }
    // Credit is the window of the stream, and PING is nghttp2's.
    default: break
    }
    pump()
  }

  private func ask(_ method: Method, on stream: UInt32, _ metadata: Metadata, _ payload: [UInt8]) {
    var headers = [
      (":method", "POST"), (":scheme", "http"), (":path", "/heddle.v1.\(method.path)"), (":authority", "simulated"),
      ("content-type", "application/grpc"), ("te", "trailers"), ("authorization", "Bearer \(tokens.of(metadata))"),
    ]
    if let key = metadata.idempotencyKey { headers.append(("heddle-idempotency-key-bin", Base64.text(key.bytes))) }
    if let deadline = metadata.deadlineMs { headers.append(("grpc-timeout", "\(deadline)m")) }
    let size = UInt32(payload.count)
    let prefix = [0] + withUnsafeBytes(of: size.bigEndian) { Array($0) }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, id, room, length, flags, _, user in
      GRPCBridge.of(user).read(id, room, length, flags)
    }
    let id = Self.withPairs(headers) { pairs, count in
      nghttp2_submit_request(session, nil, pairs, count, &provider, nil)
    }
    guard id > 0 else {
      hasEnded = true
      return
    }
    calls[id] = Call(stream: stream, method: method, request: prefix + payload)
  }

  private static func withPairs<R>(
    _ headers: [(String, String)], _ body: (UnsafePointer<nghttp2_nv>?, Int) -> R
  ) -> R {
    // One array of all bytes, which does not move while nghttp2 copies from it.
    var bytes: [UInt8] = []
    var places: [(Int, Int, Int)] = []
    for (name, value) in headers {
      places.append((bytes.count, name.utf8.count, value.utf8.count))
      bytes += Array(name.utf8) + Array(value.utf8)
    }
    return bytes.withUnsafeMutableBufferPointer { bytes in
      let pairs = places.map { place, name, value in
        nghttp2_nv(
          name: bytes.baseAddress.map { $0 + place }, value: bytes.baseAddress.map { $0 + place + name },
          namelen: name, valuelen: value, flags: 0)
      }
      return pairs.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }

  private func read(
    _ id: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>?
  ) -> Int {
    guard var call = calls[id], let room else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    let piece = call.request[call.sent...].prefix(length)
    for (index, byte) in piece.enumerated() { room[index] = byte }
    call.sent += piece.count
    calls[id] = call
    if call.sent == call.request.count { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return piece.count
  }

  // MARK: In

  func receive(_ bytes: [UInt8]) {
    guard !hasEnded else { return }
    let taken = nghttp2_session_mem_recv(session, bytes, bytes.count)
    if taken < 0 { hasEnded = true }
    pump()
    if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 { hasEnded = true }
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> GRPCBridge {
    Unmanaged<GRPCBridge>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
  }

  private static func set(_ callbacks: OpaquePointer) {
    nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, user in
      guard let frame else { return 0 }
      let name = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
      let value = String(decoding: UnsafeBufferPointer(start: value, count: count), as: UTF8.self)
      GRPCBridge.of(user).calls[frame.pointee.hd.stream_id]?.headers[name] = value
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
      GRPCBridge.of(user).body(id, UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
      GRPCBridge.of(user).closed(id)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, user in
      if let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue {
        GRPCBridge.of(user).unsent(frame.pointee.hd.stream_id)
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      if let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_GOAWAY.rawValue { GRPCBridge.of(user).goneAway() }
      return 0
    }
  }

  private func goneAway() { emit(tokens.goAway(WireError(code: .unavailable, reason: "goaway"))) }

  /// No call begins after the server's GOAWAY: the connection that takes this one's place brings it.
  private func unsent(_ id: Int32) {
    guard let call = calls.removeValue(forKey: id) else { return }
    emit(tokens.error(WireError(code: .unavailable, reason: Reason.connectionAge.rawValue), call.method, call.stream))
  }

  private func emit(_ frame: BridgedFrame) { frames += frame.bytes }

  /// Every whole message of the body is one frame.
  private func body(_ id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard var call = calls[id] else { return }
    call.body += bytes
    while call.body.count >= 5 {
      let length = call.body[1..<5].reduce(0) { $0 << 8 | Int($1) }
      guard call.body.count >= 5 + length else { break }
      let message = Array(call.body[5..<(5 + length)])
      call.body.removeFirst(5 + length)
      message.isEmpty && call.stream == Self.hello ? () : answered(&call, message)
    }
    calls[id] = call
  }

  private func answered(_ call: inout Call, _ message: [UInt8]) {
    guard call.stream != Self.hello else { return }
    let follows = call.method == .threadSubscribe
    emit(
      BridgedFrame(
        kind: call.hasAnswered ? .event : .response, method: call.method, stream: call.stream, isLast: !follows,
        payload: message))
    call.hasAnswered = true
  }

  private func closed(_ id: Int32) {
    guard let call = calls.removeValue(forKey: id) else { return }
    let status = call.headers["grpc-status"].flatMap { Int32($0) }
    if status == 0, call.stream == Self.hello { return emit(tokens.helloFrame()) }
    if status == 0, call.hasAnswered, call.method != .threadSubscribe { return }
    guard let status, status != 0 else { return emit(tokens.lost(call.method, call.stream)) }
    let error = WireError(
      code: Code(rawValue: status) ?? .unspecified, reason: call.headers["heddle-reason"] ?? "",
      message: call.headers["grpc-message"] ?? "")
    guard call.stream != Self.hello, !BridgedTokens.ends(error) else {
      emit(tokens.goAway(error))
      hasEnded = true
      return
    }
    emit(tokens.error(error, call.method, call.stream))
  }
}
