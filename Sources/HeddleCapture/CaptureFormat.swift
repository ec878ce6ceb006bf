// The format of a capture: pcap, link type 252, which Wireshark opens as it is. One record is one frame as its sender sent
// it, text and tokens taken out. Written little-endian, times in nanoseconds; read in either order and either unit.
//
//   pcap header   24 bytes: magic 0xA1B23C4D, version 2.4, zone 0, accuracy 0, longest record, link type
//   record        16 bytes: seconds, nanoseconds, bytes here, bytes there; then tags, then bytes of the frame
//   tags          type and length of 2 bytes each, big-endian, padded to 4:
//                 12 dissector `heddle` · 20, 21 or 22, 23 addresses · 24 port type TCP · 25, 26 ports ·
//                 35 whose frame it is: 1 the client's, 0 the server's · 0 end
//
// A frame longer than a record continues in the next records of its direction. A record without a byte of a frame says that
// its sender closed the connection. A frame of kind 240, which no peer sends, stands where frames of the connection are
// missing; its payload says how many, and their bytes, as numbers of 8 bytes each, big-endian.

import HeddleCore
import HeddleProtocol

public enum CaptureFormat {
  public static let magicNanoseconds: UInt32 = 0xA1B2_3C4D
  public static let magicMicroseconds: UInt32 = 0xA1B2_C3D4
  public static let upperPDU: UInt32 = 252
  /// Wireshark refuses records above 256 KiB.
  public static let maximumRecordBytes = 192 * 1024

  public enum Tag {
    public static let end: UInt16 = 0
    public static let dissector: UInt16 = 12
    public static let sourceV4: UInt16 = 20
    public static let destinationV4: UInt16 = 21
    public static let sourceV6: UInt16 = 22
    public static let destinationV6: UInt16 = 23
    public static let portType: UInt16 = 24
    public static let sourcePort: UInt16 = 25
    public static let destinationPort: UInt16 = 26
    public static let direction: UInt16 = 35
  }

  /// The kind of the frame that marks missing ones.
  public static let lostKind: UInt8 = 240

  /// The first bytes of a file.
  public static var fileHeader: [UInt8] {
    var out = [UInt8]()
    out.append(little: magicNanoseconds)
    out.append(little: UInt16(2))
    out.append(little: UInt16(4))
    out.append(little: UInt32(0))
    out.append(little: UInt32(0))
    out.append(little: UInt32(262_144))
    out.append(little: upperPDU)
    return out
  }

  /// Appends the records of one frame; without bytes the one that says "closed".
  static func append(_ bytes: [UInt8], at time: Int64, tags: [UInt8], _ out: inout [UInt8]) {
    var start = 0
    repeat {
      let end = min(bytes.count, start + maximumRecordBytes)
      let count = UInt32(tags.count + end - start)
      out.append(little: UInt32(truncatingIfNeeded: time / 1_000_000_000))
      out.append(little: UInt32(truncatingIfNeeded: time % 1_000_000_000))
      out.append(little: count)
      out.append(little: count)
      out += tags
      out += bytes[start..<end]
      start = end
    } while start < bytes.count
  }

  /// How many bytes `append` would append.
  static func recordBytes(_ count: Int, tags: [UInt8]) -> Int {
    count + max(1, (count + maximumRecordBytes - 1) / maximumRecordBytes) * (16 + tags.count)
  }
}

/// The two sides of a connection, and the bytes that each of their records begins with.
public struct CapturePath: Sendable {
  public let client: Endpoint
  public let server: Endpoint
  private let ofClient: [UInt8]
  private let ofServer: [UInt8]

  public init(client: Endpoint, server: Endpoint) {
    self.client = client
    self.server = server
    ofClient = Self.tags(from: client, to: server, direction: 1)
    ofServer = Self.tags(from: server, to: client, direction: 0)
  }

  func tags(fromClient: Bool) -> [UInt8] { fromClient ? ofClient : ofServer }

  private static func tags(from: Endpoint, to: Endpoint, direction: UInt8) -> [UInt8] {
    typealias Tag = CaptureFormat.Tag
    var out = [UInt8]()
    func tag(_ type: UInt16, _ value: [UInt8]) {
      let padded = (value.count + 3) / 4 * 4
      out.append(big: type)
      out.append(big: UInt16(padded))
      out += value + [UInt8](repeating: 0, count: padded - value.count)
    }
    tag(Tag.dissector, Array("heddle".utf8))
    let isV4 = from.address.count == 4 && to.address.count == 4
    tag(isV4 ? Tag.sourceV4 : Tag.sourceV6, isV4 ? from.address : from.addressV6)
    tag(isV4 ? Tag.destinationV4 : Tag.destinationV6, isV4 ? to.address : to.addressV6)
    tag(Tag.portType, [0, 0, 0, 2])
    tag(Tag.sourcePort, [0, 0, UInt8(from.port >> 8), UInt8(from.port & 255)])
    tag(Tag.destinationPort, [0, 0, UInt8(to.port >> 8), UInt8(to.port & 255)])
    tag(Tag.direction, [0, 0, 0, direction])
    tag(Tag.end, [])
    return out
  }
}

/// One side of a connection.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes.
  public var address: [UInt8]
  public var port: UInt16

  public init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// As in `::ffff:127.0.0.1`.
  var addressV6: [UInt8] {
    address.count == 16 ? address : [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.prefix(4)
  }

  public var description: String {
    if address.count == 4 { return address.map { "\($0)" }.joined(separator: ".") + ":\(port)" }
    let words = stride(from: 0, to: address.count - 1, by: 2).map { index in
      String(UInt16(address[index]) << 8 | UInt16(address[index + 1]), radix: 16)
    }
    return "[\(words.joined(separator: ":"))]:\(port)"
  }
}

extension [UInt8] {
  public mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { self += $0 }
  }

  public mutating func append(big value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { self += $0 }
  }
}

/// A file that is no capture, or cannot be read or written.
public struct CaptureError: Error, Equatable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
