// Response headers and trailers as nghttp2 takes them.

import CNghttp2
import HeddleCore
import HeddleProtocol
import HeddleRPC

enum GRPCHeaders {
  /// `:status` 200 and the content type; never freed.
  nonisolated(unsafe) static let response = fixed([(":status", "200"), ("content-type", "application/grpc")])
  nonisolated(unsafe) static let connectJSON = fixed([(":status", "200"), ("content-type", "application/json")])
  nonisolated(unsafe) static let connectProto = fixed([(":status", "200"), ("content-type", "application/proto")])
  nonisolated(unsafe) static let streamJSON = fixed([(":status", "200"), ("content-type", "application/connect+json")])
  nonisolated(unsafe) static let streamProto = fixed([
    (":status", "200"), ("content-type", "application/connect+proto"),
  ])
  /// `grpc-status` 0.
  nonisolated(unsafe) static let success = fixed([("grpc-status", "0")])

  /// Pairs of constants, of which nghttp2 makes no copies. Immutable from its making on.
  private static func fixed(_ pairs: [(StaticString, StaticString)]) -> UnsafeBufferPointer<nghttp2_nv> {
    let made = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: pairs.count)
    for (index, (name, value)) in pairs.enumerated() {
      made.initializeElement(
        at: index,
        to: nghttp2_nv(
          name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value.utf8Start),
          namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount,
          flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)))
    }
    return UnsafeBufferPointer(made)
  }

  /// Calls `body` with pairs that live as long as the call; nghttp2 copies them.
  static func with<R>(_ pairs: [(String, [UInt8])], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> R) -> R {
    var bytes: [UInt8] = []
    var places: [(start: Int, name: Int, value: Int)] = []
    for (name, value) in pairs {
      places.append((bytes.count, name.utf8.count, value.count))
      bytes += name.utf8
      bytes += value
    }
    return bytes.withUnsafeMutableBufferPointer { bytes in
      let made = places.map { place in
        nghttp2_nv(
          name: bytes.baseAddress.map { $0 + place.start },
          value: bytes.baseAddress.map { $0 + place.start + place.name },
          namelen: place.name, valuelen: place.value, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
      }
      return made.withUnsafeBufferPointer(body)
    }
  }

  /// An error as trailers: status, message, our reason, and the details of `google.rpc`.
  static func trailers(_ error: WireError, _ codec: inout Codec) -> [(String, [UInt8])] {
    var pairs: [(String, [UInt8])] = [
      ("grpc-status", Array("\(error.code.rawValue)".utf8)), ("grpc-message", PercentCoding.encode(error.message)),
    ]
    guard !error.reason.isEmpty else { return pairs }
    pairs.append(("heddle-reason", Array(error.reason.utf8)))
    let details = codec.encode(StatusDetails(error))
    pairs.append(("grpc-status-details-bin", Array(Base64.text(details).utf8)))
    return pairs
  }
}
