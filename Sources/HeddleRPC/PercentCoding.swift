// `grpc-message`: visible ASCII as it is, everything else and `%` as `%XX` (gRPC over HTTP/2, "Responses").

package enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  package static func encode(_ text: String) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: "%") {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return out
  }
}
