// One HTTP/2 connection of a client, without I/O: bytes in, events to its owner, bytes out. Framing, header compression
// and flow control are nghttp2's.
//
// HTTP2Session.H1  Every call into nghttp2 comes from the connection's loop, and none from inside an event but those that
//                  only queue (submit…): nghttp2 allows those.
// HTTP2Session.H2  Header lists are counted, names and values and 32 bytes for each pair (RFC 9113 section 6.5.2), before
//                  anything is kept of them.

import CNghttp2
import NIOCore

/// The events of a session, on the connection's loop, while it is given bytes or asked for some.
protocol HTTP2Events: AnyObject {
  /// A request's header list begins.
  func began(_ stream: Int32)
  /// One pair of it. False: the list is larger than allowed.
  func header(_ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
  /// The list is complete. `isTrailer`: it came after the body.
  func headersEnded(_ stream: Int32, isTrailer: Bool, isLast: Bool)
  /// Bytes of a request's body.
  func body(_ stream: Int32, _ bytes: UnsafeRawBufferPointer)
  /// The request's body is complete.
  func bodyEnded(_ stream: Int32)
  /// The stream is over; `code`: why, 0 for its normal end.
  func closed(_ stream: Int32, code: UInt32)
  /// The client takes no more streams.
  func goneAway()
  /// The client's answer to a PING of ours.
  func ponged(_ opaque: UInt64)
  /// A frame that costs us work and brings nothing: a PING, an empty DATA, a PRIORITY, a small WINDOW_UPDATE, a reset.
  func idled(_ kind: HTTP2Session.Idle)
  /// Copies up to `room.count` bytes of the response of a stream; what comes after them.
  func response(_ stream: Int32, _ room: UnsafeMutableRawBufferPointer) -> HTTP2Session.Source
}

final class HTTP2Session {
  /// Frames that bring nothing.
  enum Idle { case ping, settings, emptyData, priority, windowUpdate, reset }

  /// The rest of a stream's response after the bytes that were copied.
  enum Source {
    /// These bytes, and more later or at once.
    case bytes(Int)
    /// Nothing now; `resume` says when there is.
    case wait
    /// These bytes, then trailers, which have been submitted.
    case trailers(Int)
    /// These bytes and nothing more.
    case end(Int)
  }

  /// Why a stream or a connection ends (RFC 9113 section 7).
  enum Code: UInt32 {
    case noError = 0
    case protocolError = 1
    case refusedStream = 7
    case cancel = 8
    case enhanceYourCalm = 11
  }

  struct Failed: Error {
    let code: Int32
    var text: String { String(cString: nghttp2_strerror(code)) }
  }

  private let session: OpaquePointer
  unowned(unsafe) let events: any HTTP2Events

  /// Nil: there is no memory for it.
  init?(events: any HTTP2Events, limits: HTTP2Limits) {
    var session: OpaquePointer?
    var option: OpaquePointer?
    guard nghttp2_option_new(&option) == 0, let option else { return nil }
    defer { nghttp2_option_del(option) }
    nghttp2_option_set_no_auto_window_update(option, 1)
    nghttp2_option_set_max_outbound_ack(option, 64)
    nghttp2_option_set_max_settings(option, 16)
    nghttp2_option_set_max_continuations(option, 8)
    // The bound of resets is the connection's own, with an error of its own; nghttp2's stands behind it.
    nghttp2_option_set_stream_reset_rate_limit(option, 4_000, 200)
    guard let callbacks = Self.callbacks, nghttp2_session_server_new2(&session, callbacks, nil, option) == 0,
      let session
    else { return nil }
    self.session = session
    self.events = events
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    var settings = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: limits.streams),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: limits.streamWindow),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: limits.headerListBytes),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &settings, settings.count)
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(limits.connectionWindow))
  }

  deinit { nghttp2_session_del(session) }

  // MARK: In

  /// Takes bytes of the client. An error ends the connection; a GOAWAY for it waits to be sent.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Failed? {
    let taken = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    return taken < 0 ? Failed(code: Int32(clamping: taken)) : nil
  }

  /// The stream's bytes have been taken off its window.
  func consumed(_ stream: Int32, _ bytes: Int) { nghttp2_session_consume(session, stream, bytes) }

  func consumedOfConnection(_ bytes: Int) { nghttp2_session_consume_connection(session, bytes) }

  /// Widens a stream's window, so that a message of this size can come.
  func widen(_ stream: Int32, to bytes: Int32) {
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, bytes)
  }

  // MARK: Out

  var wantsToEnd: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

  /// Appends what waits to be sent, up to about `limit` bytes. False: there may be more.
  func write(into buffer: inout ByteBuffer, limit: Int) -> Result<Bool, Failed> {
    while buffer.readableBytes < limit {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      if count < 0 { return .failure(Failed(code: Int32(clamping: count))) }
      guard count > 0, let bytes else { return .success(true) }
      buffer.writeBytes(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    return .success(false)
  }

  func submitResponse(_ stream: Int32, _ headers: UnsafeBufferPointer<nghttp2_nv>, hasBody: Bool) {
    var provider = nghttp2_data_provider()
    provider.read_callback = { session, stream, room, length, flags, _, user in
      HTTP2Session.of(user).read(stream, room, length, flags)
    }
    if hasBody {
      nghttp2_submit_response(session, stream, headers.baseAddress, headers.count, &provider)
    } else {
      nghttp2_submit_response(session, stream, headers.baseAddress, headers.count, nil)
    }
  }

  func submitTrailers(_ stream: Int32, _ headers: UnsafeBufferPointer<nghttp2_nv>) {
    nghttp2_submit_trailer(session, stream, headers.baseAddress, headers.count)
  }

  /// The response of a stream has bytes again.
  func resume(_ stream: Int32) { nghttp2_session_resume_data(session, stream) }

  func reset(_ stream: Int32, _ code: Code) {
    nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
  }

  func ping(_ opaque: UInt64) {
    withUnsafeBytes(of: opaque.bigEndian) {
      _ = nghttp2_submit_ping(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  /// Says that the connection will end, without a number yet.
  func shutdownNotice() { nghttp2_submit_shutdown_notice(session) }

  /// No stream after the last one that was served.
  func goAway(_ code: Code, _ text: String) {
    let last = nghttp2_session_get_last_proc_stream_id(session)
    var text = text
    text.withUTF8 {
      _ = nghttp2_submit_goaway(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, $0.baseAddress, $0.count)
    }
  }

  var peerStreamWindow: UInt32 {
    nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
  }

  private func read(
    _ stream: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>?
  ) -> Int {
    guard let room, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    switch events.response(stream, UnsafeMutableRawBufferPointer(start: room, count: length)) {
    case .bytes(let count): return count
    case .wait: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .trailers(let count):
      flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue)
      return count
    case .end(let count):
      flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
      return count
    }
  }

  // MARK: nghttp2's calls

  private static func of(_ user: UnsafeMutableRawPointer?) -> HTTP2Session {
    // The pointer was set by `init`, and nghttp2 calls only from inside this session's methods.
    Unmanaged<HTTP2Session>.fromOpaque(user.unsafelyUnwrapped).takeUnretainedValue()
  }

  /// The table of callbacks, which all sessions share; it never changes.
  nonisolated(unsafe) private static let callbacks: OpaquePointer? = {
    var made: OpaquePointer?
    guard nghttp2_session_callbacks_new(&made) == 0, let made else { return nil }
    nghttp2_session_callbacks_set_on_begin_headers_callback(made) { _, frame, user in
      guard let frame = frame?.pointee, frame.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
      HTTP2Session.of(user).events.began(frame.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(made) { _, frame, name, nameLength, value, valueLength, _, user in
      guard let frame = frame?.pointee else { return 0 }
      let fits = HTTP2Session.of(user).events.header(
        frame.hd.stream_id, UnsafeRawBufferPointer(start: name, count: nameLength),
        UnsafeRawBufferPointer(start: value, count: valueLength))
      return fits ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(made) { _, frame, user in
      if let frame { HTTP2Session.of(user).received(frame.pointee) }
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made) { _, _, stream, bytes, count, user in
      HTTP2Session.of(user).events.body(stream, UnsafeRawBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(made) { _, stream, code, user in
      HTTP2Session.of(user).events.closed(stream, code: code)
      return 0
    }
    return made
  }()

  private func received(_ frame: nghttp2_frame) {
    let isLast = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let isAck = frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(frame.hd.type) {
    case NGHTTP2_HEADERS.rawValue:
      let isTrailer = frame.headers.cat != NGHTTP2_HCAT_REQUEST
      events.headersEnded(frame.hd.stream_id, isTrailer: isTrailer, isLast: isLast)
    case NGHTTP2_DATA.rawValue:
      if frame.hd.length == 0, !isLast { events.idled(.emptyData) }
      if isLast { events.bodyEnded(frame.hd.stream_id) }
    case NGHTTP2_PING.rawValue:
      guard isAck else { return events.idled(.ping) }
      events.ponged(
        withUnsafeBytes(of: frame.ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) })
    case NGHTTP2_GOAWAY.rawValue: events.goneAway()
    case NGHTTP2_SETTINGS.rawValue: if !isAck { events.idled(.settings) }
    case NGHTTP2_PRIORITY.rawValue: events.idled(.priority)
    case NGHTTP2_RST_STREAM.rawValue: events.idled(.reset)
    case NGHTTP2_WINDOW_UPDATE.rawValue:
      if frame.window_update.window_size_increment < 64 { events.idled(.windowUpdate) }
    default: break
    }
  }
}

/// The bounds of a connection.
struct HTTP2Limits: Equatable, Sendable {
  var streams: UInt32 = 1_024
  var streamWindow: UInt32 = 65_535
  var connectionWindow = 1 << 20
  var headerListBytes: UInt32 = 16 * 1_024
}
