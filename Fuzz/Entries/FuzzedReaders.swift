// The output of the gRPC door and the HTTP door, read strictly: frames of HTTP/2 with headers that can be decompressed, and
// responses of HTTP/1.1. Errors never are the server's own fault.

import CNghttp2
import HeddleCore

protocol FuzzedReader {
  mutating func read(_ bytes: [UInt8]) throws(Finding)
}

/// Frames of HTTP/2 (RFC 9113 section 4).
final class FuzzedHTTP2Reader: FuzzedReader {
  private static let headBytes = 9
  private static let largestFrame = 16_384
  private var input: [UInt8] = []
  private var inflater: OpaquePointer?
  private var isFirst = true
  private var ended: Set<UInt32> = []

  init() { nghttp2_hd_inflate_new(&inflater) }

  deinit { nghttp2_hd_inflate_del(inflater) }

  func read(_ bytes: [UInt8]) throws(Finding) {
    input += bytes
    // A client that speaks HTTP/1.1 is told in it that it should not.
    if isFirst, input.starts(with: Array("HTTP/1.1 400 ".utf8)) { return }
    while input.count >= Self.headBytes {
      let length = input[0..<3].reduce(0) { $0 << 8 | Int($1) }
      let (type, flags) = (input[3], input[4])
      let stream = input[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard length <= Self.largestFrame else { throw Finding("the server writes a frame of \(length) bytes") }
      guard input.count >= Self.headBytes + length else { return }
      let payload = Array(input[Self.headBytes..<(Self.headBytes + length)])
      input.removeFirst(Self.headBytes + length)
      try frame(type, flags, stream, payload)
    }
  }

  private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) throws(Finding) {
    if isFirst, type != NGHTTP2_SETTINGS.rawValue { throw Finding("the server's first frame is of type \(type)") }
    isFirst = false
    let isData = type == NGHTTP2_DATA.rawValue
    let isHeaders = type == NGHTTP2_HEADERS.rawValue
    guard isData || isHeaders else { return }
    guard stream % 2 == 1, !ended.contains(stream) else { throw Finding("the server answers on stream \(stream)") }
    if flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { ended.insert(stream) }
    guard isHeaders else { return }
    guard flags & UInt8(NGHTTP2_FLAG_END_HEADERS.rawValue) != 0 else {
      throw Finding("the server's headers do not fit into a frame")
    }
    try check(try inflate(payload))
  }

  private func inflate(_ payload: [UInt8]) throws(Finding) -> [String: String] {
    var found: [String: String] = [:]
    var rest = payload[...]
    while true {
      var pair = nghttp2_nv()
      var flags: Int32 = 0
      let taken = rest.withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(inflater, &pair, &flags, $0.baseAddress, $0.count, 1)
      }
      guard taken >= 0 else { throw Finding("the server's headers cannot be decompressed") }
      rest = rest.dropFirst(taken)
      if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = String(decoding: UnsafeBufferPointer(start: pair.name, count: pair.namelen), as: UTF8.self)
        found[name] = String(decoding: UnsafeBufferPointer(start: pair.value, count: pair.valuelen), as: UTF8.self)
      }
      if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { break }
      if taken == 0, rest.isEmpty { break }
    }
    nghttp2_hd_inflate_end_headers(inflater)
    return found
  }

  private func check(_ headers: [String: String]) throws(Finding) {
    if let reason = headers["heddle-reason"] { try FuzzedReason.check(reason) }
    // Calls by Connect have 501 for a method that is not built and 504 for a deadline that has passed.
    if let status = headers[":status"].flatMap({ Int($0) }), status >= 500, ![501, 503, 504].contains(status) {
      throw Finding("the server answers \(status)")
    }
    if let status = headers["grpc-status"], Int(status).map({ (0...16).contains($0) }) != true {
      throw Finding("the server answers grpc-status \(status)")
    }
  }
}

/// Responses of HTTP/1.1: a status line, header lines, and as many bytes as they say.
struct FuzzedHTTPReader: FuzzedReader {
  private var input: [UInt8] = []
  /// The end of the rest cannot be told: a body without a length, or another protocol.
  private var isOpaque = false

  mutating func read(_ bytes: [UInt8]) throws(Finding) {
    guard !isOpaque else { return }
    input += bytes
    while let blank = input.firstRange(of: Array("\r\n\r\n".utf8)) {
      let lines = String(decoding: input[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
      let parts = (lines.first ?? "").split(separator: " ", maxSplits: 2)
      guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]), (100...599).contains(status) else {
        throw Finding("the server writes no status line: \(lines.first ?? "")")
      }
      guard status < 500 || status == 503 || status == 501 || status == 504 else {
        throw Finding("the server answers \(status)")
      }
      var head: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { throw Finding("the server writes no header line: \(line)") }
        head[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
      }
      if let reason = head["heddle-reason"] { try FuzzedReason.check(reason) }
      guard let length = head["content-length"].flatMap({ Int($0) }) else {
        isOpaque = true
        return
      }
      guard input.count >= blank.upperBound + length else { return }
      input.removeFirst(blank.upperBound + length)
    }
  }
}

enum FuzzedReason {
  static func check(_ reason: String) throws(Finding) {
    guard Reason(rawValue: reason) != nil else { throw Finding("an error without a reason: \(reason)") }
    guard !["internal", "data_loss", "storage_failed"].contains(reason) else {
      throw Finding("the server says that it is its own fault: \(reason)")
    }
  }
}
